// What people read of each error, by the error's type and code, and what to do about it. The errors'
// own messages name more, such as files; these name nothing that anybody chose.
extension Wording {
  static let errorSentences: [String: ErrorSentence] =
    transportSentences.merging(syncSentences) { first, _ in first }
    .merging(storageSentences) { first, _ in first }
    .merging(historySentences) { first, _ in first }
    .merging(otherSentences) { first, _ in first }

  private static let byItself = "It is tried again by itself; everything is saved on this device."

  private static func sentences(
    _ domain: String, _ table: [(code: String, message: String, recovery: String)]
  ) -> [String: ErrorSentence] {
    Dictionary(
      table.map {
        ("\(domain).\($0.code)", ErrorSentence(message: $0.message, recovery: $0.recovery))
      }, uniquingKeysWith: { first, _ in first })
  }

  private static let transportSentences = sentences(
    "TransportError",
    [
      ("unreachable", "The other side could not be reached.", byItself),
      (
        "accountUnavailable", "Nobody is signed in.",
        "Sign in; everything is saved on this device until then."
      ),
      (
        "accountRestricted", "This account may not use sync.",
        "Ask whoever manages the account; everything is saved on this device."
      ),
      ("accountUndetermined", "The account cannot be told at the moment.", byItself),
      (
        "notAuthorized", "The other side does not take the access token.",
        "Get a new token; everything is saved on this device until then."
      ),
      (
        "zoneNotFound", "The known zone is not there.",
        "Check that it is mounted or running, or answer what is asked; nothing was deleted."
      ),
      (
        "zoneReplaced", "Another zone stands where the known one was.",
        "Answer what is asked; nothing was deleted or uploaded."
      ),
      (
        "zonePurged", "Somebody had everything there removed.",
        "Answer what is asked; everything is still on this device."
      ),
      (
        "cursorExpired", "This device was away for longer than the other side remembers.",
        "Everything is compared by itself; nothing is lost."
      ),
      (
        "zoneRestored", "The other side was put back to an earlier state.",
        "Everything is compared by itself; nothing is lost."
      ),
      (
        "deviceRestored", "This store was put back or copied.",
        "It goes on by itself under a new identity."
      ),
      ("throttled", "The other side asks for some time.", byItself),
      (
        "schemaRefused", "The other side does not know a part of the model.",
        "Deploy the schema there, or use the development environment."
      ),
      (
        "tooLarge", "Something is larger than the other side takes.",
        "Make it smaller; the rest goes out."
      ),
      (
        "clockSkew", "A clock is off.",
        "Set this device's clock; sync goes on by itself once it is right."
      ),
      (
        "quota", "The space at the other side is used up.",
        "Make space there; everything is saved on this device until then."
      ),
      (
        "damaged", "What the other side gave makes no sense.",
        "It is tried again by itself; look there if it lasts."
      ),
      (
        "incompatibleVersion", "The other side speaks another version.",
        "Update the older of the two."
      ),
      (
        "environmentMismatch", "The folder belongs to another environment.",
        "Use the environment that it was made for."
      ),
      ("invalidRequest", "The other side did not understand.", "Update the older of the two."),
      (
        "unknownTransport", "That kind of transport or its address is not known.",
        "Correct it in the configuration."
      ),
    ])

  private static let syncSentences = sentences(
    "SyncError",
    [
      (
        "accountChanged", "Another account is signed in.",
        "Answer what is asked; nothing was deleted or uploaded."
      ),
      (
        "accountUnavailable", "The cloud copy is not removed yet, no account can be used.",
        "It is removed when the account is there again; everything is saved on this device."
      ),
      (
        "wrongAccount", "Another account is signed in than the configuration names.",
        "Sign in with that one, or correct the configuration; nothing was deleted or uploaded."
      ),
      (
        "sameZone", "Two of the transports lead to the same zone.", "Remove one of the two."
      ),
      (
        "zoneReplaced", "Another zone stands where the known one was.",
        "Answer what is asked; nothing was deleted or uploaded."
      ),
      (
        "firstSyncRefused", "The first sync would have laid aside what it must not.",
        "Choose another policy for it; nothing was changed."
      ),
      (
        "answered", "An answer came while a cycle ran.", "The next cycle goes on by the answer."
      ),
      ("notCaughtUp", "Not everything went through in time.", "Try again, or wait longer."),
      ("interrupted", "It was stopped before its end.", "The next cycle goes on where it was."),
      (
        "switchedOff", "Sync is switched off.",
        "Switch it on; everything is saved on this device until then."
      ),
    ])

