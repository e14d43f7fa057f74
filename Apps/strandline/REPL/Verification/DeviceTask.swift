import StrandlineModels

/// What a verification asks one of its devices to do, one task at a time.
///
/// Device and verification may be one process or two; between processes a task is a line of JSON.
enum DeviceTask: Codable, Hashable, Sendable {
  /// Opens the store; the first task of a device.
  case open(DeviceOpening)
  /// Saves records with these texts as one transaction, and answers their ids.
  case insert([String])
  /// Gives a record another text.
  case edit(RecordID, String)
  /// Deletes a record.
  case delete(RecordID)
  /// Flips a record's switch so many times, each in a transaction of its own.
  case toggle(RecordID, times: Int)
  /// Runs one cycle.
  case sync
  /// Lets cycles begin by themselves, as in an app that is open.
  case startSyncing
  /// Ends what ``startSyncing`` began.
  case stopSyncing
  /// Does what an app does when it is left.
  case enterBackground
  /// Does what an app does when it is returned to.
  case becomeActive
  /// Cuts the link to the peer, or mends it.
  case setLink(isUp: Bool)
  /// Signs the account out, or in again.
  case setSignedIn(Bool)
  /// Lets the answer to the next call be lost.
  case failOnce
  /// Begins a cycle, and answers when it hangs with what it fetched after so many other pages.
  case hang(afterFetches: Int)
  /// Lets a cycle that hangs go on, and answers when it has ended.
  case goOn
  /// Waits until the visible list shows a text for a record.
  case waitForView(RecordID, String)
  /// Tells what is observed, with what is known of a record.
  case look(RecordID?)
  /// Tells the texts of all records by their ids.
  case contents
  /// Closes the store; the last task of a device.
  case close
}

/// How a device opens its store.
struct DeviceOpening: Codable, Hashable, Sendable {
  /// The path of its store.
  var store: String
  /// The text of the model file.
  var model: String
  /// The name under which the zone knows it.
  var name: String
  /// The zone.
  var zone: String
  /// Whether the zone is one of production.
  var isProduction: Bool
  /// The transport; nil saves and reads, and never syncs.
  var peer: PeerOpening?
  /// The greatest number of changes in a page; nil leaves that to the engine.
  var pageRecords: Int?
}

/// How a device reaches the peer.
struct PeerOpening: Codable, Hashable, Sendable {
  /// The kind and address.
  var transport: String
  /// The file that holds an access token.
  var tokenFile: String?
  /// The access token itself; it goes through a pipe, and stands on no command line.
  var token: String?
  /// The file of certificate authorities that are trusted.
  var authorityFile: String?
  /// The account that must be found there.
  var account: String?
}
