/// Whether a transaction may be lost with the power after it was answered.
package enum Durability: Hashable, Sendable {
  /// It is on the disk before anybody hears of it.
  case durable
  /// Its loss harms nobody: who was heard, and what they hold, is said again.
  case relaxed
}
