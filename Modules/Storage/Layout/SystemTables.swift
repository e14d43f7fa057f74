/// The tables that Strandline keeps beside the records, all named `strandline_…`.
enum SystemTables {
  /// The version of this layout; a store with a greater one is not opened.
  static let format: Int64 = 5

  /// What SQLite's header says of the file: the letters `STRL`.
  static let applicationID: Int64 = 0x5354_524C

  static let definitions = [
    core, history, preserved, orphans, merging, sync, severalPeers, heldDeletes, retries,
    choices, consumption, purges, diagnostics,
  ].joined(separator: "\n")

  /// What brings a store of an earlier format to the next one, by the format that it has.
  static let upgrades: [Int64: String] = [
    1: preserved + orphans, 2: severalPeers, 3: heldDeletes + retries + choices + consumption,
    4: purges + diagnostics,
  ]

  private static let core = """
    CREATE TABLE strandline_meta(
      key TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;
    -- One row. own is the stamp of the transaction that a Strandline process has open, else 0;
    -- seeding tells the triggers that it writes seeds.
    CREATE TABLE strandline_clock(
      one INTEGER PRIMARY KEY CHECK(one = 1), seen INTEGER NOT NULL, salt INTEGER NOT NULL,
      own INTEGER NOT NULL DEFAULT 0, seeding INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE strandline_entity(
      number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
      synced INTEGER NOT NULL DEFAULT 1);
    CREATE TABLE strandline_property(
      entity INTEGER NOT NULL, number INTEGER NOT NULL, key TEXT NOT NULL,
      PRIMARY KEY(entity, number), UNIQUE(entity, key)) WITHOUT ROWID;
    """

  private static let history = """
    -- AUTOINCREMENT: a pruned log must not begin again at 1, peers know its sequences.
    CREATE TABLE strandline_log(
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, entity INTEGER NOT NULL, record NOT NULL,
      kind INTEGER NOT NULL, properties INTEGER NOT NULL DEFAULT 0,
      bank INTEGER NOT NULL DEFAULT 0, stamp INTEGER NOT NULL);
    CREATE INDEX strandline_log_record ON strandline_log(record, entity);
    -- origin: 0 a Strandline process, -1 another SQLite client, else the peer of an import.
    CREATE TABLE strandline_transaction(
      id INTEGER PRIMARY KEY AUTOINCREMENT, first INTEGER NOT NULL, last INTEGER NOT NULL UNIQUE,
      token INTEGER NOT NULL, origin INTEGER NOT NULL, process INTEGER NOT NULL, author TEXT,
      context TEXT, time INTEGER NOT NULL);
    CREATE TABLE strandline_consumer(
      name TEXT PRIMARY KEY NOT NULL, sequence INTEGER NOT NULL, updated INTEGER NOT NULL
    ) WITHOUT ROWID;
    """

  /// Values that a change took away, under the log row of that change; since format 2.
  private static let preserved = """
    CREATE TABLE strandline_preserved(
      sequence INTEGER NOT NULL, property TEXT NOT NULL, value,
      PRIMARY KEY(sequence, property)) WITHOUT ROWID;
    """

  /// References to records that are not here, up to a place in the log; since format 2.
  private static let orphans = """
    CREATE TABLE strandline_orphan(
      entity INTEGER NOT NULL, property TEXT NOT NULL, record NOT NULL,
      PRIMARY KEY(entity, property, record)) WITHOUT ROWID;
    """

