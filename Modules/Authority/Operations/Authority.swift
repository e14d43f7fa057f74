package import StrandlineModels
import StrandlineTransport

/// The one brain of a cloud: takes groups, merges and numbers them, and answers fetches.
///
/// It is a value without tasks, files or sockets. A cloud in memory and a server wrap the same
/// authority around different storages, so what holds for one holds for the other. Its operations
/// are those of the `Transport` protocol, each for one account and each one transaction.
///
/// What always holds:
/// 1. A number is given to a fact that is new to the zone and to nothing else.
/// 2. All facts of a group get their numbers in one transaction, at the group's end.
/// 3. A fetch shows every fact numbered after its cursor, whoever sent it.
/// 4. That a record died is remembered for good; at the fence only its place in the feed ends.
/// 5. A request that shows what the zone never said is not served.
package struct Authority<Storage: ZoneStorage>: Sendable {
  /// Where the zones are kept.
  package var storage: Storage
  /// What is taken, and for how long is waited.
  package let limits: AuthorityLimits
  private let clock: WallClock
  /// What people are told to do about what is refused.
  let advice: AuthorityAdvice
  private var random: any RandomNumberGenerator & Sendable

  /// Puts an authority before a storage.
  package init(
    storage: Storage, limits: AuthorityLimits = AuthorityLimits(),
    advice: AuthorityAdvice = AuthorityAdvice(), clock: WallClock,
    random: any RandomNumberGenerator & Sendable
  ) {
    self.advice = advice
    self.storage = storage
    self.limits = limits
    self.clock = clock
    self.random = random
  }

  /// Milliseconds since 1970 by the authority's clock.
  var now: Int64 { clock.milliseconds }

  /// Draws a random number.
  mutating func draw() -> UInt64 { random.next() }

  /// Runs an operation as one transaction of the storage.
  mutating func transact<Result>(
    _ durability: Durability, _ operation: (inout Self) throws(TransportError) -> Result
  ) throws(TransportError) -> Result {
    try storage.begin(durability)
    do {
      let result = try operation(&self)
      try storage.commit()
      return result
    } catch {
      storage.rollBack()
      throw error
    }
  }
}
