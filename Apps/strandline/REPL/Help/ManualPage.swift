import Strandline

/// The man page `strandline(1)`, made from what the help is made of.
@MainActor enum ManualPage {
  /// The page in roff.
  static func text(_ registry: Registry) -> String {
    let sections = [
      ".TH STRANDLINE 1 \"\" \"strandline \(StrandlineProgram.version)\" \"User Commands\"",
      ".SH NAME", "strandline \\- local\\-first records and their sync, at a prompt",
      ".SH SYNOPSIS", synopsis,
      ".SH DESCRIPTION", description(registry),
      ".SH OPTIONS", options,
      ".SH COMMANDS", commands,
      ".SH ENVIRONMENT", Roff.text(ProgramText.environment),
      ".SH FILES", ProgramText.files.map { Roff.item($0.0, $0.1 + ".") }.joined(separator: "\n"),
      ".SH EXIT STATUS",
      ProgramText.exitCodes.map { Roff.item("\($0.0)", $0.1 + ".") }.joined(separator: "\n"),
      ".SH SEE ALSO", ".BR editrc (5)",
    ]
    return sections.joined(separator: "\n") + "\n"
  }

  private static var synopsis: String {
    ProgramText.synopsis.map { ".B strandline\n" + Roff.text($0.0) }
      .joined(separator: "\n.br\n")
  }

  private static func description(_ registry: Registry) -> String {
    Roff.text(
      """
      Saves records in a store on this device and syncs them with other devices through a
      transport. Without a command it is a prompt, or a script on standard input where that is no
      terminal; one grammar holds everywhere. The command tour shows in five minutes how it all
      works, on devices of its own. Transports are: \
      \(registry.addressForms.joined(separator: ", ")).
      """)
  }

  private static var options: String {
    ProgramOption.all.map { Roff.item($0.form, $0.summary + ".") }.joined(separator: "\n")
  }

  private static var commands: String {
    Command.Group.allCases.map { group in
      let members = CommandTable.all.filter { $0.group == group }.map(entry)
      return ".SS " + Roff.text(group.rawValue) + "\n" + members.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private static func entry(_ command: Command) -> String {
    let example = "For example:\n.B " + Roff.line(command.example)
    let notes = command.notes.isEmpty ? "" : "\n.IP\n" + Roff.text(command.notes)
    return Roff.item(command.usage, command.summary) + "\n" + example + notes
  }
}

/// Text as the typesetter reads it.
enum Roff {
  /// A paragraph of a list: a head in bold and what is said of it.
  static func item(_ head: String, _ body: String) -> String {
    ".TP\n.B \(line(head))\n\(text(body))"
  }

  /// Text of any number of lines; none of them is a request.
  static func text(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      let escaped = Roff.line(line)
      return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }.joined(separator: "\n")
  }

  /// One line; what the typesetter would read as its own is escaped, also in an argument.
  static func line(_ text: some StringProtocol) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "\"": out += "\\(dq"
      case "'": out += "\\(aq"
      case "\n": out += " "
      case _ where scalar.isASCII: out.unicodeScalars.append(scalar)
      default: out += "\\[u\(hexadecimal(scalar))]"
      }
    }
    return out
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
