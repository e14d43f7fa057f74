import Foundation
import StrandlineTransport

extension Files {
  /// The size of a file in bytes; 0 where there is none.
  func size(_ path: String) throws(TransportError) -> Int {
    var status = stat()
    guard ask(.look, path, { lstat(path, &status) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return 0 }
      throw refusal(errno, "look at", path)
    }
    return Int(status.st_size)
  }
}
