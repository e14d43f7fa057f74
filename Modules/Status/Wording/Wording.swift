public import StrandlineModels
public import StrandlineStorage

/// The sentences that people read about sync.
///
/// None of them says that anything is synced or up to date: only what was seen is said. All of them
/// stand in one table by names that no language changes, ``Key``.
public struct Wording: Sendable {
  /// How much is said.
  public enum Style: Sendable, CaseIterable {
    /// A few words in plain language.
    case plain
    /// The shortest words.
    case short
  }

  /// How much is said.
  public var style: Style

  /// Chooses a style.
  public init(_ style: Style = .plain) {
    self.style = style
  }

  /// The text of a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - number: What `{n}` stands for, and what decides between singular and plural.
  ///   - values: What the other names in braces stand for.
  /// - Returns: The text.
  public func text(_ key: Key, _ number: Int? = nil, _ values: [String: String] = [:]) -> String {
    let sentence = key.sentence
    let template = style == .plain ? sentence.plain : sentence.short
    return Self.fill(template, number, values)
  }

  /// Fills the places in braces: `{n}`, `{one|many}`, and names.
  private static func fill(
    _ template: String, _ number: Int?, _ values: [String: String]
  ) -> String {
    var text = ""
    var rest = template[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      text += rest[..<open]
      let name = rest[rest.index(after: open)..<close]
      let forms = name.split(separator: "|", omittingEmptySubsequences: false)
      if forms.count == 2 {
        text += forms[number == 1 ? 0 : 1]
      } else if name == "n" {
        text += number.map(String.init) ?? ""
      } else {
        text += values[String(name)] ?? ""
      }
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }
}

// MARK: A snapshot

extension Wording {
  /// What the engine does, in words.
  public func phase(_ snapshot: StatusSnapshot) -> String {
    text(phaseKey(snapshot))
  }

  /// The key of what the engine does; work that is put off did not fail.
  public func phaseKey(_ snapshot: StatusSnapshot) -> Key {
    switch snapshot.phase {
    case .settingUp: .phaseSettingUp
    case .importing: .phaseImporting
    case .exporting: .phaseExporting
    case .failed: snapshot.deferral.map(Key.init) ?? .phaseFailed
    case .idle: snapshot.lastSuccessfulActivity == nil ? .phaseUnknown : .phaseIdle
    }
  }

  /// Where the store stands, as a sentence.
  ///
  /// - Parameters:
  ///   - snapshot: The status.
  ///   - time: Writes a moment, given in milliseconds since 1970.
  /// - Returns: The sentence.
  public func standing(_ snapshot: StatusSnapshot, time: (Int64) -> String) -> String {
    let asOf = snapshot.asOf.map(time) ?? "an unknown time"
    return switch snapshot.standing {
    case .off where snapshot.peer == "none": text(.standingOffWithoutTransport)
    case .off: text(.standingOff)
    case .settingUp: text(.standingSettingUp)
    case .working: working(snapshot)
    case .caughtUp:
      text(
        snapshot.isPublished ? .standingCaughtUpInFolder : .standingCaughtUp, nil, ["time": asOf])
    case .waiting:
      text(
        snapshot.until == nil ? .standingWaiting : .standingWaitingUntil, nil,
        [
          "time": snapshot.until.map(time) ?? "",
          "reason": snapshot.reason ?? "the last attempt did not succeed.",
        ])
    case .blocked:
      text(
        .standingBlocked, nil, ["reason": snapshot.reason ?? "something has to be done first."])
    }
  }

  /// The key of where the store stands.
  public static func key(_ standing: StatusSnapshot.Standing) -> Key {
    switch standing {
    case .off: .standingOff
    case .settingUp: .standingSettingUp
    case .working: .standingWorking
    case .caughtUp: .standingCaughtUp
    case .waiting: .standingWaiting
    case .blocked: .standingBlocked
    }
  }

  private func working(_ snapshot: StatusSnapshot) -> String {
    if snapshot.isCatchingUp { return text(.standingCatchingUp) }
    var parts: [String] = []
    if snapshot.pending > 0 {
      parts.append(
        text(snapshot.isPublished ? .pendingForFolder : .pendingForExport, snapshot.pending))
    }
    if snapshot.heldDeletes > 0 { parts.append(text(.heldDeletes, snapshot.heldDeletes)) }
    if !snapshot.waitingFor.isEmpty { parts.append(Self.waits(snapshot.waitingFor)) }
    return parts.isEmpty ? text(.standingWorking) : parts.joined(separator: " ")
  }

