package import StrandlineModels

/// One measured number, what it is compared with, and what it should reach.
package struct Figure: Sendable {
  /// How the number and its targets are read.
  package enum Better: Sendable {
    case greater, smaller
  }

  /// The name of the row that it belongs to, or one that begins with it.
  package let name: String
  /// What was measured, in words.
  package let title: String
  package let value: Double
  package let unit: String
  /// The same thing done by other means in the same run: how it is called and what it gave.
  package var yardstick: (name: String, value: Double)?
  /// What the ratio to the yardstick, or the value where there is none, has to reach.
  package var floor: Double?
  /// What it should reach.
  package var aim: Double?
  package var better = Better.greater

  package init(
    _ name: String, _ title: String, _ value: Double, _ unit: String,
    yardstick: (name: String, value: Double)? = nil, floor: Double? = nil, aim: Double? = nil,
    better: Better = .greater
  ) {
    self.name = name
    self.title = title
    self.value = value
    self.unit = unit
    self.yardstick = yardstick
    self.floor = floor
    self.aim = aim
    self.better = better
  }

  /// The value in yardsticks; nil where there is none.
  package var ratio: Double? { yardstick.map { value / $0.value } }

  /// Whether it reaches what it has to; nil where nothing is asked.
  package var isMet: Bool? { floor.map(reaches) }

  /// Whether it reaches what it should; nil where nothing is asked.
  package var isAimed: Bool? { aim.map(reaches) }

  private func reaches(_ target: Double) -> Bool {
    let judged = ratio ?? value
    return better == .greater ? judged >= target : judged <= target
  }

  /// The line of `--json`.
  package var json: JSONValue {
    func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
    func truth(_ value: Bool?) -> JSONValue { value.map { .bool($0) } ?? .null }
    return .object([
      "name": .string(name), "title": .string(title), "value": .number(value),
      "unit": .string(unit), "yardstick": number(yardstick?.value),
      "yardstickName": yardstick.map { .string($0.name) } ?? .null, "ratio": number(ratio),
      "floor": number(floor), "aim": number(aim), "met": truth(isMet), "aimed": truth(isAimed),
    ])
  }
}
