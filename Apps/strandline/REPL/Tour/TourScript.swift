/// What the tour tells and does, chapter by chapter.
///
/// Each step has what is explained, what is typed, and what the answer must show.
package enum TourScript {
  package static let chapters: [TourChapter] = [
    TourChapter(
      title: "Saving",
      steps: [
        TourStep(
          """
          This is a phone of its own, with the sample model of to-do items. A save goes into a
          SQLite file on the phone, and waits for no network.
          """,
          type: "save TodoList title=Home", shows: "Saved TodoList"),
        TourStep(
          "A listing numbers its rows, and #1 then means the record in row 1.",
          type: "list TodoList", shows: "Home"),
        TourStep(
          "A relationship is set like any other field.",
          type: "save TodoItem name=\"Buy milk\" list=#1", shows: "Saved TodoItem"),
        TourStep(
          "One more, so that there is something to choose from.",
          type: "save TodoItem name=\"Water the plants\"", shows: "Saved TodoItem"),
        TourStep(
          "The prompt says 3↑ by now: three changes that no other place is known to have.",
          type: "list TodoItem order by name", shows: "Buy milk", "Water the plants"),
      ]),
    TourChapter(
      title: "Toggling",
      steps: [
        TourStep(
          "Yes and no is flipped by a word of its own.",
          type: "toggle #1 done", shows: "done is now true"),
        TourStep(
          "show tells everything about one record.",
          type: "show #1", shows: "done = true"),
        TourStep(
          """
          Three records were saved and one of them was changed again; three wait. What the
          status does not know, it says it does not know.
          """,
          type: "status", shows: "3 changes", "not observed yet"),
      ]),
    TourChapter(
      title: "A cycle",
      steps: [
        TourStep(
          """
          A cycle imports what others changed, and exports what waits. It runs by itself after
          a save; in this tour it runs when it is told to.
          """,
          type: "sync", shows: "Exported 3 changes"),
        TourStep(
          "Now the status tells a moment: what was true then is all that can be known.",
          type: "status", shows: "Caught up as of", "nothing"),
        TourStep(
          "A second device on the same transport.",
          type: "device laptop", shows: "laptop"),
        TourStep(
          "Its first cycle imports what the phone exported.",
          type: "sync", shows: "Imported 3 changes"),
        TourStep(
          "The same records, with the same ids.",
          type: "list TodoItem order by name", shows: "Buy milk", "Water the plants"),
        TourStep(
          "It flips the other item, and exports that.",
          type: "toggle #2 done", shows: "done is now true"),
        TourStep("One change leaves the laptop.", type: "sync", shows: "Exported 1 change"),
        TourStep("Back on the phone,", type: "device phone", shows: "phone"),
        TourStep("one change arrives.", type: "sync", shows: "Imported 1 change"),
      ]),
    TourChapter(
      title: "Offline",
      steps: [
        TourStep(
          "The phone's link is cut, as in a tunnel.",
          type: "link down", shows: "is down"),
        TourStep(
          "The numbers belong to the listing on this device.",
          type: "list TodoItem order by name", shows: "Buy milk"),
        TourStep(
          "Saving goes on as ever.",
          type: "set #1 name=\"Buy oat milk\"", shows: "Saved TodoItem"),
        TourStep(
          "A cycle cannot reach anybody, and says so; nothing is lost by it.",
          type: "sync", shows: "1 change wait", "Could not reach the other side"),
        TourStep(
          "The status has the reason, when it is tried again, and what waits.",
          type: "status", shows: "Waiting until", "1 change"),
        TourStep("Every change that waits, one by one.", type: "pending", shows: "name"),
      ]),
    TourChapter(
      title: "A conflict",
      steps: [
        TourStep("Meanwhile on the laptop,", type: "device laptop", shows: "laptop"),
        TourStep("the same item", type: "list TodoItem order by name", shows: "Buy milk"),
        TourStep(
          "gets another name. Neither device knows of the other's edit.",
          type: "set #1 name=\"Buy milk and bread\"", shows: "Saved TodoItem"),
        TourStep("It is exported,", type: "sync", shows: "Exported 1 change"),
        TourStep("and on the phone", type: "device phone", shows: "phone"),
        TourStep("the link is mended.", type: "link up", shows: "is up"),
        TourStep(
          "Both edits meet. The later one shows on every device; the other is kept.",
          type: "sync", shows: "1 value lost"),
        TourStep(
          "What lost, to what, and who wrote it. Every device lists the same.",
          type: "conflicts", shows: "Buy oat milk", "Buy milk and bread"),
        TourStep(
          "A value that lost can be set again, as a new edit.",
          type: "conflicts restore 1", shows: "Saved TodoItem"),
        TourStep("It travels like any other.", type: "sync", shows: "Exported 1 change"),
      ]),
    TourChapter(
      title: "The switch",
      steps: [
        TourStep(
          """
          A person may not want to sync at all. The switch asks whether the copy in the cloud
          stays; --keep answers that.
          """,
          type: "sync off --keep", shows: "Sync is off"),
        TourStep(
          "Everything else works as before.",
          type: "save Tag name=urgent", shows: "Saved Tag"),
        TourStep(
          "What is not exported is counted, and nothing is called wrong.",
          type: "status", shows: "switched off", "1 change"),
        TourStep("On again,", type: "sync on", shows: "Sync is on"),
        TourStep(
          "and what was saved meanwhile goes out.", type: "sync", shows: "Exported 1 change"),
      ]),
    TourChapter(
      title: "Where did it get to?",
      steps: [
        TourStep("Take the tag of the last chapter.", type: "list Tag", shows: "urgent"),
        TourStep(
          """
          A trace tells each gate of a change. The laptop has not told yet that it imported
          this one, so that is not said.
          """,
          type: "trace #1", shows: "saved here", "exported to memory", "not observed"),
        TourStep("Let the laptop", type: "device laptop", shows: "laptop"),
        TourStep("import it, and report that.", type: "sync", shows: "Imported"),
        TourStep("The phone", type: "device phone", shows: "phone"),
        TourStep("hears of it in its next cycle.", type: "sync", shows: "Nothing was waiting"),
        TourStep("And so does the trace.", type: "trace #1", shows: "imported by laptop"),
        TourStep(
          "The history has every transaction, whoever made it.",
          type: "history", shows: "saved here", "insert Tag"),
      ]),
  ]
}
