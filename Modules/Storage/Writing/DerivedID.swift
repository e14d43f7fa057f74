package import StrandlineModels

extension EntityLayout {
  /// The id that a record's values make: of a link, and of an identity-keyed record.
  ///
  /// It is nil for every other record, which gets a new id.
  package func derivedID(from values: [String: Value]) -> RecordID? {
    if entity.isLink {
      let ends = [Entity.linkColumns.source, Entity.linkColumns.target].map { name in
        RecordID(values[name] ?? .null) ?? RecordID(bytes: [])
      }
      return .link(ends[0], ends[1])
    }
    guard isIdentityKeyed else { return nil }
    return RecordID(
      text: entity.identityText { name in
        values[name] ?? column(named: name)?.property.defaultValue ?? .null
      })
  }

  /// The properties that the id is made from, which cannot be edited.
  package var fixedProperties: [String] {
    entity.isLink
      ? [Entity.linkColumns.source, Entity.linkColumns.target] : entity.identity
  }
}
