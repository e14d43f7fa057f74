public import StrandlineModels
public import StrandlineTransport

/// What a faulty transport does wrong, and how often.
///
/// Of what holds for a time, ``isDown`` comes first, then ``account``; chance decides about the
/// rest.
public struct FaultControls: Hashable, Sendable {
  /// Whether nothing gets through at all.
  public var isDown = false
  /// How probable each fault is in each call, from 0 to 1.
  public var rates: [Fault: Double] = [:]
  /// Faults that happen for certain, each to the next call that it can happen to.
  public var next: [Fault] = []
  /// How long a throttled caller is told to wait, a day at most.
  public var throttleSeconds: Int64 = 1
  /// How long a delayed request or answer takes.
  public var delayMilliseconds: ClosedRange<Int64> = 30...100
  /// Who seems to be signed in; nil lets the transport behind tell it.
  ///
  /// An available account is told by `account` and `open`, as if somebody else had signed in;
  /// with any other state all calls are refused.
  public var account: AccountState?
  /// Records that are refused whenever they are sent.
  public var refusedRecords: Set<RecordID> = []
  /// Entities, by permanent key, of which all records are refused.
  public var refusedEntities: Set<String> = []
  /// The greatest size of a record in bytes; nil sets none beside that of the transport behind.
  ///
  /// Larger records are refused under the code `tooLarge`.
  public var recordBytes: Int?

  /// Starts with nothing going wrong.
  public init() {}
}

/// What has gone wrong so far.
public struct FaultCounts: Hashable, Sendable {
  /// The number of calls that were made.
  public internal(set) var calls = 0
  /// The number of calls that met a link that was down.
  public internal(set) var down = 0
  /// The number of calls that met somebody else's account, or none.
  public internal(set) var wrongAccount = 0
  /// The number of records that were refused.
  public internal(set) var refusedRecords = 0
  /// How often each fault happened.
  public internal(set) var faults: [Fault: Int] = [:]
}

extension FaultControls {
  /// Why a record is refused; nil where it is not.
  func refusal(of delta: RecordDelta) -> Refusal? {
    // This wraps every transport of the prompt, mostly with no fault at all.
    guard recordBytes != nil || !refusedRecords.isEmpty || !refusedEntities.isEmpty else {
      return nil
    }
    let name = "record \(delta.key.id) of \(delta.key.entity)"
    if let recordBytes {
      let size = delta.versions.reduce(delta.key.id.bytes.count) {
        $0 + $1.key.utf8.count + $1.value.value.byteCount
      }
      if size > recordBytes {
        return Refusal(
          key: delta.key, code: "tooLarge",
          message: "Could not take \(name), it has \(size) bytes and \(recordBytes) are allowed.")
      }
    }
    guard
      refusedRecords.contains(delta.key.id) || refusedEntities.contains(delta.key.entity)
    else { return nil }
    return Refusal(
      key: delta.key, code: "injected", message: "Could not take \(name), a test refuses it.")
  }
}

extension Value {
  fileprivate var byteCount: Int {
    switch self {
    case .null: 1
    case .integer, .real: 8
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    }
  }
}
