import Foundation
import Strandline

extension FolderCopier {
  /// Looks for what a copy's device has changed since the last look.
  func scan(_ index: Int) throws(FolderCopyError) {
    let folder = copies[index].folder
    let found = try folder.files()
    for (path, mark) in found.sorted(by: { $0.key < $1.key })
    where copies[index].marks[path] != mark || copies[index].fresh[path] != nil {
      guard let content = try folder.read(path) else { continue }
      let isSame = copies[index].marks[path] == mark && copies[index].fresh[path] == content
      copies[index].look(at: path, mark, content)
      if isSame { continue }
      copies[index].unfinished[path] = nil
      try note(content, at: path, in: index)
    }
    for path in copies[index].marks.keys.sorted() where found[path] == nil {
      copies[index].forget(path)
      noteDeletion(of: path, in: index)
    }
  }

  private func note(
    _ content: Data, at path: String, in index: Int
  ) throws(FolderCopyError) {
    guard let known = latest[path] else {
      setLatest(content, at: path, by: index, number: 1)
      return
    }
    if known.content == content {
      copies[index].held[path] = known.number
    } else if copies[index].held[path] == known.number || known.content == nil {
      setLatest(content, at: path, by: index, number: known.number + 1)
    } else {
      try settle(content, against: known, at: path, in: index)
    }
  }

  /// A deletion counts only of what the copy had; what is newer elsewhere comes back.
  private func noteDeletion(of path: String, in index: Int) {
    guard let known = latest[path], copies[index].held[path] == known.number,
      known.content != nil
    else { return }
    setLatest(nil, at: path, by: index, number: known.number + 1)
  }

  private func setLatest(_ content: Data?, at path: String, by index: Int, number: Int) {
    latest[path] = Version(number: number, content: content, arrival: nextArrival())
    copies[index].held[path] = number
  }

  /// Decides between two changes of one file: the later keeps the name, the other gets a new one.
  private func settle(
    _ content: Data, against known: Version, at path: String, in index: Int
  ) throws(FolderCopyError) {
    counts.collisions += 1
    let folder = copies[index].folder
    let aside = CarrierNames.conflict(path, number: nextArrival(), device: index)
    if Bool.random(using: &random) {
      // The copy's own change loses; the other one is carried here like any file.
      try folder.move(path, to: aside)
      copies[index].forget(path)
      copies[index].held[path] = 0
    } else {
      try folder.write(known.content ?? Data(), to: aside)
      setLatest(content, at: path, by: index, number: known.number + 1)
    }
  }
}
