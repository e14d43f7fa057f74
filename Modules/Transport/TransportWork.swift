/// Work that a transport did by itself beside what it was asked for, so that nothing happens unseen.
public struct TransportWork: Hashable, Sendable {
  /// What was done.
  public enum Kind: String, Hashable, Sendable {
    /// Much was made into little: groups that said the same were gathered.
    case compaction
  }

  /// What was done.
  public let kind: Kind
  /// How many pieces it concerned.
  public let count: Int
  /// What there is to say; never the contents of records.
  public let detail: String

  /// Describes work.
  public init(_ kind: Kind, count: Int, detail: String) {
    self.kind = kind
    self.count = count
    self.detail = detail
  }
}

extension Transport {
  /// None, unless a transport does work of its own.
  public func takeWork() async -> [TransportWork] { [] }
}
