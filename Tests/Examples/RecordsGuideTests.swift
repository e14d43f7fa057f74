import Foundation
import Strandline
import StrandlineTestSupport
import Testing

// What the guide "Working with records" shows, compiled and run.

struct Book: Model {
  var id = RecordID()
  var title = ""
  var year = 0
  var read = false
  var author: Reference<Author>?

  static let layout = ModelLayout(
    relationships: [
      .toOne("author", inverse: "books"),
      .toMany("shelves", of: Shelf.self, inverse: "books"),
    ],
    indexes: [["year"]])
}

struct Author: Model {
  var id = RecordID()
  var name = ""

  static let layout = ModelLayout(
    relationships: [.toMany("books", of: Book.self, inverse: "author")])
}

struct Shelf: Model {
  var id = RecordID()
  var name = ""

  static let layout = ModelLayout(
    relationships: [.toMany("books", of: Book.self, inverse: "shelves")])
}

struct Volume: Model {
  var id = RecordID()
  var name = ""
  var year = 0
  var pages: Int?

  static let entityName = "Book"
  static let layout = ModelLayout(renamedProperties: ["name": "title"])
}

/// What a view would show.
private actor Shown {
  private(set) var titles: [[String]] = []
  private let wanted: Int
  private let reached: AsyncStream<Void>.Continuation

  init(wanted: Int, reached: AsyncStream<Void>.Continuation) {
    self.wanted = wanted
    self.reached = reached
  }

  func update(_ books: [Book]) {
    titles.append(books.map(\.title).sorted())
    if titles.count == 1 { reached.yield() }
    if titles.count == wanted { reached.finish() }
  }
}

@Suite struct RecordsGuideTests {
  private let folder: TemporaryFolder
  private let store: Store

  init() async throws {
    folder = try TemporaryFolder()
    let path = folder.path("books.sqlite")
    let schema = try Schema([Book.self, Author.self, Shelf.self])
    let store = try await Store.open(.file(path), schema: schema)
    self.store = store
    try await store.write { write in
      let author = Author(name: "Ursula K. Le Guin")
      try write.save(author)
      try write.save(Book(title: "The Dispossessed", year: 1974, author: Reference(author)))
      try write.save(Book(title: "The Telling", year: 2000, author: Reference(author)))
    }
  }

  private func firstBook() async throws -> Book {
    try #require(
      try await store.read { try $0.fetch(Book.self, orderBy: [.ascending(\.year)]) }.first)
  }

  @Test func `records are fetched by a predicate, in an order, up to a limit`() async throws {
    let old = try await store.read { read in
      try read.fetch(
        Book.self, where: #Predicate { $0.year < 1990 && !$0.read },
        orderBy: [.descending(\.year), .ascending(\.title)], limit: 20)
    }
    #expect(old.map(\.title) == ["The Dispossessed"])
    let unread = try await store.read { try $0.count(Book.self, where: #Predicate { !$0.read }) }
    #expect(unread == 2)
  }

  @Test func `records change one by one and many at once`() async throws {
    let id = try await firstBook().id
    try await store.write { try $0.update(Book.self, id) { $0.read = true } }
    #expect(try await firstBook().read)
    let changed = try await store.write {
      try $0.updateAll(
        Book.self, where: #Predicate { $0.year < 1990 }, [.set(\.read, to: true)])
    }
    #expect(changed == 0, "the value was there already")
  }

  @Test func `records are deleted one by one and many at once`() async throws {
    let book = try await firstBook()
    try await store.write { try $0.delete(book) }
    let deleted = try await store.write {
      try $0.deleteAll(Book.self, where: #Predicate { $0.read })
    }
    #expect(deleted == 0)
    #expect(try await store.read { try $0.count(Book.self) } == 1)
  }

  @Test func `relationships are followed both ways`() async throws {
    let book = try await firstBook()
    let author = try #require(try await author(of: book))
    let books = try await store.read { try $0.fetch(Book.self, "books", of: author) }
    #expect(Set(books.map(\.title)) == ["The Dispossessed", "The Telling"])
    try await store.write { write in
      let shelf = Shelf(name: "Favourites")
      try write.save(shelf)
      try write.link(book, "shelves", to: shelf)
    }
    let shelves = try await store.read { try $0.fetch(Shelf.self, "shelves", of: book) }
    #expect(shelves.map(\.name) == ["Favourites"])
  }

  @Test func `a live query shows a change when it touches what is shown`() async throws {
    let (steps, step) = AsyncStream.makeStream(of: Void.self)
    let shown = Shown(wanted: 2, reached: step)
    let store = store
    let watching = Task {
      for try await result in try store.live(Book.self, where: #Predicate { !$0.read }) {
        await shown.update(result.records)
      }
    }
    let id = try await firstBook().id
    // After the first result, a change that is not shown and one that is.
    for await _ in steps {
      try await store.write { try $0.save(Shelf(name: "Unseen")) }
      try await store.write { try $0.update(Book.self, id) { $0.read = true } }
    }
    watching.cancel()
    #expect(await shown.titles == [["The Dispossessed", "The Telling"], ["The Telling"]])
  }

  @Test func `a context saves its edits as one transaction`() async throws {
    let context = EditingContext(store, name: "form", mergePolicy: .objectTrumps)
    let id = try await context.fetch(Book.self).first?.id ?? RecordID()
    try context.update(Book.self, id) { $0.title = "The Word for World Is Forest" }
    let save = try await context.save()
    #expect(save.saved.map(\.id) == [id])
    #expect(save.conflicts.isEmpty)
  }

  @Test func `a later model renames, adds and fills in`() async throws {
    try await store.write { try $0.save(Book(title: "", year: 1966)) }
    let path = store.path
    let later = try Schema(version: 2, [Volume.self])
    let options = StoreOptions(dataMigrations: [
      DataMigration(version: 2) { transaction in
        try transaction.updateAll(
          Volume.self, where: #Predicate { $0.name == "" }, [.set(\.name, to: "Untitled")])
      }
    ])
    let upgraded = try await Store.open(.file(path), schema: later, options: options)
    let names = try await upgraded.read { try $0.fetch(Volume.self, orderBy: [.ascending(\.year)]) }
    #expect(names.map(\.name) == ["Untitled", "The Dispossessed", "The Telling"])
  }

  private func author(of book: Book) async throws -> Author? {
    let author = try await store.read { try $0.fetch(book.author) }
    return author
  }
}
