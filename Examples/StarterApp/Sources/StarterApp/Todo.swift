import Strandline

/// One thing to do.
struct Todo: Model {
  var id = RecordID()
  var title = ""
  var isDone = false

  init() {}

  init(_ title: String) {
    self.title = title
  }
}
