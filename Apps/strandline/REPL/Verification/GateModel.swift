import StrandlineModels

/// What of the app's own model the gates edit: one entity with a text, and something to switch.
struct GateModel: Hashable, Sendable {
  /// The entity's name.
  let entity: String
  /// The entity's permanent key.
  let key: String
  /// The name of a text attribute.
  let text: String
  /// The name of the attribute that is switched.
  let toggle: String
  /// Whether that is a text, too.
  private let isTextToggle: Bool

  /// Chooses an entity; nil where none is synced that has a text.
  init?(_ schema: Schema) {
    let candidates = schema.entities.filter {
      $0.configuration == .synced && !$0.isLink && $0.identity.isEmpty
        && $0.first(of: .text) != nil
    }
    let chosen = candidates.first { $0.first(of: .boolean) != nil } ?? candidates.first
    guard let chosen, let text = chosen.first(of: .text) else { return nil }
    entity = chosen.name
    key = chosen.key
    self.text = text
    let number = chosen.first(of: .boolean) ?? chosen.first(of: .integer)
    toggle = number ?? text
    isTextToggle = number == nil
  }

  /// The value that means on or off.
  func value(isOn: Bool) -> Value {
    isTextToggle ? .text(isOn ? "on" : "off") : .integer(isOn ? 1 : 0)
  }

  /// Whether a value means on.
  func isOn(_ value: Value) -> Bool { value == self.value(isOn: true) }
}

extension Entity {
  fileprivate func first(of type: AttributeType) -> String? {
    properties.first { $0.attributeType == type }?.name
  }
}
