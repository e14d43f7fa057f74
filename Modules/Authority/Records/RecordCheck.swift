package import StrandlineModels
package import StrandlineTransport

/// Judges whether a zone takes a record, by itself.
package struct RecordCheck: Sendable {
  private let limits: AuthorityLimits

  /// Judges by the limits of an authority.
  package init(limits: AuthorityLimits) {
    self.limits = limits
  }

  /// About how many bytes a delta takes.
  package func byteCount(of delta: RecordDelta) -> Int {
    delta.versions.reduce(delta.key.entity.utf8.count + delta.key.id.bytes.count + 32) {
      $0 + $1.key.utf8.count + byteCount(of: $1.value.value) + 16
    }
  }

  /// About how many bytes a conflict takes.
  package func byteCount(of conflict: ConflictEntry) -> Int {
    conflict.key.entity.utf8.count + conflict.key.id.bytes.count + conflict.property.utf8.count
      + byteCount(of: conflict.loser.value) + 48
  }

  /// Why a record is not taken; nil where it is.
  package func refusal(of delta: RecordDelta, byteCount: Int) -> Refusal? {
    let limit = limits.transport.recordBytes
    if byteCount > limit {
      return refusal(
        of: delta, code: "tooLarge",
        because: "it has \(byteCount) bytes and the zone takes \(limit)")
    }
    if delta.versions.count > limits.recordProperties {
      return refusal(
        of: delta, code: "tooLarge",
        because: "it has \(delta.versions.count) properties and the zone takes "
          + "\(limits.recordProperties)")
    }
    if delta.key.id.bytes.count > limits.nameBytes || delta.key.id.bytes.isEmpty {
      return refusal(of: delta, code: "invalidID", because: "its id is empty or too long")
    }
    if !hasSoundStamps(delta) {
      return refusal(of: delta, code: "invalidStamp", because: "a stamp in it is not possible")
    }
    return nil
  }

  private func refusal(of delta: RecordDelta, code: String, because reason: String) -> Refusal {
    let name = delta.key.id.bytes.count > 64 ? "a record" : "record \(delta.key.id)"
    return Refusal(
      key: delta.key, code: code,
      message: "Could not take \(name) of \(delta.key.entity), \(reason).")
  }

  private func hasSoundStamps(_ delta: RecordDelta) -> Bool {
    (delta.birth.map { $0 > .unset } ?? true)
      && (delta.death.map { $0.life > .unset && $0.stamp > .unset } ?? true)
      && delta.versions.values.allSatisfy { $0.life > .unset && $0.stamp > .unset }
  }

  private func byteCount(of value: Value) -> Int {
    switch value {
    case .null: 1
    case .integer, .real: 8
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    }
  }
}
