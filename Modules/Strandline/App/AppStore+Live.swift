public import Foundation
public import StrandlineModels
public import StrandlineStorage

extension AppStore {
  /// Shows the typed records for which a predicate holds.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - identifier: The name in logs.
  ///   - consumer: The name under which history notes what was processed.
  ///   - model: The type.
  ///   - predicate: What must hold; nil takes all.
  ///   - order: What decides the order.
  ///   - limit: The greatest number of records.
  /// - Throws: `invalidQuery` naming the part of the predicate that SQL cannot say.
  public convenience init<M: Model>(
    _ store: Store, identifier: String, consumer: String? = nil, showing model: M.Type,
    where predicate: Predicate<M>? = nil, orderBy order: [Ordering<M>] = [], limit: Int? = nil
  ) throws where Content == [M] {
    let query = try Query(model, where: predicate, orderBy: order, limit: limit)
    self.init(store, identifier: identifier, consumer: consumer, initial: []) {
      try $0.fetch(model, query)
    }
  }
}
