import Foundation
import StrandlineTestSupport
import Testing

/// A clock that libfaketime shows to a program.
struct FakedClock: Sendable, CustomTestStringConvertible {
  private let shown: String
  /// Whether the clock that measures waits is faked with it.
  private let isForWaits: Bool

  /// A clock that is so much ahead or behind, such as `+1y`.
  init(_ shown: String, isForWaits: Bool = false) {
    self.shown = shown
    self.isForWaits = isForWaits
  }

  /// A clock that stands still, since it is given without a sign.
  static let frozen = FakedClock("2024-02-29 12:00:00")

  var testDescription: String { shown + (isForWaits ? ", also for waits" : "") }

  /// The words of a program under which another one sees this clock.
  ///
  /// The program `faketime` itself is not used, since it stays and waits for the other, which then
  /// cannot be killed by its number. The shared memory that it would make is named, and what is
  /// loaded before libfaketime gives each process one of its own.
  func wrapper(in folder: TemporaryFolder) -> [String] {
    let libraries = [folder.path(Self.timers + ".so"), "/usr/$LIB/faketime/libfaketime.so.1"]
    return [
      "env", "LD_PRELOAD=" + libraries.joined(separator: ":"), "FAKETIME=" + shown,
      "FAKETIME_SHARED=/no_semaphore /no_memory",
    ] + (isForWaits ? [] : ["FAKETIME_DONT_FAKE_MONOTONIC=1"])
  }

  private static let timers = "timers"

  /// Makes what stands before libfaketime in a folder.
  ///
  /// libfaketime 0.9.10 shifts the times of all timers by what it fakes, also of those that
  /// measure waits by a clock that it leaves alone. The system refuses such a time, and no timer
  /// of the program ever fires. So the call goes past it.
  ///
  /// The memory that it shares between processes is named after the process that makes it, and
  /// stays when that is killed; a later process of the same number could not begin. So nothing is
  /// shared: each process has a semaphore and a memory of its own, in which nothing is set.
  static func prepare(in folder: TemporaryFolder) async throws {
    try folder.write(
      """
      #define _GNU_SOURCE
      #include <semaphore.h>
      #include <string.h>
      #include <sys/mman.h>
      #include <sys/syscall.h>
      #include <sys/timerfd.h>
      #include <unistd.h>

      int timerfd_settime(int timer, int flags, const struct itimerspec *time,
                          struct itimerspec *before) {
        return (int)syscall(SYS_timerfd_settime, timer, flags, time, before);
      }

      sem_t *sem_open(const char *name, int flags, ...) {
        static sem_t own;
        static int made = 0;
        if (!made) made = sem_init(&own, 0, 1) == 0;
        return &own;
      }

      int sem_close(sem_t *semaphore) { return 0; }

      int shm_open(const char *name, int flags, mode_t mode) {
        char unset[4096];
        int memory = memfd_create("faketime", MFD_CLOEXEC);
        memset(unset, 0xff, sizeof unset);
        if (memory >= 0 && write(memory, unset, sizeof unset) != sizeof unset) return -1;
        return memory;
      }
      """, to: timers + ".c")
    let made = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("clang", package: "clang"),
      arguments: ["-shared", "-fPIC", "-o", timers + ".so", timers + ".c"]
    ).run()
    guard made.code == 0 else { throw SetupError(description: made.error) }
  }
}
