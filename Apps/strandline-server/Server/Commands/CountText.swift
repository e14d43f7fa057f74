extension Int {
  /// The number with the thing that is counted: `1 zone`, `2 zones`.
  func of(_ thing: String) -> String { "\(self) \(thing)\(self == 1 ? "" : "s")" }
}
