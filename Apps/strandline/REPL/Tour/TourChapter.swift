/// A part of the tour about one idea.
package struct TourChapter: Sendable {
  package let title: String
  package let steps: [TourStep]
}

/// One thing that the tour explains and then does.
package struct TourStep: Sendable {
  /// What is said before.
  package let text: String
  /// What is typed.
  package let command: String
  /// What the answer must show for the text to be true.
  package let shows: [String]

  init(_ text: String, type command: String, shows: String...) {
    self.text = text
    self.command = command
    self.shows = shows
  }
}