  /// What the person wants of sync and what holds of it now.
  public func syncSwitch(_ snapshot: StatusSnapshot) -> String {
    guard snapshot.isWanted else {
      return text(snapshot.isPurgePending ? .switchOffPurgePending : .switchOff)
    }
    if snapshot.isActive { return text(snapshot.isAutomatic ? .switchOn : .switchOnByHand) }
    return text(snapshot.standing == .off ? .switchOnWithoutTransport : .switchOnBlocked)
  }

  /// When an activity was last seen to succeed.
  ///
  /// - Parameters:
  ///   - snapshot: The status.
  ///   - now: The present time, in milliseconds since 1970.
  /// - Returns: The words.
  public func lastActivity(_ snapshot: StatusSnapshot, now: Int64) -> String {
    guard let time = snapshot.lastSuccessfulActivity else { return text(.lastActivityUnseen) }
    return text(.lastActivity, nil, ["time": RelativeTime.text(time, now: now, style)])
  }

  /// What another device told of a change: seen, or when it was last heard from.
  ///
  /// - Parameters:
  ///   - gate: What is known of the device.
  ///   - now: The present time, in milliseconds since 1970.
  /// - Returns: The words.
  public func receipt(_ gate: Trace.DeviceGate, now: Int64) -> String {
    if let at = gate.at {
      return text(
        .seenBy, nil, ["name": gate.device, "time": RelativeTime.text(at, now: now, style)])
    }
    let heard = gate.lastHeard.map { RelativeTime.text($0, now: now, style) }
    return text(
      heard == nil ? .neverHeard : .lastHeard, nil, ["name": gate.device, "time": heard ?? ""])
  }
}

// MARK: Counts and lists

extension Wording {
  /// That deletes from elsewhere are held, and what follows from it.
  public static func held(_ number: Int) -> String { Wording().text(.heldDeletes, number) }

  /// What a zone lacks, as one text; a long list is cut.
  public static func waits(_ sentences: [String]) -> String {
    let shown = sentences.prefix(3).joined(separator: " ")
    let more = sentences.count - 3
    return more > 0 ? shown + " " + Wording().text(.moreThings, more) : shown
  }

  /// What an acknowledgement proves: `exported`, or that it is in the folder.
  public static func exported(_ number: Int, isPublished: Bool) -> String {
    Wording().text(isPublished ? .putInFolder : .exported, number)
  }

  /// What a peer asks, as a sentence.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - time: Writes a moment, given in milliseconds since 1970.
  /// - Returns: The sentence.
  public static func question(_ question: PeerQuestion, time: (Int64) -> String) -> String {
    switch question {
    case .zonePurged(let device, let at):
      let moment = at.map { " at " + time($0) } ?? ""
      let name = device.map { "'\($0)'" } ?? "Somebody"
      return Wording().text(.questionPurged, nil, ["name": name, "moment": moment])
    case .zoneReplaced: return Wording().text(.questionReplaced)
    case .zoneNotFound: return Wording().text(.questionNotFound)
    case .accountChanged(let known, let found):
      return Wording().text(.questionAccount, nil, ["known": known, "found": found])
    }
  }

  /// A number with its noun in the singular or plural.
  public static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(plural ?? noun + "s")"
  }

  /// A sign for each standing, so that colour is never the only difference.
  public static func symbol(_ standing: StatusSnapshot.Standing) -> String {
    key(standing).sentence.symbol
  }
}

// MARK: Errors

extension Wording {
  /// What people read of an error, and what to do about it.
  public struct ErrorSentence: Hashable, Sendable {
    /// What could not be done.
    public let message: String
    /// What to do about it, or what happens by itself.
    public let recovery: String
  }

  /// What people read of an error; the error's own message where it is not in the table.
  ///
  /// Unlike the error's own message it names nothing that a person or a peer chose.
  public static func error(_ error: any ExplainedError) -> ErrorSentence {
    let domain = "\(type(of: error))"
    return Self.error(code: error.codeName, domain: domain)
      ?? ErrorSentence(message: error.message, recovery: error.advice)
  }

  /// Everything in the table of errors, by the name `TYPE.CODE`.
  package static var allErrors: [(name: String, sentence: ErrorSentence)] {
    errorSentences.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// What people read of an error that is known by its code.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - domain: The name of the error's type; without it, what the engine meets most is meant.
  /// - Returns: The sentences; nil for a code that is not in the table.
  public static func error(code: String, domain: String? = nil) -> ErrorSentence? {
    if let domain { return errorSentences["\(domain).\(code)"] }
    for domain in ["TransportError", "SyncError", "StorageError", "HistoryError", "Status"] {
      if let found = errorSentences["\(domain).\(code)"] { return found }
    }
    return nil
  }
}
