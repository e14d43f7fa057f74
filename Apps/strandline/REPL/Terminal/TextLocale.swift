import Foundation

/// The encoding that libedit and the C library's width table work in.
///
/// A process starts in the locale "C", where libedit crashes on a prompt outside ASCII and drops
/// what is typed outside ASCII, and where every such character has no width. Only `LC_CTYPE` is
/// set, so that numbers keep their decimal point.
package enum TextLocale {
  /// Whether text outside ASCII can be shown; asking sets the locale, once.
  package static let isUTF8: Bool = {
    if setlocale(LC_CTYPE, "") != nil, encodingIsUTF8 { return true }
    // What Strandline writes is UTF-8 in any case, so that a wider locale beats an exact one.
    for name in ["C.UTF-8", "C.utf8", "en_US.UTF-8"] {
      if setlocale(LC_CTYPE, name) != nil, encodingIsUTF8 { return true }
    }
    return false
  }()

  private static var encodingIsUTF8: Bool {
    guard let name = nl_langinfo(nl_item(CODESET)) else { return false }
    return ["UTF-8", "utf8"].contains(String(cString: name))
  }
}
