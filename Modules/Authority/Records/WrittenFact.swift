package import StrandlineModels

/// One writing of a property, told by its place and its time, without its value.
package struct WrittenFact: Hashable, Sendable {
  /// The record.
  package let key: RecordKey
  /// The property's permanent key.
  package let property: String
  /// The life that the writer saw.
  package let life: Stamp
  /// When it was written.
  package let stamp: Stamp

  /// Names the writing of a version.
  package init(key: RecordKey, property: String, version: Version) {
    self.key = key
    self.property = property
    life = version.life
    stamp = version.stamp
  }
}
