/// One thing in a model that cannot sync, and its cure.
public struct SchemaFault: Hashable, Sendable, CustomStringConvertible {
  /// Where it stands, such as `TodoItem.name`.
  public let place: String
  /// What is wrong, as a clause after the place.
  public let fault: String
  /// What to write instead, as a sentence.
  public let cure: String

  /// Describes a fault.
  public init(_ place: String, _ fault: String, cure: String) {
    self.place = place
    self.fault = fault
    self.cure = cure
  }

  /// The fault and its cure.
  public var description: String { "\(place) \(fault). \(cure)" }
}

/// That a model cannot be used, with every fault that was found.
public struct SchemaError: ExplainedError {
  /// What is wrong.
  public let faults: [SchemaFault]

  /// The stable name.
  public var codeName: String { "invalidModel" }
  /// All faults with their cures.
  public var message: String {
    "Could not use the model, \(faults.count == 1 ? "a fault was" : "\(faults.count) faults were")"
      + " found: " + faults.map(\.description).joined(separator: " ")
  }
  /// What to do.
  public var advice: String { "Correct the model and try again." }

  /// Lists faults.
  public init(faults: [SchemaFault]) {
    self.faults = faults
  }
}
