/// A text that must not be seen, such as an access token: it prints as dots wherever it ends up.
public struct Secret: Hashable, Sendable {
  /// The text itself, for the one place that needs it.
  public let text: String

  /// Wraps a text.
  public init(_ text: String) {
    self.text = text
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Dots, whatever the text is.
  public var description: String { "•••" }

  /// Dots, whatever the text is.
  public var debugDescription: String { description }

  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
