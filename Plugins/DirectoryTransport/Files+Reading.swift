import Foundation
import StrandlineTransport

extension Files {
  /// What reading a file gave.
  enum Reading: Sendable {
    case bytes([UInt8])
    case missing
    case notRegular
    case tooLarge
    /// Its content is elsewhere and has to be downloaded by whoever keeps it there.
    case notDownloaded
    case failed(TransportError)
  }

  /// Reads a regular file of at most so many bytes, and waits only so long for it.
  func read(_ path: String, limit: Int) -> Reading {
    read(path, limit: limit, isStart: false)
  }

  /// Reads the first bytes of a regular file, of a short one all, and waits only so long for them.
  func readStart(_ path: String, count: Int) -> Reading {
    read(path, limit: count, isStart: true)
  }

  private func read(_ path: String, limit: Int, isStart: Bool) -> Reading {
    reader.read(path, patience: conditions.patience(path)) {
      let reading = readNow(path, limit: limit, isStart: isStart)
      // A stale handle is one of a file that was replaced; its name leads to the new one.
      guard case .refused(ESTALE) = reading else { return explain(reading, path) }
      return explain(readNow(path, limit: limit, isStart: isStart), path)
    }
  }

  /// Tells one state of a file from another; a hint that saves reading it again, never a proof.
  struct Mark: Hashable, Sendable {
    let node: UInt64
    let size: Int64
    let changedSeconds: Int
    let changedNanoseconds: Int
  }

  /// The state of a file; nil where there is none.
  func mark(_ path: String) -> Mark? {
    var status = stat()
    guard ask(.look, path, { lstat(path, &status) }) == 0 else { return nil }
    return Mark(
      node: UInt64(status.st_ino), size: Int64(status.st_size),
      changedSeconds: status.st_ctim.tv_sec, changedNanoseconds: status.st_ctim.tv_nsec)
  }

  private enum Attempt {
    case reading(Reading)
    case refused(Int32)
  }

  private func explain(_ attempt: Attempt, _ path: String) -> Reading {
    switch attempt {
    case .reading(let reading): return reading
    case .refused(let number):
      switch number {
      case ENOENT, ENOTDIR, ESTALE: return .missing
      case ELOOP, ENXIO: return .notRegular
      // What a file system says that may not fetch the content now.
      case EDEADLK, ETIMEDOUT: return .notDownloaded
      default: return .failed(refusal(number, "read", path))
      }
    }
  }

  private func readNow(_ path: String, limit: Int, isStart: Bool) -> Attempt {
    let (holder, name): (Int32, String)
    do throws(Refused) {
      (holder, name) = try openHolder(of: path, for: .look)
    } catch {
      return error.link == nil ? .refused(error.number) : .reading(.notRegular)
    }
    // Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
    let descriptor = ask(.open, path) {
      openat(holder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }
    let number = errno
    close(holder)
    guard descriptor >= 0 else { return .refused(number) }
    defer { close(descriptor) }
    var status = stat()
    guard ask(.look, path, { fstat(descriptor, &status) }) == 0 else { return .refused(errno) }
    guard Self.kind(of: status) == .file else { return .reading(.notRegular) }
    guard isStart || status.st_size <= limit else { return .reading(.tooLarge) }
    return read(descriptor, status, path, atMost: limit)
  }

  private func read(
    _ descriptor: Int32, _ status: stat, _ path: String, atMost limit: Int
  ) -> Attempt {
    let size = min(limit, Int(status.st_size))
    var number: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      let start = UnsafeMutableRawPointer(buffer.baseAddress)
      while count < size {
        number = conditions.failure(.read, path) ?? 0
        guard number == 0 else { return }
        let got = Foundation.read(descriptor, start?.advanced(by: count), size - count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { number = errno }
        if got <= 0 { return }
        count += got
      }
    }
    guard number == 0 else { return .refused(number) }
    // A placeholder has a size and no blocks. So has a small file on some file systems, and every
    // file on those that do not count blocks; therefore the content decides, whatever the size.
    if status.st_blocks == 0, size > 0, bytes.allSatisfy({ $0 == 0 }) {
      return .reading(.notDownloaded)
    }
    return .reading(.bytes(bytes))
  }
}