  private static let merging = """
    -- Versions of a life that is not known here yet.
    CREATE TABLE strandline_parked(
      entity INTEGER NOT NULL, record NOT NULL, life INTEGER NOT NULL, property TEXT NOT NULL,
      stamp INTEGER NOT NULL, value, PRIMARY KEY(record, entity, life, property)) WITHOUT ROWID;
    -- What the model of this device does not know, carried untouched.
    CREATE TABLE strandline_unknown_record(
      entity INTEGER NOT NULL, record NOT NULL, born INTEGER NOT NULL, died INTEGER NOT NULL,
      deleted INTEGER NOT NULL, PRIMARY KEY(record, entity)) WITHOUT ROWID;
    CREATE TABLE strandline_unknown_value(
      entity INTEGER NOT NULL, record NOT NULL, property TEXT NOT NULL, stamp INTEGER NOT NULL,
      value, PRIMARY KEY(record, entity, property)) WITHOUT ROWID;
    CREATE TABLE strandline_conflict(
      id INTEGER PRIMARY KEY AUTOINCREMENT, peer INTEGER NOT NULL, entity INTEGER NOT NULL,
      record NOT NULL, property TEXT NOT NULL, life INTEGER NOT NULL, stamp INTEGER NOT NULL,
      value, device TEXT NOT NULL, time INTEGER NOT NULL, unsent INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX strandline_conflict_record ON strandline_conflict(record, entity, property);
    """

  private static let sync = """
    CREATE TABLE strandline_peer(
      id INTEGER PRIMARY KEY AUTOINCREMENT, specification TEXT NOT NULL, zone_name TEXT NOT NULL,
      environment TEXT NOT NULL, account TEXT, zone TEXT, followed INTEGER NOT NULL DEFAULT 1,
      acknowledged INTEGER NOT NULL DEFAULT 0,
      examined INTEGER NOT NULL DEFAULT 0, compare_head INTEGER NOT NULL DEFAULT 0, cursor BLOB, incarnation INTEGER,
      proof_sequence INTEGER, proof_nonce INTEGER,
      catching_up INTEGER NOT NULL DEFAULT 0, last_success INTEGER, caught_up INTEGER,
      waiting_until INTEGER, reason TEXT, reason_code TEXT, cure TEXT,
      blocked INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE strandline_event(
      id INTEGER PRIMARY KEY AUTOINCREMENT, peer INTEGER NOT NULL, kind TEXT NOT NULL,
      process INTEGER NOT NULL, started INTEGER NOT NULL, ended INTEGER, succeeded INTEGER,
      code TEXT, message TEXT, advice TEXT, records INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE strandline_delivery(
      peer INTEGER NOT NULL, sequence INTEGER NOT NULL, position INTEGER NOT NULL,
      acknowledged INTEGER NOT NULL, PRIMARY KEY(peer, sequence)) WITHOUT ROWID;
    CREATE TABLE strandline_receipt(
      peer INTEGER NOT NULL, device TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
      reported INTEGER NOT NULL, observed INTEGER NOT NULL,
      PRIMARY KEY(peer, device, position)) WITHOUT ROWID;
    CREATE TABLE strandline_set_aside(
      peer INTEGER NOT NULL, entity INTEGER NOT NULL, record NOT NULL, sequence INTEGER NOT NULL,
      code TEXT NOT NULL, message TEXT NOT NULL, time INTEGER NOT NULL,
      PRIMARY KEY(peer, record, entity)) WITHOUT ROWID;
    CREATE TABLE strandline_switch(
      one INTEGER PRIMARY KEY CHECK(one = 1), wanted INTEGER NOT NULL DEFAULT 0,
      automatic INTEGER NOT NULL DEFAULT 1, pending_purge INTEGER NOT NULL DEFAULT 0);
    """

  /// What a store keeps of several peers side by side; since format 3.
  ///
  /// waits and notices are lists of sentences in JSON. held_after is the place in the log after
  /// which the imports of a catch-up lie that has not reached its head; such an import is not
  /// passed on, and strandline_held has those that a group for another peer left out. marked says
  /// that the peer was told that more groups follow, conflicts_told up to which number of this
  /// store's list it was told of values that lost elsewhere.
  private static let severalPeers = """
    ALTER TABLE strandline_peer ADD COLUMN waits TEXT;
    ALTER TABLE strandline_peer ADD COLUMN notices TEXT;
    ALTER TABLE strandline_peer ADD COLUMN published INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE strandline_peer ADD COLUMN held_after INTEGER;
    ALTER TABLE strandline_peer ADD COLUMN zone_uploading INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE strandline_peer ADD COLUMN marked INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE strandline_peer ADD COLUMN conflicts_told INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE strandline_held(
      peer INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY(peer, last)) WITHOUT ROWID;
    CREATE INDEX strandline_event_peer ON strandline_event(peer);
    CREATE INDEX strandline_conflict_unsent ON strandline_conflict(peer) WHERE unsent & 1;
    """

