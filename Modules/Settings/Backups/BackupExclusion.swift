import Foundation
public import StrandlineStorage

/// Leaves a store's files out of backups, by the marks that backup programs of the platform go by.
///
/// On Linux these are the no-dump attribute of files and folders (`borg --exclude-nodump`, `dump`)
/// and the file `CACHEDIR.TAG` (`restic --exclude-caches`, `borg --exclude-caches`,
/// `tar --exclude-caches`). SQLite makes and removes the files `-wal` and `-shm`, and new files
/// inherit the attribute of their folder; so the folder is marked where it holds nothing but the
/// store. A folder that others share is never marked, since their files would be left out as well:
/// there only the files have the attribute, and are marked again whenever the store is opened.
///
/// On Apple platforms the files have the resource value `isExcludedFromBackup`.
public struct BackupExclusion: Sendable {
  /// The store's file, through links.
  let store: String

  /// The marks for the store at a path.
  public init(storeAt path: String) {
    store = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  var folder: String { URL(fileURLWithPath: store).deletingLastPathComponent().path }

  /// The files that SQLite keeps for the store and that are there now.
  var files: [String] {
    ["", "-wal", "-shm"].map { store + $0 }.filter(FileManager.default.fileExists)
  }

  /// What stands beside a store and belongs to it.
  private static let suffixes = ["", "-wal", "-shm", "-journal", "-lease", "-install"]

  /// Whether the folder holds nothing but the store.
  var isFolderOwn: Bool {
    let name = URL(fileURLWithPath: store).lastPathComponent
    let own = Set(Self.suffixes.map { name + $0 } + [CacheTag.name])
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy(own.contains)
    } catch {
      // What cannot be listed may be anybody's.
      return false
    }
  }

  /// What the marks say now; nothing is opened or changed.
  public func state() -> BackupState {
    Marks(self).state
  }

  /// Sets or removes the marks, where they are not yet what is wanted.
  ///
  /// - Parameter isExcluded: Whether the store's files are to be left out of backups.
  /// - Returns: What the marks say then.
  public func set(excluded isExcluded: Bool) async -> BackupState {
    // Off the cooperative pool: a disk may take its time, and so may the program that marks files.
    await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(returning: Marks(self).set(isExcluded))
      }
    }
  }
}

/// What the marks on a store's files say to backup programs.
public struct BackupState: Hashable, Sendable {
  /// How much of the store the marks leave out.
  public enum Extent: String, Hashable, Sendable, CaseIterable {
    /// The files are in backups as any others.
    case included
    /// The folder and the files are marked.
    case folder
    /// The files alone are marked, since others keep files in their folder.
    case files
    /// The folder has the tag; its file system has no attribute for such marks.
    case tag
    /// Some files are marked and some are not.
    case partly
    /// The file system or the platform has no such mark.
    case unsupported
  }

  /// How much is left out.
  public var extent: Extent
  /// Why the marks are not what was asked for, as a sentence.
  public var trouble: String?

  /// Describes the marks.
  public init(_ extent: Extent, trouble: String? = nil) {
    self.extent = extent
    self.trouble = trouble
  }

  /// Whether the store's files are left out by programs that go by the marks that are there.
  public var isExcluded: Bool { [.folder, .files, .tag].contains(extent) }
}

extension ReadTransaction {
  /// Whether the store's files are to be left out of backups.
  ///
  /// They are while the person has sync switched off. A store that has never followed a transport
  /// is the only place of its records, which no one has chosen to keep off other disks, so it stays
  /// in backups; so does one whose peers were all forgotten.
  public func wantsBackupExclusion() throws -> Bool {
    guard try !syncSwitch().isWanted else { return false }
    return try !peers().isEmpty
  }
}
