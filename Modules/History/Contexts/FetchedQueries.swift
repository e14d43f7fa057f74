import StrandlineStorage

/// What a context fetched, so that a merge knows which new records belong to it.
struct FetchedQueries: Sendable {
  /// With more conditions than this on one entity, every record of it counts; of queries with a
  /// limit, the latest count.
  private static let limit = 16
  private var whole: [String: Set<Query>] = [:]
  private var limited: [String: [Query]] = [:]

  mutating func insert(_ query: Query) {
    guard query.limit == nil else {
      var queries = limited[query.entity, default: []].filter { $0 != query }
      queries.append(query)
      limited[query.entity] = queries.suffix(Self.limit)
      return
    }
    let condition = Query(query.entity, where: query.condition, arguments: query.arguments)
    let all = Query(query.entity)
    if whole[query.entity] == [all] { return }
    whole[query.entity, default: []].insert(condition)
    if condition == all || whole[query.entity, default: []].count > Self.limit {
      whole[query.entity] = [all]
    }
  }

  /// The queries without a limit, in no order.
  func whole(of entity: String) -> Set<Query> { whole[entity] ?? [] }

  /// The queries with a limit.
  func limited(of entity: String) -> [Query] { limited[entity] ?? [] }

  var all: [Query] { whole.values.flatMap(\.self) + limited.values.flatMap(\.self) }

  mutating func removeAll() {
    self = FetchedQueries()
  }
}
