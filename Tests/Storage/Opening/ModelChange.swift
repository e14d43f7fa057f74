import Testing

/// One change of the fixtures' model.
struct ModelChange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let change: @Sendable (String) -> String

  init(_ description: String, _ replacements: (String, String)...) {
    testDescription = description
    change = { text in
      replacements.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
  }

  static let all = [
    ModelChange(
      "added attribute",
      ("\"done\":", "\"added\": {\"type\": \"text\", \"default\": \"new\"}, \"done\":")),
    ModelChange("removed attribute", ("\"weight\": {\"type\": \"real\", \"default\": 0},", "")),
    ModelChange(
      "renamed attribute",
      (
        "\"title\": {\"type\": \"text\",",
        "\"heading\": {\"renamedFrom\": \"title\", \"type\": \"text\","
      )),
    ModelChange(
      "swapped attributes",
      (
        "\"title\": {\"type\": \"text\", \"default\": \"\"}",
        "\"count\": {\"type\": \"text\", \"default\": \"\", \"renamedFrom\": \"title\"}"
      ),
      (
        "\"count\": {\"type\": \"integer\", \"default\": 0}",
        "\"title\": {\"type\": \"integer\", \"default\": 0, \"renamedFrom\": \"count\"}"
      )),
    ModelChange(
      "renamed attribute whose old name another takes",
      (
        "\"title\": {\"type\": \"text\", \"default\": \"\"}",
        "\"heading\": {\"type\": \"text\", \"default\": \"\", \"renamedFrom\": \"title\"}, "
          + "\"title\": {\"type\": \"integer\", \"default\": 7, \"renamedFrom\": \"second\"}"
      )),
    ModelChange(
      "renamed in case alone",
      (
        "\"title\": {\"type\": \"text\",",
        "\"Title\": {\"renamedFrom\": \"title\", \"type\": \"text\","
      ),
      ("\"Draft\": {", "\"draft\": {\"renamedFrom\": \"Draft\",")),
    ModelChange(
      "a removed attribute's name taken by a renamed one",
      ("\"title\": {\"type\": \"text\", \"default\": \"\"},", ""),
      (
        "\"count\": {\"type\": \"integer\",",
        "\"title\": {\"renamedFrom\": \"count\", \"type\": \"integer\","
      )),
    ModelChange("optional attribute", ("\"default\": 0}", "\"default\": 0, \"optional\": true}")),
    ModelChange("another default", ("\"default\": \"\"}", "\"default\": \"other\"}")),
    ModelChange(
      "another type", ("\"type\": \"text\"", "\"type\": \"data\""),
      ("\"default\": \"\"", "\"optional\": true")),
    ModelChange(
      "a type that does not hold the values",
      (
        "\"count\": {\"type\": \"integer\", \"default\": 0}",
        "\"count\": {\"type\": \"text\", \"default\": \"none\"}"
      )),
    ModelChange("another delete rule", ("\"nullify\"", "\"cascade\"")),
    ModelChange("other indexes", ("[[\"done\", \"due\"]]", "[[\"title\"], [\"due\"]]")),
    ModelChange("no longer local", (",\n      \"configuration\": \"local\"", "")),
    ModelChange(
      "no longer synced",
      ("\"identity\": [\"key\"]", "\"identity\": [\"key\"], \"configuration\": \"local\"")),
    ModelChange("added entity", ("\"Draft\": {", "\"New\": {}, \"Draft\": {")),
    ModelChange(
      "removed entity", ("\"Setting\": {", "\"Other\": {"), ("\"Draft\": {", "\"Fresh\": {")),
    ModelChange(
      "renamed entities",
      ("\"Note\"", "\"Entry\""), ("\"Entry\": {", "\"Entry\": {\"renamedFrom\": \"Note\","),
      ("\"Folder\"", "\"Place\""), ("\"Place\": {", "\"Place\": {\"renamedFrom\": \"Folder\",")),
    ModelChange(
      "swapped entities",
      ("\"Label\"", "\"~\""), ("\"Folder\"", "\"Label\""), ("\"~\"", "\"Folder\""),
      ("\"Folder\": {", "\"Folder\": {\"renamedFrom\": \"Label\","),
      (
        "\"Label\": {\n      \"attributes\"",
        "\"Label\": {\"renamedFrom\": \"Folder\",\n      \"attributes\""
      )),
    ModelChange(
      "removed relationship",
      ("\"folder\": {\"to\": \"Folder\", \"inverse\": \"notes\", \"onDelete\": \"nullify\"},", ""),
      (
        ",\n      \"relationships\": {\"notes\": {\"to\": \"Note\", \"inverse\": \"folder\", \"many\": true}}",
        ""
      )),
    ModelChange(
      "removed links",
      (
        "\"onDelete\": \"nullify\"},\n        \"labels\": {\"to\": \"Label\", \"inverse\": \"notes\", \"many\": true}",
        "\"onDelete\": \"nullify\"}"
      ),
      (
        ",\n      \"relationships\": {\"notes\": {\"to\": \"Note\", \"inverse\": \"labels\", \"many\": true}}",
        ""
      )),
  ]
}
