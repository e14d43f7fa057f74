import Foundation
import StrandlineModels

/// A Foundation predicate as an SQL condition.
struct PredicateTranslation {
  let sql: String
  let arguments: [Value]

  init<Root>(_ predicate: Predicate<Root>) throws {
    var builder = PredicateSQLBuilder()
    sql = try builder.translate(predicate.expression)
    arguments = builder.arguments
  }
}

struct PredicateSQLBuilder {
  fileprivate(set) var arguments: [Value] = []
  /// What stands for the variables of `?.`, which are values of the record's properties.
  fileprivate var unwrapped: [PredicateExpressions.VariableID: String] = [:]

  mutating func translate(_ expression: some Any) throws -> String {
    guard let expressible = expression as? any SQLExpressible else {
      throw Self.unsupported("\(type(of: expression))")
    }
    return try expressible.sql(&self)
  }

  mutating func bind(_ value: Value) -> String {
    arguments.append(value)
    return "?"
  }

  static func unsupported(_ what: String) -> StorageError {
    StorageError(
      .invalidQuery, "Could not translate a predicate to SQL, it uses \(what).",
      advice: "Use comparisons, &&, ||, !, ??, contains and starts(with:) on properties, or give "
        + "an SQL condition instead.")
  }
}

/// A part of a predicate that SQL can say.
protocol SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String
}

extension PredicateExpressions.Variable: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    guard let value = builder.unwrapped[key] else {
      throw PredicateSQLBuilder.unsupported("the record itself")
    }
    return value
  }
}

extension PredicateExpressions.KeyPath: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    // A key path prints as its type and its components: \TodoItem.name
    let parts = "\(keyPath)".split(separator: ".").dropFirst().map(String.init)
    if let variable = root as? any PredicateVariable, !variable.isUnwrapped(in: builder) {
      guard parts.count == 1, let name = parts.first, name.wholeMatch(of: /\w+/) != nil else {
        throw PredicateSQLBuilder.unsupported("the key path \(keyPath)")
      }
      return name.quoted
    }
    let base = try builder.translate(root)
    switch parts.last {
    case "isEmpty": return "(\(base) = '')"
    case "count": return "length(\(base))"
    case "id": return base
    default: throw PredicateSQLBuilder.unsupported("the key path \(keyPath)")
    }
  }
}

/// Marks the variable of a predicate, whatever its type.
private protocol PredicateVariable {
  /// Whether it stands for a property's value behind `?.` and not for the record.
  func isUnwrapped(in builder: PredicateSQLBuilder) -> Bool
}

extension PredicateExpressions.Variable: PredicateVariable {
  func isUnwrapped(in builder: PredicateSQLBuilder) -> Bool { builder.unwrapped[key] != nil }
}

extension PredicateExpressions.OptionalFlatMap: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    guard wrapped is any PredicateProperty else {
      throw PredicateSQLBuilder.unsupported("?. on something that is not a property")
    }
    // SQL's operators give null for null, as `?.` does.
    builder.unwrapped[variable.key] = try builder.translate(wrapped)
    return try builder.translate(transform)
  }
}

extension PredicateExpressions.Value: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    guard let stored = try Value(predicateValue: value) else {
      throw PredicateSQLBuilder.unsupported("a value of type \(Output.self)")
    }
    return builder.bind(stored)
  }
}

extension PredicateExpressions.NilLiteral: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) -> String { "NULL" }
}

extension PredicateExpressions.Equal: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    "(\(try builder.translate(lhs)) IS \(try builder.translate(rhs)))"
  }
}

extension PredicateExpressions.NotEqual: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    "(\(try builder.translate(lhs)) IS NOT \(try builder.translate(rhs)))"
  }
}

extension PredicateExpressions.Comparison: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    let sign =
      switch op {
      case .lessThan: "<"
      case .lessThanOrEqual: "<="
      case .greaterThan: ">"
      case .greaterThanOrEqual: ">="
      @unknown default: throw PredicateSQLBuilder.unsupported("an unknown comparison")
      }
    return "(\(try builder.translate(lhs)) \(sign) \(try builder.translate(rhs)))"
  }
}

