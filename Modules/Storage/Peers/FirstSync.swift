/// What counts in the first sync of a store that has data already, where this device and the zone
/// have both.
public enum FirstSync: String, Hashable, Sendable, CaseIterable {
  /// Both are merged, record by record and property by property; the later value wins.
  ///
  /// Records meet by their ids and, where the model names an identity, by that. What loses to a
  /// concurrent value is in the list of conflicts.
  case union
  /// What is here wins wherever the two differ, and what only the zone has comes here as well.
  ///
  /// That holds against deletes of the zone too: such a record begins a new life. The zone's values
  /// that lose are in the list of conflicts.
  case keepLocal = "local"
  /// The zone's values win, and records that only this device has are laid aside.
  ///
  /// They are taken away when everything of the zone is here, are never sent, and stand in history
  /// with all their values, from which they can be restored. Values of this device that lose are
  /// in the list of conflicts. Nothing is done where the zone turns out to be empty, or while the
  /// store follows another peer, which would be taken along.
  case keepCloud = "cloud"
}
