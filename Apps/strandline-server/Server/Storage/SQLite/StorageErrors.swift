import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTransport
import StrandlineWireFormat

// What goes wrong with a server's file, as transports say it.
extension TransportError {
  /// A disk with less than this is full, whatever SQLite calls it.
  private static var leastFreeBytes: UInt64 { 1 << 20 }

  /// Translates an error of the file or of what stands in it.
  static func storage(_ error: any Error, at path: String) -> TransportError {
    switch error {
    case let error as TransportError: error
    case let error as StorageError: translate(error, path)
    case let error as WireError:
      damagedServer(path, "a row in it makes no sense", error)
    default:
      TransportError(
        .unreachable,
        "Could not use the server's data '\(path)', \(error.localizedDescription).",
        advice: "Check the folder and try again.", remedy: .retry(afterMilliseconds: 60_000),
        cause: error)
    }
  }

  private static func translate(_ error: StorageError, _ path: String) -> TransportError {
    switch error.code {
    case .diskFull: fullDisk(path, error)
    case .inputOutput where isDiskFull(path): fullDisk(path, error)
    case .damaged, .notADatabase: damagedServer(path, "the file is damaged", error)
    case .busy:
      TransportError(
        .throttled, "Could not use the server's data, another process is writing to it.",
        advice: "It is tried again.", remedy: .retry(afterMilliseconds: 1000),
        context: error.context, cause: error)
    case .inputOutput, .readOnly, .cannotOpen:
      TransportError(
        .unreachable, "Could not use the server's data '\(path)', the disk does not let it.",
        advice: "Check the disk and the rights of the folder, and try again.",
        remedy: .retry(afterMilliseconds: 60_000), context: error.context, cause: error)
    default: damagedServer(path, "it does not have the tables that it should", error)
    }
  }

  private static func fullDisk(_ path: String, _ error: StorageError) -> TransportError {
    TransportError(
      .quota, "Could not keep the changes, the disk of the server is full.",
      advice: "Free some space on the server's disk; reading goes on.",
      remedy: .retry(afterMilliseconds: 60_000), context: error.context, cause: error)
  }

  private static func damagedServer(
    _ path: String, _ reason: String, _ error: any Error
  ) -> TransportError {
    TransportError(
      .damaged, "Could not use the server's data '\(path)', \(reason).",
      advice: "Keep the file, and restore a backup with 'strandline-server restore FILE'.",
      remedy: .stop, cause: error)
  }

  static func damagedServer(_ reason: String) -> TransportError {
    TransportError(
      .damaged, "Could not read the server's data, \(reason).",
      advice: "Look at it with 'strandline-server check'.", remedy: .stop)
  }

  private static func isDiskFull(_ path: String) -> Bool {
    var info = statvfs()
    guard statvfs(path, &info) == 0 else { return false }
    return UInt64(info.f_bavail) * UInt64(info.f_frsize) < leastFreeBytes
  }

  static func noServerData(_ folder: String) -> TransportError {
    TransportError(
      .zoneNotFound, "Could not open the data folder '\(folder)', no server's data is in it.",
      advice: "Check --data, or begin with 'strandline-server --data \(folder) account add NAME'.",
      remedy: .stop)
  }

  static func noBackup(_ path: String) -> TransportError {
    TransportError(
      .zoneNotFound, "Could not open '\(path)', there is no such file.",
      advice: "Name the file of a backup.", remedy: .stop)
  }

  static func notAServer(_ path: String) -> TransportError {
    TransportError(
      .damaged, "Could not open '\(path)', it is not the data of a Strandline server.",
      advice: "Name another file or folder; this one was left as it is.", remedy: .stop)
  }

  static func newerServer(_ path: String, format: Int64) -> TransportError {
    TransportError(
      .incompatibleVersion,
      "Could not open '\(path)', a later version of strandline-server wrote it.",
      advice: "Update strandline-server; the file was left as it is.", remedy: .stop,
      context: ["format": String(format), "known": String(ServerTables.format)])
  }
}
