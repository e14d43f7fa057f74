extension ModelDraft {
  /// Permanent keys that two things would share, or that are no names.
  func keyFaults() -> [SchemaFault] {
    var faults = Self.faults(
      ofKeys: entities.map { ($0.key, $0.renamedFrom, $0.name) }, what: "entity")
    for entity in entities {
      faults += Self.faults(
        ofKeys: entity.members.map { ($0.key, $0.renamedFrom, "\(entity.name).\($0.name)") },
        what: "property")
    }
    return faults
  }

  private static func faults(
    ofKeys keys: [(key: String, renamedFrom: String?, place: String)], what: String
  ) -> [SchemaFault] {
    var faults: [SchemaFault] = []
    var places: [String: String] = [:]
    for (key, renamedFrom, place) in keys {
      if let renamedFrom, faultOfName(renamedFrom, at: place) != nil {
        faults.append(
          SchemaFault(
            place, "is renamed from '\(renamedFrom)', which is no name",
            cure: "Write the first name that the \(what) had."))
      }
      guard let other = places.updateValue(place, forKey: key.lowercased()) else { continue }
      // Two that merely have one name are found by their names.
      if other.lowercased() != place.lowercased() {
        faults.append(
          SchemaFault(
            place, "has the first name \(key), and so has \(other)",
            cure: "Records travel under first names; give a new \(what) a new name."))
      }
    }
    return faults
  }
}

extension ModelDraft {
  /// Link entities whose name or key is taken, and inverses that are not spelled out and clash.
  func linkFaults() -> [SchemaFault] {
    var faults: [SchemaFault] = []
    var names = Set(entities.map { $0.name.lowercased() })
    var keys = Set(entities.map { $0.key.lowercased() })
    var inverses: Set<String> = []
    for entity in entities {
      for relationship in entity.relationships {
        let place = "\(entity.name).\(relationship.name)"
        if let link = link(of: relationship, in: entity), link.isSource {
          let isNew = names.insert(link.name.lowercased()).inserted
          if !keys.insert(link.key.lowercased()).inserted || !isNew {
            faults.append(
              SchemaFault(
                place, "makes the link entity \(link.name), whose name is taken",
                cure: "Rename the relationship or the other entity."))
          }
        }
        faults += self.faults(ofImpliedInverse: relationship, at: place, known: &inverses)
      }
    }
    return faults
  }

  private func faults(
    ofImpliedInverse relationship: Relationship, at place: String, known: inout Set<String>
  ) -> [SchemaFault] {
    guard !relationship.isToMany, let inverse = relationship.inverse,
      let destination = self[relationship.destination],
      !destination.members.contains(where: { $0.name == inverse })
    else { return [] }
    let name = "\(destination.name).\(inverse)"
    if let fault = Self.faultOfName(inverse, at: name) { return [fault] }
    if known.insert(name.lowercased()).inserted { return [] }
    return [
      SchemaFault(
        place, "names the inverse \(name), which another relationship names too",
        cure: "Give each relationship an inverse of its own.")
    ]
  }
}
