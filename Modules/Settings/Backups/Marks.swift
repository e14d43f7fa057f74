import Foundation

#if os(Linux)
  import CFileFlags

  /// The no-dump attribute and the tag of a store, as they stand on the disk.
  struct Marks {
    let exclusion: BackupExclusion

    init(_ exclusion: BackupExclusion) {
      self.exclusion = exclusion
    }

    /// The attribute of a path; nil where it cannot be told, or nothing is there.
    private static func isMarked(_ path: String) -> Bool? {
      switch strand_has_nodump(path) {
      case 0: false
      case 1: true
      default: nil
      }
    }

    var state: BackupState {
      let files = exclusion.files.map(Self.isMarked)
      if files.isEmpty || files.contains(nil) {
        return BackupState(CacheTag(exclusion.folder).isOwn ? .tag : .unsupported)
      }
      let marked = files.count { $0 == true }
      if marked == 0 && Self.isMarked(exclusion.folder) != true { return BackupState(.included) }
      guard marked == files.count else { return BackupState(.partly) }
      let hasFolder = Self.isMarked(exclusion.folder) == true && CacheTag(exclusion.folder).isThere
      return BackupState(hasFolder ? .folder : .files)
    }

    func set(_ isExcluded: Bool) -> BackupState {
      var trouble = setFolder(isExcluded && exclusion.isFolderOwn)
      trouble = setFiles(isExcluded) ?? trouble
      var found = state
      if found.isExcluded != isExcluded || found.extent == .partly { found.trouble = trouble }
      return found
    }

    /// Marks the folder, or removes the marks that this put on it.
    private func setFolder(_ isMarked: Bool) -> String? {
      let folder = exclusion.folder
      let tag = CacheTag(folder)
      // The tag stands for as long as the folder has the attribute, and tells that it is from here:
      // a folder with another tag, or with none, was marked by somebody else or not at all.
      if isMarked && !tag.isThere, let trouble = tag.write() { return trouble }
      guard tag.isOwn else { return nil }
      let failure = strand_set_folder_nodump(folder, isMarked ? 1 : 0)
      // Where there is no such attribute, the tag has to do alone.
      let isMissing = [ENOTTY, EOPNOTSUPP, EINVAL, ENOSYS].contains(failure)
      guard failure == 0 || isMissing else {
        return "Could not mark the folder '\(folder)', \(String(cString: strerror(failure)))."
      }
      return isMarked ? nil : tag.remove()
    }

    private func setFiles(_ isMarked: Bool) -> String? {
      let files = exclusion.files.filter { Self.isMarked($0) == !isMarked }
      guard !files.isEmpty else { return nil }
      return AttributeProgram.run(isMarked ? "+d" : "-d", files)
    }
  }
#elseif canImport(Darwin)
  /// The resource value of a store's files.
  struct Marks {
    let exclusion: BackupExclusion

    init(_ exclusion: BackupExclusion) {
      self.exclusion = exclusion
    }

    private static func isMarked(_ path: String) -> Bool? {
      do {
        return try URL(fileURLWithPath: path).resourceValues(forKeys: [.isExcludedFromBackupKey])
          .isExcludedFromBackup
      } catch {
        return nil
      }
    }

    var state: BackupState {
      let files = exclusion.files.map(Self.isMarked)
      if files.isEmpty || files.contains(nil) { return BackupState(.unsupported) }
      let marked = files.count { $0 == true }
      if marked == 0 { return BackupState(.included) }
      return BackupState(marked == files.count ? .files : .partly)
    }

    func set(_ isExcluded: Bool) -> BackupState {
      var trouble: String?
      for path in exclusion.files where Self.isMarked(path) != isExcluded {
        var values = URLResourceValues()
        values.isExcludedFromBackup = isExcluded
        var url = URL(fileURLWithPath: path)
        do {
          try url.setResourceValues(values)
        } catch {
          trouble = "Could not mark '\(path)', \(error.localizedDescription)."
        }
      }
      var found = state
      if found.isExcluded != isExcluded || found.extent == .partly { found.trouble = trouble }
      return found
    }
  }
#else
  /// A platform whose backup programs have no common mark.
  struct Marks {
    init(_ exclusion: BackupExclusion) {}

    var state: BackupState { BackupState(.unsupported) }

    func set(_ isExcluded: Bool) -> BackupState { state }
  }
#endif
