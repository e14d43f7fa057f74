import Foundation
import Strandline

extension FolderCopier {
  /// Carries the latest version of a file into a copy, or begins to.
  func carry(_ path: String, to index: Int) throws(FolderCopyError) {
    guard let version = latest[path] else { return }
    guard let content = version.content else {
      try carryDeletion(of: path, version, to: index)
      return
    }
    if copies[index].unfinished[path] != nil {
      if draws(.delay) { return }
      if copies[index].unfinished[path] == .prefix, Bool.random(using: &random),
        controls.rates[.prefix, default: 0] > 0
      {
        try writeHalf(content, .prefix, at: path, in: index)
        return
      }
      counts.mended += 1
    } else if let fault = CopyFault.ofContents.first(where: { draws($0) }) {
      if fault.isHalf { try writeHalf(content, fault, at: path, in: index) }
      return
    }
    try replace(path, with: content, version, in: index)
  }

  private func replace(
    _ path: String, with content: Data, _ version: Version, in index: Int
  ) throws(FolderCopyError) {
    let folder = copies[index].folder
    if copies[index].held[path, default: 0] > 0, copies[index].unfinished[path] == nil,
      draws(.conflictCopy), let old = try folder.read(path)
    {
      let number = nextArrival()
      try folder.write(old, to: CarrierNames.conflict(path, number: number, device: index))
      try folder.write(old, to: CarrierNames.version(path, number: number))
    }
    if hasOlder(than: version, at: path, in: index) { counts.outOfOrder += 1 }
    try put(content, at: path, in: index)
    copies[index].held[path] = version.number
    counts.carried += 1
  }

  /// Writes a whole file, by a temporary name or in its place.
  private func put(_ content: Data, at path: String, in index: Int) throws(FolderCopyError) {
    let folder = copies[index].folder
    if Bool.random(using: &random) {
      let temporary = CarrierNames.temporary(path, isDotted: Bool.random(using: &random))
      try folder.write(content, to: temporary)
      try folder.move(temporary, to: path)
    } else {
      try folder.write(content, to: path)
    }
    for isDotted in [true, false] {
      try folder.remove(CarrierNames.temporary(path, isDotted: isDotted))
    }
    copies[index].look(at: path, folder.mark(path), content)
    copies[index].unfinished[path] = nil
  }

  private func writeHalf(
    _ content: Data, _ fault: CopyFault, at path: String, in index: Int
  ) throws(FolderCopyError) {
    let folder = copies[index].folder
    let cut = content.isEmpty ? 0 : Int.random(in: 0..<content.count, using: &random)
    copies[index].unfinished[path] = fault
    if fault == .temporary {
      let isDotted = Bool.random(using: &random)
      try folder.write(
        content.prefix(cut), to: CarrierNames.temporary(path, isDotted: isDotted))
      return
    }
    var half = content
    switch fault {
    case .prefix, .truncation: half = content.prefix(cut)
    case .zeros: half = Data(count: content.count)
    default: if !half.isEmpty { half[half.startIndex + cut] ^= 1 << UInt8(cut % 8) }
    }
    try folder.write(half, to: path)
    copies[index].look(at: path, folder.mark(path), half)
  }

  private func carryDeletion(
    of path: String, _ version: Version, to index: Int
  ) throws(FolderCopyError) {
    if draws(.delay) { return }
    let folder = copies[index].folder
    if copies[index].marks[path] != nil {
      if hasMissing(besides: path, in: index) {
        counts.deletedBeforeAddition += 1
      } else {
        counts.deletedAfterAddition += 1
      }
    }
    try folder.remove(path)
    if folder.isEmptied(above: path), draws(.folderRemoval) {
      folder.removeEmptyFolders(above: path)
    }
    copies[index].forget(path)
    copies[index].held[path] = version.number
  }

  /// Writes a file that is there once more, as a tool does that lost its own notes.
  func repeatSomething(in index: Int) throws(FolderCopyError) {
    let held = copies[index].held
    let whole = latest.filter { held[$0.key] == $0.value.number && $0.value.content != nil }
      .sorted { $0.value.arrival < $1.value.arrival }
    guard let (path, version) = whole.randomElement(using: &random), let content = version.content,
      copies[index].marks[path] == copies[index].folder.mark(path), draws(.repetition)
    else { return }
    try put(content, at: path, in: index)
  }

  private func hasOlder(than version: Version, at path: String, in index: Int) -> Bool {
    let folder = Self.folder(of: path)
    return pending(index).contains { other in
      other != path && Self.folder(of: other) == folder
        && (latest[other].map { $0.arrival < version.arrival && $0.content != nil } ?? false)
    }
  }

  private func hasMissing(besides path: String, in index: Int) -> Bool {
    let folder = Self.folder(of: path)
    return pending(index).contains { other in
      other != path && Self.folder(of: other) == folder && latest[other]?.content != nil
    }
  }

  private static func folder(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[..<$0] } ?? ""
  }
}
