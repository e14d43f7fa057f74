/// How often each thing happened in one or several runs, by name.
public struct FleetCounts: Hashable, Sendable {
  /// The numbers by name.
  public private(set) var numbers: [String: Int] = [:]

  /// Starts with nothing.
  public init() {}

  /// How often something of that name happened.
  public subscript(name: String) -> Int { numbers[name] ?? 0 }

  /// Adds what happened elsewhere.
  public mutating func add(_ other: FleetCounts) {
    numbers.merge(other.numbers, uniquingKeysWith: +)
  }

  mutating func count(_ name: String, _ times: Int = 1) {
    if times > 0 { numbers[name, default: 0] += times }
  }
}

extension FleetCounts: CustomStringConvertible {
  /// One line a name, in the order of the names.
  public var description: String {
    numbers.sorted { $0.key < $1.key }.map { "\($0.value)\t\($0.key)" }.joined(separator: "\n")
  }
}
