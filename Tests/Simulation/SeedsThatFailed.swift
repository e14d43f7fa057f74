/// Seeds whose runs failed once, with the fault that they found.
///
/// They run each time.
enum SeedsThatFailed {
  static let all: [(seed: UInt64, fault: String)] = [
    (1, "A device said to be caught up as of its cycle's end, not as of its last reading."),
    (2, "More lost values than a page takes were told with one page, which was refused for ever."),
    (4, "More lost values than a page takes were told with one page, which was refused for ever."),
    (5, "A device said to be caught up as of its cycle's end, not as of its last reading."),
    (7, "A device said to be caught up as of its cycle's end, not as of its last reading."),
  ]
}