  private static let storageSentences = sentences(
    "StorageError",
    [
      ("storeNotFound", "There is no store at that place.", "Check the path; none was made."),
      (
        "anotherStoreBeside", "Another store stands beside the place of the new one.",
        "Open that one, or say that a new one is wanted."
      ),
      ("cannotOpen", "The store's file cannot be opened.", "Check the folder and who may use it."),
      ("notADatabase", "The file is no database.", "Check the path; the file was left as it is."),
      (
        "notAStore", "The file belongs to another program.",
        "Check the path; the file was left as it is."
      ),
      ("newerFormat", "A newer version wrote the store.", "Update this app."),
      ("olderFormat", "The store has an older format.", "Open it once for writing."),
      (
        "damaged", "The store's file is damaged.",
        "Keep a copy; restore a backup, or sync into a new store."
      ),
      ("readOnly", "The store is open for reading only.", "Open it for writing."),
      ("busy", "Another program is writing.", "Try again; syncing goes on by itself."),
      (
        "diskFull", "The disk is full.",
        "Free some space; what was saved stays saved, and syncing goes on by itself."
      ),
      ("inputOutput", "The disk did not do what it was asked.", "Check the disk, and try again."),
      ("constraint", "The record breaks a rule of its table.", "Correct the values."),
      ("nameTaken", "A name is in use already.", "Choose another name."),
      (
        "dataMigrationFailed", "The records could not be brought to the new version.",
        "Nothing was changed; use the earlier version of the app until it is corrected."
      ),
      (
        "tooManyGenerations", "Too many old states are kept open.", "Let go of some of them."
      ),
      ("generationEnded", "The old state is no longer kept.", "Read the present one."),
      ("duplicateRecord", "There is a record of that id already.", "Change that one."),
      ("unknownEntity", "There is no such entity.", "Check the name."),
      ("unknownProperty", "There is no such property.", "Check the name."),
      ("unknownRecord", "There is no such record.", "It may have been deleted; look again."),
      ("wrongType", "A value has another type than its property.", "Correct the value."),
      ("invalidQuery", "The question to the store makes no sense.", "Correct it."),
      (
        "questionChanged", "Something else is asked by now.", "Look at what is asked, and answer."
      ),
      (
        "leaseHeld", "Another process syncs this store.",
        "What is saved here goes out through that one."
      ),
    ])

  private static let historySentences = sentences(
    "HistoryError",
    [
      (
        "historyExpired", "History no longer reaches that far.", "Load everything anew, once."
      ),
      ("tokenFromAnotherStore", "The place belongs to another store.", "Begin at the beginning."),
      ("tokenBeyondHistory", "The place was not reached yet.", "Begin at the beginning."),
      ("consumerMoved", "The place was moved meanwhile.", "Read it again, and go on from there."),
      ("recordNotThere", "The record was not there then.", "Choose another moment."),
      ("valuesNotHeld", "The values of then are not kept.", "Choose a later moment."),
      ("unknownConflict", "There is no such lost value.", "Look at the list again."),
    ])

  private static let otherSentences =
    sentences(
      "SettingsError",
      [
        (
          "unreadableConfiguration", "The configuration cannot be read or written.",
          "Check the file and who may use it."
        ),
        (
          "invalidConfiguration", "The configuration says something that is not known.",
          "Correct the file at the place that is named."
        ),
      ]
    )
    .merging(
      sentences(
        "Status",
        [
          (
            "unexplained", "It ended without success, and no reason was told.",
            "It is tried again by itself."
          ),
          (
            "waitingForFiles", "Files of other devices have not arrived yet.",
            "They are read by themselves when they come."
          ),
          (
            "heldDeletes", "Deletes from elsewhere wait for your word.",
            "Apply or refuse them; the records are still here."
          ),
          (
            "damagedRow", "A record cannot be read.", "Save it anew; it goes out then."
          ),
          (
            "valueCarried", "A value is of a kind that this model cannot hold; it is kept.",
            "Use a model that can hold it."
          ),
          (
            "cannotStore", "A value is of a kind that this model cannot hold.",
            "Set it anew on the device that made it."
          ),
        ])
    ) { first, _ in first }
    .merging(bundleSentences) { first, _ in first }
    .merging(wireSentences) { first, _ in first }

  private static let bundleSentences = sentences(
    "BundleError",
    [
      (
        "fileExists", "A file is there already.",
        "Choose another name, or confirm that it is replaced."
      ),
      (
        "cannotWriteBundle", "The bundle cannot be written there.",
        "Check the folder and the space on the disk."
      ),
    ])

  /// All of these mean that bytes are not what they should be.
  private static let wireSentences = sentences(
    "WireError",
    [
      "truncated", "malformed", "wrongType", "duplicateKey", "notDeterministic", "badText",
      "trailingBytes", "tooDeep", "tooLarge", "outOfRange", "missing",
    ].map {
      ($0, "Something that was received is damaged.", "It is asked for again by itself.")
    } + [("newerFormat", "A newer version wrote what was received.", "Update this app.")])
}
