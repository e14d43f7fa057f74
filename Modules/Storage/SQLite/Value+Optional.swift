package import StrandlineModels

extension Value {
  /// Text, or null for nil.
  package init(_ text: String?) {
    self = text.map(Value.text) ?? .null
  }

  /// An integer, or null for nil.
  package init(_ integer: Int64?) {
    self = integer.map(Value.integer) ?? .null
  }
}
