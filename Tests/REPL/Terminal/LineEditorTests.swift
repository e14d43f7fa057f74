import Foundation
import StrandlineREPL
import StrandlineTestSupport
import Testing

@Suite(.serialized) struct LineEditorTests {
  private let long = "hello 名前, a long line that wraps over rows 漢字漢字"

  @Test func `a line is edited with the usual keys`() async throws {
    try await EditorSession.run { session in
      try session.typeAndSee("save Tdo")
      session.type("\u{2}\u{2}o")
      try session.waitForText("save Todo")
      session.type("\u{5}s\u{1}\u{1B}[1;5C!\u{1B}[H\u{1B}[3~\u{1B}[F.\r")

      try session.waitForPrompt(after: "got [ave! Todos.]")
    }
  }

  @Test func `text outside of ASCII arrives whole in any locale`() async throws {
    for locale in ["C", "C.UTF-8", "nowhere_XX", ""] {
      try await EditorSession.run(environment: ["LC_ALL": locale]) { session in
        session.type("é 名前 👩‍👧 ü\r")
        try session.waitForPrompt(after: "got [é 名前 👩‍👧 ü]")
      }
    }
  }

  @Test func `Ctrl-C drops the line and the session goes on`() async throws {
    try await EditorSession.run { session in
      try session.typeAndSee("half a line")
      session.type("\u{3}")
      try session.waitForPrompt(after: "名> half a line^C\ninterrupted [half a line]")

      session.type("next\r")
      try session.waitForPrompt(after: "got [next]")
    }
  }

  @Test func `Ctrl-C below a wrapped line leaves the whole line on the screen`() async throws {
    try await EditorSession.run { session in
      let text = long
      try session.typeAndSee(text)
      session.type("\u{1}")
      try session.wait("the cursor at the beginning") { $0.column == 4 && $0.row == 0 }
      session.type("\u{3}")

      try session.wait("the line") { $0.lines.joined().contains(text + "^C") }
      try session.waitForText("interrupted")
    }
  }

  @Test func `Ctrl-D leaves at an empty line and restores the terminal`() async throws {
    try await EditorSession.run { session in
      let edited = session.settings
      #expect(edited.c_lflag & tcflag_t(ECHO | ICANON) == 0)
      #expect(session.screen.marksPastes)

      try session.typeAndSee("x")
      session.type("\u{4}\u{15}\u{4}")
      try session.waitForText("bye")

      #expect(try session.waitForEnd() == 0)
      #expect(session.settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON))
      #expect(!session.screen.marksPastes)
    }
  }

  @Test func `a backslash continues the block with another prompt`() async throws {
    try await EditorSession.run { session in
      session.type("one\\\r")
      try session.waitForText("名> one\\\n...>")
      session.type("two\r")
      try session.waitForPrompt(after: "got [one\\/two]")

      session.type("\u{10}")
      try session.waitForText("]\n名> one\\\ntwo")
      session.type("\\\r")
      try session.waitForText("two\\\n...>")
      session.type("\u{4}")
      try session.waitForPrompt(after: "interrupted [one\\\ntwo\\]")
    }
  }

  @Test func `the reader of a question gets the answer without history`() async throws {
    try await EditorSession.run { session in
      session.type("ask\ryes\r")
      try session.waitForPrompt(after: "answer line(\"yes\")")
      session.type("\u{10}")
      try session.wait("the history without the answer") { $0.lines.last == "名> ask" }
    }
  }

  @Test func `SIGTERM restores the terminal and ends the process by that signal`() async throws {
    try await EditorSession.run { session in
      try session.typeAndSee("half a line")
      session.send(SIGTERM)

      #expect(try session.waitForEnd() & 0x7F == SIGTERM)
      #expect(session.settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON))
      #expect(!session.screen.marksPastes)
    }
  }

  @Test func `a terminal that goes away ends the input`() async throws {
    try await EditorSession.run { session in
      try session.typeAndSee("x")
      session.send(SIGHUP)

      #expect(try session.waitForEnd() & 0x7F == SIGHUP)
    }
  }

  @Test func `SIGQUIT leaves no terminal in disorder`() async throws {
    try await EditorSession.run { session in
      try session.typeAndSee("x")
      session.send(SIGQUIT)

      #expect(try session.waitForEnd() & 0x7F == SIGQUIT)
      #expect(session.settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON))
    }
  }

  @Test func `a stop that nobody could end only draws the line again`() async throws {
    try await EditorSession.run { session in
      try session.typeAndSee("half a line")
      let starts = session.screen.pasteMarkStarts
      session.send(SIGTSTP)
      // What is typed before the stop is dropped, so it has to be over first.
      try session.wait("the terminal taken over again") { $0.pasteMarkStarts > starts }
      session.command("print after the stop")
      try session.waitForText("after the stop")
      try session.wait("the line") { $0.lines.last == "名> half a line" && $0.column == 15 }

      session.type("!\r")
      try session.waitForPrompt(after: "got [half a line!]")
    }
  }

