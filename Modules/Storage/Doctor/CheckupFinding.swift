/// One thing that a checkup looked at, and what it saw.
public struct CheckupFinding: Hashable, Sendable {
  /// How serious it is.
  public enum Level: String, Hashable, Sendable, Comparable {
    /// All is as it should be.
    case ok
    /// Something to know about; nothing is lost or at risk now.
    case warning
    /// Something is wrong that should be cured.
    case problem

    /// Orders findings by how serious they are.
    public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .ok: 0
      case .warning: 1
      case .problem: 2
      }
    }
  }

  /// The stable name of the check, such as `integrity`.
  public let name: String
  /// How serious it is.
  public let level: Level
  /// What was seen, as a sentence.
  public let message: String
  /// What to do about it; empty where nothing is to be done.
  public let cure: String

  /// Describes what a check saw.
  public init(_ name: String, _ level: Level, _ message: String, cure: String = "") {
    self.name = name
    self.level = level
    self.message = message
    self.cure = cure
  }

  static func ok(_ name: String, _ message: String) -> CheckupFinding {
    CheckupFinding(name, .ok, message)
  }

  /// A number of things in words: `1 record`, `2 records`.
  static func count(_ number: Int64, _ thing: String, _ things: String? = nil) -> String {
    "\(number) \(number == 1 ? thing : things ?? thing + "s")"
  }
}
