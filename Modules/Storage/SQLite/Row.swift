package import StrandlineModels

/// The present row of a running statement; it is valid until the next step.
package struct Row {
  let statement: Statement

  package var count: Int { statement.columnCount }

  package func name(_ column: Int) -> String { statement.columnName(column) }
  package func isNull(_ column: Int) -> Bool { statement.isNull(column) }
  package func value(_ column: Int) -> Value { statement.value(column) }
  package func integer(_ column: Int) -> Int64 { statement.integer(column) }
  package func stamp(_ column: Int) -> Stamp { Stamp(rawValue: statement.integer(column)) }
  package func text(_ column: Int) -> String { statement.value(column).text ?? "" }
  package func optionalText(_ column: Int) -> String? { statement.value(column).text }
  package func optionalInteger(_ column: Int) -> Int64? { statement.value(column).integer }
  package func blob(_ column: Int) -> [UInt8] { statement.value(column).blob ?? [] }

  package var values: [Value] { (0..<count).map(value) }
}
