public import StrandlineStorage

/// The sentences that people read about sync.
///
/// None of them says that anything is synced or up to date: only what was seen is said.
public struct Wording: Sendable {
  /// How much is said.
  public enum Style: Sendable {
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

  /// What the engine does, in words.
  public func phase(_ snapshot: StatusSnapshot) -> String {
    switch (snapshot.phase, style) {
    case (.settingUp, .plain): "Preparing"
    case (.settingUp, .short): "Setting up sync"
    case (.importing, .plain): "Checking for updates"
    case (.importing, .short): "Downloading"
    case (.exporting, .plain): "Saving changes"
    case (.exporting, .short): "Uploading"
    case (.failed, .plain): "The last attempt did not succeed"
    case (.failed, .short): "Sync failed"
    case (.idle, .plain): "Waiting for sync activity"
    case (.idle, .short): snapshot.lastSuccessfulActivity == nil ? "Syncing" : "Sync completed"
    }
  }

  /// Where the store stands, as a sentence.
  ///
  /// - Parameters:
  ///   - snapshot: The status.
  ///   - time: Writes a moment, given in milliseconds since 1970.
  /// - Returns: The sentence.
  public func standing(_ snapshot: StatusSnapshot, time: (Int64) -> String) -> String {
    switch snapshot.standing {
    case .off where snapshot.peer == "none":
      "Sync is off: no transport is configured."
    case .off: "Sync is switched off. Everything is saved on this device."
    case .settingUp: "Checking: no setup or import was seen to succeed yet."
    case .working: working(snapshot)
    case .caughtUp:
      "Caught up as of " + (snapshot.asOf.map(time) ?? "an unknown time")
        + (snapshot.isPublished
          ? ": everything of this device was in the folder, and everything that was there is here."
          : ": nothing was pending, and everything that was there is here.")
    case .waiting:
      "Waiting" + (snapshot.until.map { " until " + time($0) } ?? "") + ": "
        + (snapshot.reason ?? "the last attempt did not succeed.")
    case .blocked: "Blocked: " + (snapshot.reason ?? "something has to be done first.")
    }
  }

  private func working(_ snapshot: StatusSnapshot) -> String {
    if snapshot.isCatchingUp {
      return "Catching up: related records may be missing until that ends."
    }
    var parts: [String] = []
    if snapshot.pending > 0 {
      parts.append(
        "\(Self.count(snapshot.pending, "change")) \(snapshot.pending == 1 ? "waits" : "wait") "
          + (snapshot.isPublished ? "to be put in the folder." : "to be exported."))
    }
    if snapshot.heldDeletes > 0 { parts.append(Self.held(snapshot.heldDeletes)) }
    if !snapshot.waitingFor.isEmpty { parts.append(Self.waits(snapshot.waitingFor)) }
    return parts.isEmpty ? "Working." : parts.joined(separator: " ")
  }

  /// That deletes from elsewhere are held, and what follows from it.
  public static func held(_ number: Int) -> String {
    "\(count(number, "delete")) from elsewhere \(number == 1 ? "waits" : "wait") for your word; "
      + "the \(number == 1 ? "record is" : "records are") still here."
  }

  /// What a zone lacks, as one text; a long list is cut.
  public static func waits(_ sentences: [String]) -> String {
    let shown = sentences.prefix(3).joined(separator: " ")
    let more = sentences.count - 3
    return more > 0 ? "\(shown) And \(count(more, "thing")) more." : shown
  }

  /// What an acknowledgement proves: `exported`, or that it is in the folder.
  public static func exported(_ number: Int, isPublished: Bool) -> String {
    isPublished
      ? "\(count(number, "change")) put in the folder." : "Exported \(count(number, "change"))."
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
      return "\(device.map { "'\($0)'" } ?? "Somebody") had everything there removed\(moment)."
    case .zoneReplaced: return "Another zone stands where the known one was."
    case .zoneNotFound: return "The known zone is not there."
    case .accountChanged(let known, let found):
      return "The account '\(found)' is signed in and not '\(known)'."
    }
  }

  /// A number with its noun in the singular or plural.
  public static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(plural ?? noun + "s")"
  }

  /// A sign for each standing, so that colour is never the only difference.
  public static func symbol(_ standing: StatusSnapshot.Standing) -> String {
    switch standing {
    case .off: "○"
    case .settingUp: "…"
    case .working: "↻"
    case .caughtUp: "✓"
    case .waiting: "⏳"
    case .blocked: "✗"
    }
  }
}
