import Foundation
import StrandlineModels
public import StrandlineSettings
import StrandlineStatus
public import StrandlineStorage

/// What somebody who helps needs to know of a store, and nothing that its records say.
///
/// It is made only when a person asks for it, and goes nowhere by itself. It has the configuration
/// without secrets, the model, the log of activities, counts, what a checkup found, and versions;
/// and a page that shows all of this. A part that cannot be read is told as such, and the others are
/// there all the same.
///
/// ```swift
/// let bundle = await SupportBundle.gather(
///   from: store, deviceName: "laptop", configuration: configuration, program: "Notes 2.1")
/// try await bundle.write(to: "notes-support.tar.gz")
/// ```
public struct SupportBundle: Sendable {
  /// One file of the bundle.
  public struct File: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// What it holds.
    public let text: String
  }

  /// The files, the page `index.html` first.
  public let files: [File]
  /// When it was made, in milliseconds since 1970.
  public let time: Int64

  /// Gathers a bundle, as far as the store can be read.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - deviceName: The name under which people know this device.
  ///   - configuration: What the configuration file says, if there is one.
  ///   - program: The program and its version.
  /// - Returns: The bundle, which is not written yet.
  public static func gather(
    from store: Store, deviceName: String, configuration: Configuration? = nil, program: String
  ) async -> SupportBundle {
    let redaction = Redaction(home: NSHomeDirectory())
    let reader = BundleReader(store: store, deviceName: deviceName, redaction: redaction)
    let facts = await reader.facts(
      configuration: configuration.map { redaction.configuration($0.json) }, program: program)
    let page = BundlePage(facts: facts)
    return SupportBundle(
      files: [
        File(name: "index.html", text: page.html), File(name: "README.txt", text: readMe),
        File(name: "versions.json", text: text(facts.versions)),
        File(name: "configuration.json", text: text(facts.configuration ?? .null)),
        File(name: "schema.json", text: text(store.schema.modelFile)),
        File(name: "status.json", text: text(facts.status)),
        File(name: "events.json", text: text(facts.eventsJSON)),
        File(name: "counts.json", text: text(facts.counts)),
        File(name: "checkup.json", text: text(facts.checkupJSON)),
      ], time: facts.time)
  }

  private static func text(_ json: JSONValue) -> String { json.prettyText + "\n" }

  private static let readMe = """
    A support bundle of Strandline. Open index.html in a browser.

    It holds: versions, the configuration without secrets, the model, the status with each peer,
    the log of activities, counts, and what a checkup found.
    It does not hold: contents or ids of records, access tokens, accounts, or texts that a peer sent.
    It does name: entities and properties of the model, devices, zones, addresses and folders.

    """

  /// Writes the bundle as one archive, which only the person may read.
  ///
  /// A name that ends in `.zip` makes a zip archive, any other a compressed tar archive.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - replacing: Whether a file of that name is replaced.
  /// - Throws: `fileExists`, `cannotWriteBundle`; a file that was there is as it was then.
  public func write(to path: String, replacing: Bool = false) async throws {
    try await BundleWriter().write(self, to: path, replacing: replacing)
  }
}
