public import StrandlineModels

/// Why a support bundle could not be written.
public struct BundleError: ExplainedError {
  /// What happened.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The stable name.
    public let rawValue: String

    /// Names a code.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A file of that name is there already.
    public static let fileExists = Code(rawValue: "fileExists")
    /// The file cannot be written.
    public static let cannotWriteBundle = Code(rawValue: "cannotWriteBundle")
  }

  /// What happened.
  public let code: Code
  /// One sentence: what could not be done, and why.
  public let message: String
  /// What to do now.
  public let advice: String

  /// The stable name of the code.
  public var codeName: String { code.rawValue }

  static func fileExists(_ path: String) -> BundleError {
    BundleError(
      code: .fileExists, message: "Could not write '\(path)', a file is there already.",
      advice: "Choose another name, or confirm that it is replaced.")
  }

  static func cannotWrite(_ path: String, _ reason: String) -> BundleError {
    BundleError(
      code: .cannotWriteBundle, message: "Could not write '\(path)', \(reason).",
      advice: "Check the folder, who may write there, and the space on the disk.")
  }
}
