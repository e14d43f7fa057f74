import Foundation

/// Makes a call of the system fail, in a process that runs under `fiu-run`.
enum FailingCall {
  private typealias Enable =
    @convention(c) (UnsafePointer<CChar>, CInt, UnsafeMutableRawPointer?, CUnsignedInt) -> CInt
  /// `FIU_ONETIME` of `fiu-control.h`.
  private static let oneTime: CUnsignedInt = 1

  /// Makes the next call of a name fail, and no other.
  ///
  /// - Returns: Whether libfiu is there.
  static func enableOnce(_ name: String) -> Bool {
    // The library is loaded before the program and is nothing that this one is linked with.
    guard let symbol = dlsym(nil, "fiu_enable") else { return false }
    // The type is that of the function's declaration in fiu-control.h.
    let enable = unsafeBitCast(symbol, to: Enable.self)
    return name.withCString { enable($0, 1, nil, oneTime) } == 0
  }
}
