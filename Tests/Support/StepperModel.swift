package import StrandlineModels

/// The model of the devices that step by step edit and sync as processes of their own.
package enum StepperModel {
  /// The model, or its later version, in which items have a place.
  package static func schema(isLater: Bool = false) throws -> Schema {
    let place = isLater ? #", "place": {"type": "text", "default": ""}"# : ""
    return try Schema(
      parsing: """
        {"version": \(isLater ? 2 : 1), "entities": {
          "Item": {"attributes": {
            "name": {"type": "text", "default": ""}, "note": {"type": "text", "optional": true}
            \(place)}},
          "Setting": {"attributes": {
            "key": {"type": "text", "default": ""}, "value": {"type": "text", "default": ""}},
            "identity": ["key"]}}}
        """)
  }
}
