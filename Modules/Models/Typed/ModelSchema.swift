extension Schema {
  /// Makes a schema from Swift types and checks it.
  ///
  /// - Throws: `SchemaError` with every fault; an error of a type's own `encode(to:)`.
  public init(version: Int = 1, _ models: [any Model.Type]) throws {
    let entities = try models.map { try ModelDraft.Entity(of: $0) }
    self = try ModelDraft(version: version, entities: entities).schema()
  }
}

extension ModelDraft.Entity {
  fileprivate init<M: Model>(of model: M.Type) throws {
    let layout = model.layout
    self.init(name: model.entityName, renamedFrom: layout.renamedFrom)
    let again = try ModelEncoder.fields(of: M())
    for (field, other) in zip(try ModelEncoder.fields(of: M()), again) where field.name != "id" {
      var field = field
      // A default such as `Date()` or `UUID()` is another one each time, and none for a schema.
      if field.value != other.value, let zero = field.type?.zero { field.value = zero }
      members.append(Self.member(for: field, layout: layout, of: model.entityName))
    }
    for relationship in layout.relationships where relationship.isToMany {
      members.append(
        .relationship(
          ModelDraft.Relationship(
            name: relationship.name, renamedFrom: layout.renamedProperties[relationship.name],
            destination: relationship.destination ?? "", inverse: relationship.inverse,
            isToMany: true)))
    }
    indexes = layout.indexes
    identity = layout.identity
    preserved = layout.preserved
    configuration = layout.configuration.rawValue
  }

  private static func member(
    for field: ModelEncoder.Field, layout: ModelLayout, of entity: String
  ) -> ModelDraft.Member {
    let renamedFrom = layout.renamedProperties[field.name]
    guard case .reference(let destination) = field.kind else {
      return .attribute(
        ModelDraft.Attribute(
          name: field.name, renamedFrom: renamedFrom, type: field.type ?? .composite,
          isOptional: field.isOptional, defaultValue: field.isOptional ? nil : field.value))
    }
    let rule = layout.relationships.first { $0.name == field.name && !$0.isToMany }
    return .relationship(
      ModelDraft.Relationship(
        name: field.name, renamedFrom: renamedFrom, destination: destination,
        inverse: rule?.inverse, isToMany: false, isOptional: field.isOptional,
        onDelete: rule?.onDelete.rawValue))
  }
}
