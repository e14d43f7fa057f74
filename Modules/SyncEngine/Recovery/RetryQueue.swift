/// When records that a peer refused are offered again by themselves.
///
/// Each has its own wait, which grows with its attempts. An edit of it, or a person's word, offers it
/// at once. It goes together with what is pending: a zone that refuses it once more gets the rest
/// without it, so it never holds up another record.
enum RetryQueue {
  /// So many due records go with one group, those that are due the longest first.
  static let recordsInGroup = 1000

  private static let backOff: BackOff = {
    var backOff = BackOff()
    backOff.firstMilliseconds = 60_000
    backOff.greatestMilliseconds = 6 * 3_600_000
    return backOff
  }()

  /// The wait after so many refusals, in milliseconds.
  ///
  /// It is not drawn at random: refusals of one record on several devices need not be kept apart as
  /// devices that all lost one server do.
  static func wait(afterAttempts attempts: Int) -> Int64? {
    backOff.wait(afterFailures: attempts, random: 1)
  }
}