  /// Deletes from elsewhere that were too many at once and wait for the person's word, or for the
  /// end of the catch-up that brought them (C25); since format 4.
  private static let heldDeletes = """
    CREATE TABLE strandline_held_delete(
      peer INTEGER NOT NULL, entity INTEGER NOT NULL, record NOT NULL, life INTEGER NOT NULL,
      stamp INTEGER NOT NULL, time INTEGER NOT NULL, device TEXT,
      awaits_word INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(record, entity)) WITHOUT ROWID;
    """

  /// When a record that was refused is offered again, and how often it was; since format 4.
  private static let retries = """
    ALTER TABLE strandline_set_aside ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE strandline_set_aside ADD COLUMN retry_at INTEGER;
    """

  /// What the person is asked about a peer and has decided; since format 4.
  ///
  /// first_sync is the policy of the first sync until that is over, and first_sync_begun says that
  /// strandline_first_sync has the records that were here when it began. question is what the
  /// person is asked, in JSON; choice is `keep` or `apart`; answers counts what was answered, so
  /// that a cycle which began before an answer ends. unsent_until is the place in the log up to
  /// which nothing of this store goes to the peer; compare_base is what was acknowledged before a
  /// compare began.
  private static let choices = """
    ALTER TABLE strandline_peer ADD COLUMN first_sync TEXT;
    ALTER TABLE strandline_peer ADD COLUMN first_sync_begun INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE strandline_peer ADD COLUMN question TEXT;
    ALTER TABLE strandline_peer ADD COLUMN choice TEXT;
    ALTER TABLE strandline_peer ADD COLUMN answers INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE strandline_peer ADD COLUMN unsent_until INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE strandline_peer ADD COLUMN compare_base INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE strandline_first_sync(
      peer INTEGER NOT NULL, entity INTEGER NOT NULL, record NOT NULL,
      PRIMARY KEY(peer, record, entity)) WITHOUT ROWID;
    """

  /// When each consumer was seen to have processed history up to a place; since format 4.
  private static let consumption = """
    CREATE TABLE strandline_consumption(
      consumer TEXT NOT NULL, sequence INTEGER NOT NULL, time INTEGER NOT NULL,
      PRIMARY KEY(consumer, sequence)) WITHOUT ROWID;
    """

  /// Cloud copies that the person asked to be purged, until they are; since format 5.
  ///
  /// One that was dropped after it had been tried stays as withdrawn, since it may have reached the
  /// zone. pending_purge of the switch says whether any is pending, and changed when sync was
  /// switched on or off last.
  private static let purges = """
    CREATE TABLE strandline_purge(
      peer INTEGER PRIMARY KEY, asked INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
      retry_at INTEGER, code TEXT, message TEXT, advice TEXT,
      withdrawn INTEGER NOT NULL DEFAULT 0);
    ALTER TABLE strandline_switch ADD COLUMN changed INTEGER;
    INSERT INTO strandline_purge(peer, asked)
      SELECT p.id, 0 FROM strandline_peer AS p JOIN strandline_switch AS s
      WHERE s.pending_purge AND NOT s.wanted AND p.followed AND p.zone IS NOT NULL;
    UPDATE strandline_switch SET pending_purge = EXISTS(SELECT 1 FROM strandline_purge);
    """

  /// What an activity beside the phases of syncing has to say; since format 5.
  private static let diagnostics = """
    ALTER TABLE strandline_event ADD COLUMN detail TEXT;
    CREATE INDEX strandline_event_kind ON strandline_event(peer, kind);
    """
}
