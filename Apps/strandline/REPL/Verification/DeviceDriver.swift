import Strandline

/// The way to a device that does what a verification asks.
@MainActor protocol DeviceDriver: AnyObject {
  /// The name of the device.
  var name: String { get }

  /// Gives a task, and waits for the answer.
  ///
  /// - Throws: `GateFailure` where the device could not do it or does not answer.
  func ask(_ task: DeviceTask) async throws -> DeviceAnswer

  /// Ends the device as a power cut would, as far as that is possible here.
  func kill() async

  /// Ends the device after it has closed its store.
  func end() async
}

extension DeviceDriver {
  /// Gives a task that has no answer beside its end.
  func run(_ task: DeviceTask) async throws {
    _ = try await checked(task)
  }

  /// Saves records, and gives their ids.
  func insert(_ texts: [String]) async throws -> [RecordID] {
    guard case .saved(let ids) = try await checked(.insert(texts)), ids.count == texts.count else {
      throw GateFailure.notSeen("Could not save on \(name), it named no ids.")
    }
    return ids
  }

  /// Saves one record, and gives its id.
  func insert(_ text: String) async throws -> RecordID {
    try await insert([text])[0]
  }

  /// Runs one cycle, which may fail.
  func cycle(_ task: DeviceTask = .sync) async throws -> CycleSight {
    guard case .cycle(let sight) = try await checked(task) else {
      throw GateFailure.notSeen("Could not sync on \(name), it told nothing of it.")
    }
    return sight
  }

  /// Runs one cycle, which must come to its end.
  @discardableResult
  func sync() async throws -> CycleSight {
    let sight = try await cycle()
    if let failure = sight.failure { throw failure }
    return sight
  }

  /// Tells what is observed.
  func look(_ id: RecordID? = nil) async throws -> DeviceSight {
    guard case .seen(let sight) = try await checked(.look(id)) else {
      throw GateFailure.notSeen("Could not look at \(name), it told nothing.")
    }
    return sight
  }

  /// Tells what is known of a record.
  func record(_ id: RecordID) async throws -> RecordSight {
    guard let record = try await look(id).record else {
      throw GateFailure.notSeen("Could not look at a record on \(name), it told nothing of it.")
    }
    return record
  }

  /// Tells the texts of all records.
  func contents() async throws -> [String: String] {
    guard case .contents(let texts) = try await checked(.contents) else {
      throw GateFailure.notSeen("Could not read the records on \(name), it told none.")
    }
    return texts
  }

  private func checked(_ task: DeviceTask) async throws -> DeviceAnswer {
    let answer = try await ask(task)
    if case .failed(let failure) = answer { throw failure }
    return answer
  }
}

/// A device in this process, for a peer that no other process can reach.
@MainActor final class LocalDriver: DeviceDriver {
  let name: String
  private let device: VerifiedDevice

  init(_ name: String, registry: Registry) {
    self.name = name
    device = VerifiedDevice(registry: registry)
  }

  func ask(_ task: DeviceTask) async throws -> DeviceAnswer {
    let device = device
    return try await Deadline.within(DeviceTask.seconds, "device \(name)") {
      await device.answer(task)
    }
  }

  func kill() async { await device.close() }

  func end() async { await device.close() }
}

extension DeviceTask {
  /// How long a device may take for a task.
  static let seconds = 60
}

/// The time within which a device has to answer.
enum Deadline {
  /// Does some work, or gives up when the time is over.
  ///
  /// - Throws: `timedOut`; what the work throws.
  static func within<T: Sendable>(
    _ seconds: Int, _ name: String, _ work: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try await withThrowingTaskGroup(of: T?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await ContinuousClock().sleep(for: .seconds(seconds))
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let answer = first else {
        throw GateFailure.silent(name, seconds: seconds)
      }
      return answer
    }
  }
}
