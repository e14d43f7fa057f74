/// When output has colour.
package enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal that can show it, unless the environment says no.
  case auto
  /// Always.
  case always
  /// Never.
  case never
}

/// The few ways in which text is set off; the meaning is always in the words as well.
package struct Style: Equatable, Sendable {
  /// Whether anything is set off at all.
  package let isColored: Bool

  /// Text as it is.
  package static let plain = Style(isColored: false)

  /// Text with colours, or without.
  package init(isColored: Bool) {
    self.isColored = isColored
  }

  /// Decides by what was asked for, by the stream, and by `NO_COLOR` and `TERM`.
  package init(
    _ choice: ColorChoice, isTerminal: Bool, environment: [String: String]
  ) {
    switch choice {
    case .always: isColored = true
    case .never: isColored = false
    case .auto:
      let terminal = environment["TERM"] ?? ""
      let isUnwanted = !(environment["NO_COLOR"] ?? "").isEmpty
      isColored = isTerminal && !isUnwanted && !terminal.isEmpty && terminal != "dumb"
    }
  }

  /// Something that failed.
  package func error(_ text: String) -> String { wrap(text, "31") }
  /// Something that asks for attention.
  package func warning(_ text: String) -> String { wrap(text, "33") }
  /// Something that went well.
  package func success(_ text: String) -> String { wrap(text, "32") }
  /// A heading.
  package func heading(_ text: String) -> String { wrap(text, "1") }
  /// Something of less weight.
  package func faint(_ text: String) -> String { wrap(text, "2") }
  /// A name or an id.
  package func name(_ text: String) -> String { wrap(text, "36") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
