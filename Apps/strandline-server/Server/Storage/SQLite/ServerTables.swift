/// The tables of a server's file.
///
/// A *place* is a feed number of a zone in one integer, the zone's number times 2^40 plus the
/// sequence, so that the feed is one table in the order in which it is read. Names and identities
/// of devices stand once in a table and are numbers everywhere else.
enum ServerTables {
  /// The layout of this version; a file with a greater one is not opened.
  static let format: Int64 = 1
  /// Tells a server's file from those of others: `STRS`.
  static let applicationID: Int64 = 0x5354_5253

  /// The bits of a place that hold the sequence.
  static let sequenceBits: Int64 = 40

  static let definitions = """
    -- Who the server is, and how often it was put back.
    CREATE TABLE server(
      id TEXT NOT NULL, incarnation INTEGER NOT NULL);
    CREATE TABLE account(
      name TEXT PRIMARY KEY NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID;
    -- The secrets themselves are not here.
    CREATE TABLE token(
      number INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, prefix TEXT NOT NULL,
      hash BLOB NOT NULL UNIQUE, device TEXT, created_at INTEGER NOT NULL,
      expires_at INTEGER, revoked_at INTEGER);

    -- Entities and properties by number; numbers are never given again.
    CREATE TABLE name(
      number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE);
    -- Identities under which devices write.
    CREATE TABLE origin(
      number INTEGER PRIMARY KEY AUTOINCREMENT, device INTEGER NOT NULL, epoch INTEGER NOT NULL,
      UNIQUE(device, epoch));
    -- What an environment knows; the empty property stands for the entity itself.
    CREATE TABLE schema(
      environment TEXT NOT NULL, entity TEXT NOT NULL, property TEXT NOT NULL,
      PRIMARY KEY(environment, entity, property)) WITHOUT ROWID;

    CREATE TABLE zone(
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, account TEXT NOT NULL,
      environment TEXT NOT NULL, name TEXT NOT NULL, incarnation INTEGER NOT NULL,
      head INTEGER NOT NULL, fence INTEGER NOT NULL, fence_bound INTEGER,
      purge_origin INTEGER, purge_device_name TEXT, purged_at INTEGER);
    CREATE INDEX zone_name ON zone(account, environment, name);
    CREATE TABLE nonce(
      place INTEGER PRIMARY KEY, nonce INTEGER NOT NULL);

    -- The facts that are current, by the number at which they were taken. A record has a row for
    -- each number that still counts, `dead` where nothing but its death stands there; a value
    -- that lost has entity 0 and the hash of its facts as its id.
    CREATE TABLE feed(
      place INTEGER PRIMARY KEY, entity INTEGER NOT NULL, id NOT NULL, origin INTEGER NOT NULL,
      dead INTEGER NOT NULL, facts BLOB NOT NULL);
    CREATE INDEX feed_record ON feed(entity, id);
    CREATE INDEX feed_conflict ON feed(place) WHERE entity = 0;

    CREATE TABLE device(
      zone INTEGER NOT NULL, origin INTEGER NOT NULL, name TEXT NOT NULL, receipt INTEGER,
      reported_at INTEGER NOT NULL, hold INTEGER, last_heard INTEGER NOT NULL,
      superseded INTEGER NOT NULL, uploading INTEGER NOT NULL, incomplete INTEGER NOT NULL,
      accepted_sequence INTEGER, accepted_token INTEGER,
      PRIMARY KEY(zone, origin)) WITHOUT ROWID;
    -- A device's last accepted group, and in pieces which versions it held.
    CREATE TABLE memo(
      zone INTEGER NOT NULL, origin INTEGER NOT NULL, header BLOB NOT NULL,
      position INTEGER NOT NULL, dead BLOB NOT NULL, UNIQUE(zone, origin));
    CREATE TABLE memo_facts(
      zone INTEGER NOT NULL, origin INTEGER NOT NULL, piece INTEGER NOT NULL, facts BLOB NOT NULL,
      UNIQUE(zone, origin, piece));
    -- A group whose pages have begun to come.
    CREATE TABLE staged(
      zone INTEGER NOT NULL, origin INTEGER NOT NULL, header BLOB NOT NULL, UNIQUE(zone, origin));
    CREATE TABLE staged_page(
      zone INTEGER NOT NULL, origin INTEGER NOT NULL, page INTEGER NOT NULL,
      records INTEGER NOT NULL, bytes INTEGER NOT NULL, summary BLOB NOT NULL,
      deltas BLOB NOT NULL, UNIQUE(zone, origin, page));
    """
}
