#if os(Linux)
  import Foundation

  /// The program `chattr`, which sets attributes of files.
  ///
  /// It is another process on purpose. The attribute needs a descriptor of the file, and to close
  /// any descriptor of a database ends all locks that SQLite has on it in this process.
  enum AttributeProgram {
    private static let places = ["/usr/bin/chattr", "/bin/chattr", "/usr/sbin/chattr"]

    /// Runs it to its end, which blocks the thread.
    ///
    /// - Returns: What went wrong, as a sentence; nil for nothing.
    static func run(_ mode: String, _ files: [String]) -> String? {
      guard let program = places.first(where: FileManager.default.isExecutableFile) else {
        return "Could not mark the store's files, the program chattr is not installed (package "
          + "e2fsprogs)."
      }
      let failure = spawn([program, mode, "--"] + files)
      return failure.map { "Could not mark the store's files, chattr \($0)." }
    }

    private static func spawn(_ words: [String]) -> String? {
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      for (descriptor, mode) in [(Int32(0), O_RDONLY), (1, O_WRONLY), (2, O_WRONLY)] {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
      }
      let arguments = words.map { strdup($0) } + [nil]
      let environment: [UnsafeMutablePointer<CChar>?] = [strdup("LC_ALL=C"), nil]
      defer { for pointer in arguments + environment { free(pointer) } }
      var child: pid_t = 0
      let result = posix_spawn(&child, words[0], &actions, nil, arguments, environment)
      guard result == 0 else { return "could not be run, \(String(cString: strerror(result)))" }
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0 {
        // Where the app lets nobody wait for children, the marks themselves tell what was done.
        guard errno == EINTR else { return nil }
      }
      return status == 0 ? nil : "ended with the status \((status >> 8) & 0xff)"
    }
  }
#endif
