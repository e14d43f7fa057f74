public import StrandlineModels

/// What decides the order of typed records.
///
/// Texts are compared by their bytes; records without a value come first.
public struct Ordering<M: Model>: Sendable {
  private let property: any PartialKeyPath<M> & Sendable
  private let isDescending: Bool

  private init(_ property: any PartialKeyPath<M> & Sendable, isDescending: Bool) {
    self.property = property
    self.isDescending = isDescending
  }

  /// Least first.
  public static func ascending<Value>(_ property: any KeyPath<M, Value> & Sendable) -> Ordering {
    Ordering(property, isDescending: false)
  }

  /// Greatest first.
  public static func descending<Value>(_ property: any KeyPath<M, Value> & Sendable) -> Ordering {
    Ordering(property, isDescending: true)
  }

  func sql() throws(StorageError) -> String {
    try PropertyName.of(property).quoted + (isDescending ? " DESC" : "")
  }
}

/// The name of the property that a key path leads to.
enum PropertyName {
  static func of(_ keyPath: AnyKeyPath) throws(StorageError) -> String {
    // A key path prints as its type and its components: \TodoItem.name
    let parts = "\(keyPath)".split(separator: ".").dropFirst().map(String.init)
    guard parts.count == 1, let name = parts.first, name.wholeMatch(of: /\w+/) != nil else {
      throw StorageError(
        .invalidQuery,
        "Could not use the key path \(keyPath), it leads to no property of a record.",
        advice: "Name a stored property of the model, such as \\TodoItem.name.")
    }
    return name
  }
}