extension PredicateExpressions.Conjunction: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    "(\(try builder.translate(lhs)) AND \(try builder.translate(rhs)))"
  }
}

extension PredicateExpressions.Disjunction: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    "(\(try builder.translate(lhs)) OR \(try builder.translate(rhs)))"
  }
}

extension PredicateExpressions.Negation: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    "(NOT \(try builder.translate(wrapped)))"
  }
}

extension PredicateExpressions.NilCoalesce: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    "coalesce(\(try builder.translate(lhs)), \(try builder.translate(rhs)))"
  }
}

extension PredicateExpressions.ForcedUnwrap: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    try builder.translate(inner)
  }
}

extension PredicateExpressions.UnaryMinus: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    "(- \(try builder.translate(wrapped)))"
  }
}

extension PredicateExpressions.Arithmetic: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    let sign =
      switch op {
      case .add: "+"
      case .subtract: "-"
      case .multiply: "*"
      @unknown default: throw PredicateSQLBuilder.unsupported("an unknown operator")
      }
    return "(\(try builder.translate(lhs)) \(sign) \(try builder.translate(rhs)))"
  }
}

extension PredicateExpressions.SequenceStartsWith: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    // Translated in the order of the text, since arguments are bound by position.
    let text = try builder.translate(base)
    let start = try builder.translate(prefix)
    return "(substr(\(text), 1, length(\(start))) = \(try builder.translate(prefix)))"
  }
}

extension PredicateExpressions.CollectionContainsCollection: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    "(instr(\(try builder.translate(base)), \(try builder.translate(other))) > 0)"
  }
}

extension PredicateExpressions.ClosedRange: SQLRange {
  func bounds(
    of item: String, _ builder: inout PredicateSQLBuilder
  ) throws -> (low: String, high: String) {
    (
      "\(item) >= \(try builder.translate(lower))", "\(item) <= \(try builder.translate(upper))"
    )
  }
}

extension PredicateExpressions.Range: SQLRange {
  func bounds(
    of item: String, _ builder: inout PredicateSQLBuilder
  ) throws -> (low: String, high: String) {
    (
      "\(item) >= \(try builder.translate(lower))", "\(item) < \(try builder.translate(upper))"
    )
  }
}

/// A range in a predicate.
private protocol SQLRange {
  /// That something lies above its lower bound and below its upper one.
  func bounds(
    of item: String, _ builder: inout PredicateSQLBuilder
  ) throws -> (low: String, high: String)
}

extension PredicateExpressions.RangeExpressionContains: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    // The item is written twice, which only a property allows: it binds no arguments.
    guard let range = range as? any SQLRange, element is any PredicateProperty else {
      throw PredicateSQLBuilder.unsupported("contains on a range that is not of two bounds")
    }
    let (low, high) = try range.bounds(of: try builder.translate(element), &builder)
    return "(\(low) AND \(high))"
  }
}

/// Marks a property of the record, whatever its type.
private protocol PredicateProperty {}
extension PredicateExpressions.KeyPath: PredicateProperty {}

extension PredicateExpressions.SequenceContains: SQLExpressible {
  func sql(_ builder: inout PredicateSQLBuilder) throws -> String {
    let item = try builder.translate(element)
    guard let constant = sequence as? any PredicateConstant else {
      throw PredicateSQLBuilder.unsupported("contains on something that is not a constant list")
    }
    let values = try constant.storedElements()
    return "(\(item) IN (" + values.map { builder.bind($0) }.joined(separator: ", ") + "))"
  }
}

/// A constant in a predicate that may be a list.
private protocol PredicateConstant {
  func storedElements() throws -> [Value]
}

extension PredicateExpressions.Value: PredicateConstant {
  func storedElements() throws -> [Value] {
    guard let list = value as? any Sequence else {
      throw PredicateSQLBuilder.unsupported("a value of type \(Output.self) as a list")
    }
    return try Self.stored(list)
  }

  private static func stored(_ list: some Sequence) throws -> [Value] {
    try list.map { element in
      guard let stored = try Value(predicateValue: element) else {
        throw PredicateSQLBuilder.unsupported("a list of \(type(of: element))")
      }
      return stored
    }
  }
}