  @Test func `a reader that is cancelled gives the terminal back`() async throws {
    try await EditorSession.run { session in
      session.type("read\r")
      try session.waitForText("reader>")
      try session.typeAndSee("half")
      session.command("cancel")

      try session.waitForPrompt(after: "reader> half\nread interrupted(discarded: \"half\")")
    }
  }

  @Test func `vi keys of the person's own settings keep paste and completion`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("bind -v\n", to: "editrc")
    try await EditorSession.run(
      folder: folder, environment: ["EDITRC": folder.path("editrc")]
    ) { session in
      session.type("liste\t\u{1B}0xi")
      try session.wait("the edited word") { $0.lines.last == "名> isten" }
      session.type("\u{1B}[200~a\nb\u{1B}[201~")
      try session.wait("the paste") { $0.lines.count == 2 }
      session.type("\r")
      try session.waitForText("got [")
    }
  }

  // MARK: - Commands that run

  @Test func `Ctrl-C while a command runs reaches the command`() async throws {
    try await EditorSession.run { session in
      session.type("wait\r")
      try session.waitForText("waiting")
      session.type("\u{3}")

      try session.waitForPrompt(after: "cancelled")
    }
  }

  @Test func `what is typed ahead is shown once`() async throws {
    try await EditorSession.run { session in
      session.type("ask\ryes\rnext line")

      try session.wait("the three lines") {
        $0.lines == ["名> ask", "sure? yes", "answer line(\"yes\")", "名> next line"]
      }
    }
  }

  @Test func `a program that borrows the terminal has it as it was found`() async throws {
    try await EditorSession.run { session in
      session.type("shell\r")
      try session.wait("the terminal lent") { _ in
        session.settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON)
      }
      session.command("print held back")
      session.type("hi\r")

      try session.waitForPrompt(after: "shell hi\nstatus 0\nheld back")
      #expect(session.settings.c_lflag & tcflag_t(ECHO | ICANON) == 0)
    }
  }

  // MARK: - Completion

  @Test func `completion goes as far as it is clear and then lists`() async throws {
    try await EditorSession.run { session in
      session.type("l\t")
      try session.wait("the common beginning") { $0.lines.last == "名> list" && $0.column == 8 }
      session.type("\t\t")
      try session.wait("the list") {
        $0.lines.suffix(2) == ["list    listen", "名> list"] && $0.column == 8
      }
      session.type("e\t名\t\r")
      try session.waitForPrompt(after: "got [listen 名前 ]")
    }
  }

  // MARK: - Paste

  @Test func `pasted lines do not run until Enter`() async throws {
    try await EditorSession.run { session in
      session.type("\u{1B}[200~first\r\tsecond\u{1}\u{1B}[A\n名\n\u{1B}[201~")
      try session.wait("the pasted block") {
        $0.lines == ["名> first", "        second[A", "名"] && $0.column == 2
      }

      session.command("print above it")
      try session.wait("the block below") {
        $0.lines == ["above it", "名> first", "        second[A", "名"] && $0.column == 2
      }

      session.type("!\r")
      try session.waitForPrompt(after: "got [first/     second[A/名!]")
    }
  }

  @Test func `Ctrl-C ends a paste whose end never comes`() async throws {
    try await EditorSession.run { session in
      session.type("\u{1B}[200~endless")
      session.command("print in between")
      try session.waitForText("in between")
      session.type("\u{3}")

      try session.waitForPrompt(after: "interrupted []")
    }
  }

  // MARK: - History

  @Test func `two sessions share one history and neither erases the other`() async throws {
    let folder = try TemporaryFolder()
    try await EditorSession.run(folder: folder) { first in
      first.type("from the first\r")
      try first.waitForPrompt(after: "got [from the first]")
    }
    try await EditorSession.run(folder: folder) { second in
      second.type(" secret\rfrom the second\rfrom the second\r")
      try second.waitForPrompt(after: "got [from the second]\n名> from the second\ngot")
      second.type("\u{10}\u{10}")
      try second.wait("the line of the first") { $0.lines.last == "名> from the first" }
    }

    #expect(try folder.read("history") == "from the first\nfrom the second\n")
  }

  @Test func `Ctrl-R finds earlier lines and prints above do not disturb it`() async throws {
    try await EditorSession.run { session in
      session.type("alpha one\rbeta two\r\u{12}alp")
      try session.wait("the search") { $0.lines.suffix(2) == ["名> alpha one", "bck:alp"] }
      session.command("print event")
      try session.wait("the search below") {
        $0.lines.suffix(3) == ["event", "名> alpha one", "bck:alp"]
      }
      session.type("\r")
      try session.waitForPrompt(after: "event\n名> alpha one\ngot [alpha one]")
    }
  }
}
