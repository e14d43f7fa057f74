public import StrandlineModels

/// Why the store could not do what it was asked, and what to do now.
public struct StorageError: ExplainedError {
  /// What happened.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The stable name.
    public let rawValue: String

    /// Names a code.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// No file is there, and none was to be made.
    public static let storeNotFound = Code(rawValue: "storeNotFound")
    /// No store is there, but another one stands in the folder.
    public static let anotherStoreBeside = Code(rawValue: "anotherStoreBeside")
    /// The file cannot be opened or read.
    public static let cannotOpen = Code(rawValue: "cannotOpen")
    /// The file is not a SQLite database.
    public static let notADatabase = Code(rawValue: "notADatabase")
    /// The database belongs to another application.
    public static let notAStore = Code(rawValue: "notAStore")
    /// A later version of Strandline wrote the store.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// An earlier version of Strandline wrote the store, which is open for reading only.
    public static let olderFormat = Code(rawValue: "olderFormat")
    /// The database is damaged.
    public static let damaged = Code(rawValue: "damaged")
    /// The store is open for reading only.
    public static let readOnly = Code(rawValue: "readOnly")
    /// Another process held the store for too long.
    public static let busy = Code(rawValue: "busy")
    /// The disk is full.
    public static let diskFull = Code(rawValue: "diskFull")
    /// Reading or writing the disk failed.
    public static let inputOutput = Code(rawValue: "inputOutput")
    /// A rule of the schema or of plain SQL was broken.
    public static let constraint = Code(rawValue: "constraint")
    /// The model needs a table or column of a name that something of the person's own has.
    public static let nameTaken = Code(rawValue: "nameTaken")
    /// A step that was to change data for a new model failed.
    public static let dataMigrationFailed = Code(rawValue: "dataMigrationFailed")
    /// A record with that id is there already.
    public static let duplicateRecord = Code(rawValue: "duplicateRecord")
    /// The schema has no such entity.
    public static let unknownEntity = Code(rawValue: "unknownEntity")
    /// The entity has no such property.
    public static let unknownProperty = Code(rawValue: "unknownProperty")
    /// The store has no such record.
    public static let unknownRecord = Code(rawValue: "unknownRecord")
    /// The value is of another type than the property.
    public static let wrongType = Code(rawValue: "wrongType")
    /// The SQL or the predicate cannot be run.
    public static let invalidQuery = Code(rawValue: "invalidQuery")
    /// The person answered what is no longer asked.
    public static let questionChanged = Code(rawValue: "questionChanged")
    /// Another process syncs this store.
    public static let leaseHeld = Code(rawValue: "leaseHeld")
  }

  /// What happened.
  public let code: Code
  /// One sentence: what could not be done, to what, and why.
  public let message: String
  /// What to do now.
  public let advice: String
  /// Facts for diagnostics.
  public let context: [String: String]
  /// The error underneath.
  public let cause: (any Error)?

  /// The stable name of the code.
  public var codeName: String { code.rawValue }

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, advice: String = "", context: [String: String] = [:],
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.advice = advice
    self.context = context
    self.cause = cause
  }
}

extension StorageError {
  package static func unknownEntity(_ name: String) -> StorageError {
    StorageError(
      .unknownEntity, "Could not use entity '\(name)', the model has none of that name.",
      advice: "Name an entity of the model.")
  }

  package static func unknownProperty(_ name: String, of entity: String) -> StorageError {
    StorageError(
      .unknownProperty, "Could not use '\(name)', \(entity) has no property of that name.",
      advice: "Name a property of \(entity).")
  }

  package static func unknownRecord(_ id: RecordID, of entity: String) -> StorageError {
    StorageError(
      .unknownRecord, "Could not find \(entity) \(id), the store has no such record.",
      advice: "List the records of \(entity) to see their ids.")
  }
}
