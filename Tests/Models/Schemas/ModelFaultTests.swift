import StrandlineModels
import Testing

/// Every fault that a model can have, in the words that its author reads.
@Suite struct ModelFaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let entities: String
    let faults: [String]
    var testDescription: String { entities }

    init(_ entities: String, _ faults: String...) {
      self.entities = entities
      self.faults = faults
    }
  }

  private static let text = "{\"type\": \"text\", \"default\": \"\"}"

  static let shapes: [Case] = [
    Case(
      "{}", "The model names no entities. Write {\"entities\": {\"NAME\": {\"attributes\": {…}}}}."),
    Case("{\"A\": 7}", "A is not an object. Write it in braces: {…}."),
    Case(
      "{\"A\": {\"colour\": 1}}",
      "A has the key \"colour\", which is not known. Known keys are: attributes, relationships, "
        + "indexes, identity, configuration, renamedFrom, unique."),
    Case(
      "{\"A\": {\"attributes\": []}}",
      "A has \"attributes\" that are no object. Write them in braces: {…}."),
    Case(
      "{\"A\": {\"relationships\": \"b\"}}",
      "A has \"relationships\" that are no object. Write them in braces: {…}."),
    Case(
      "{\"A\": {\"attributes\": {\"x\": {\"type\": \"string\"}}}}",
      "A.x has no type that is known. Use one of: text, integer, real, boolean, date, uuid, data, "
        + "composite."),
    Case(
      "{\"A\": {\"attributes\": {\"x\": {\"type\": \"integer\", \"default\": \"one\"}}}}",
      "A.x has the default \"one\", which is no integer. Write a default of the attribute's type."),
    Case(
      "{\"A\": {\"attributes\": {\"x\": {\"type\": \"text\", \"optional\": \"yes\"}}}}",
      "A.x has a \"optional\" that is neither true nor false. Write true or false."),
    Case(
      "{\"A\": {\"attributes\": {\"x\": {\"type\": \"text\", \"default\": \"\", \"unique\": true}}}}",
      "A.x has a unique constraint. Leave it away; use \"identity\" where equal values mean the "
        + "same record."),
    Case(
      "{\"A\": {\"relationships\": {\"b\": {}}}}",
      "A.b does not say where it leads. Name an entity in \"to\"."),
    Case(
      "{\"A\": {\"renamedFrom\": 7}}",
      "A has a \"renamedFrom\" that is no text. Write it in quotes."),
    Case(
      "{\"A\": {\"indexes\": [\"x\"]}}",
      "A has an \"indexes\" that is no list of names. Write property names in brackets."),
    Case(
      "{\"A\": {\"indexes\": \"x\"}}",
      "A has an \"indexes\" that is no list of names. Write property names in brackets."),
    Case(
      "{\"A\": {\"identity\": [1]}}",
      "A has an \"identity\" that is no list of names. Write property names in brackets."),
  ]

  static let names: [Case] = [
    Case(
      "{\"A b\": {}}",
      "A b has a name that is not a plain word. Use up to 64 letters, digits and underscores, not "
        + "beginning with a digit."),
    Case(
      "{\"\": {}}",
      "'' has a name that is not a plain word. Use up to 64 letters, digits and underscores, not "
        + "beginning with a digit."),
    Case(
      "{\"A\": {\"attributes\": {\"1x\": \(text)}}}",
      "A.1x has a name that is not a plain word. Use up to 64 letters, digits and underscores, "
        + "not beginning with a digit."),
    Case(
      "{\"A\": {\"attributes\": {\"ID\": \(text)}}}",
      "A.ID has a name that is reserved. Choose another name; reserved are id, rowid, oid, and "
        + "names that begin with strandline_ or sqlite_."),
    Case(
      "{\"SQLite_x\": {}}",
      "SQLite_x has a name that is reserved. Choose another name; reserved are id, rowid, oid, "
        + "and names that begin with strandline_ or sqlite_."),
    Case(
      "{\"A\": {}, \"a\": {}}",
      "a has a name that another entity has too, apart from case. Give each entity a name of its "
        + "own."),
    Case(
      "{\"A\": {\"attributes\": {\"x\": \(text), \"X\": \(text)}}}",
      "A.X has a name that another property has too, apart from case. Give each property a name "
        + "of its own."),
    Case(
      "{\"A\": {\"attributes\": {\"x\": {\"type\": \"text\", \"default\": \"\", "
        + "\"renamedFrom\": \"y\"}, \"y\": \(text)}}}",
      "A.y has the first name y, and so has A.x. Records travel under first names; give a new "
        + "property a new name."),
    Case(
      "{\"A\": {\"renamedFrom\": \"B\"}, \"b\": {}}",
      "b has the first name b, and so has A. Records travel under first names; give a new entity "
        + "a new name."),
    Case(
      "{\"A\": {\"renamedFrom\": \"B C\"}}",
      "A is renamed from 'B C', which is no name. Write the first name that the entity had."),
  ]

  static let properties: [Case] = [
    Case(
      "{\"A\": {\"attributes\": {\"x\": {\"type\": \"text\"}}}}",
      "A.x is required and has no default. Give it a \"default\", or make it \"optional\": true; "
        + "records from other devices may arrive without it."),
    Case(
      "{\"A\": {\"indexes\": [[\"x\"]]}}",
      "A names x in an index or identity, which is no column of it. Name attributes and to-one "
        + "relationships there."),
    Case(
      "{\"A\": {\"identity\": [\"x\"]}}",
      "A names x in an index or identity, which is no column of it. Name attributes and to-one "
        + "relationships there."),
    Case(
      "{\"A\": {\"indexes\": [[]]}}",
      "A has an index of no properties. Name one, or leave it away."),
    Case(
      "{\"A\": {\"attributes\": {\"x\": {\"type\": \"date\", \"default\": 0}}, "
        + "\"identity\": [\"x\"]}}",
      "A.x is a date in an identity. Use text or integers there; a fraction is not written alike "
        + "everywhere."),
    Case(
      "{\"A\": {\"unique\": [[\"x\"]]}}",
      "A has a unique constraint. Leave it away; two devices cannot see each other's values when "
        + "they save. Use \"identity\" where equal values mean the same record."),
    Case(
      "{\"A\": {\"configuration\": \"cloud\"}}",
      "A has the configuration cloud. Use \"synced\" or \"local\"."),
  ]

  private static func related(_ a: String, _ b: String = "", _ more: String = "") -> String {
    "{\"A\": {\"relationships\": {\(a)}}, \"B\": {\"relationships\": {\(b)}\(more)}}"
  }

  static let relationships: [Case] = [
    Case(
      "{\"A\": {\"relationships\": {\"c\": {\"to\": \"C\", \"inverse\": \"a\"}}}}",
      "A.c refers to C, which is no entity of the model. Name an entity of the model in \"to\"."),
    Case(
      related("\"b\": {\"to\": \"B\", \"inverse\": \"a\", \"optional\": false}"),
      "A.b is not optional. Make it optional; related records may arrive at different times."),
    Case(
      related("\"b\": {\"to\": \"B\", \"inverse\": \"a\"}", "", ", \"configuration\": \"local\""),
      "A.b goes from configuration synced to local. Keep both entities in one configuration, or "
        + "store the id as an attribute."),
    Case(
      related("\"b\": {\"to\": \"B\", \"inverse\": \"a\", \"onDelete\": \"deny\"}"),
      "A.b has the delete rule deny. Use \"nullify\" or \"cascade\"; another device cannot be "
        + "denied a delete that it has made already."),
    Case(
      related("\"b\": {\"to\": \"B\"}"),
      "A.b has no inverse. Name the property of B that leads back in \"inverse\"."),
    Case(
      related("\"b\": {\"to\": \"B\", \"inverse\": \"a\", \"many\": true}"),
      "A.b names the inverse B.a, which is no relationship. Declare a in B with \"to\": \"A\" and "
        + "\"inverse\": \"b\"."),
    Case(
      related(
        "\"b\": {\"to\": \"B\", \"inverse\": \"a\"}",
        "\"a\": {\"to\": \"A\", \"inverse\": \"other\", \"many\": true}, "
          + "\"other\": {\"to\": \"A\", \"inverse\": \"z\"}"),
      "A.b names the inverse B.a, which does not lead back. Let each of the two name the other.",
      "B.a names the inverse A.other, which is no relationship. Declare other in A with \"to\": "
        + "\"B\" and \"inverse\": \"a\"."),
    Case(
      related(
        "\"b\": {\"to\": \"B\", \"inverse\": \"as\"}, \"c\": {\"to\": \"B\", \"inverse\": \"as\"}"),
      "A.c names the inverse B.as, which another relationship names too. Give each relationship "
        + "an inverse of its own."),
    Case(
      related("\"b\": {\"to\": \"B\", \"inverse\": \"all as\"}"),
      "B.all as has a name that is not a plain word. Use up to 64 letters, digits and "
        + "underscores, not beginning with a digit."),
    Case(
      "{\"A\": {\"relationships\": {\"bs\": {\"to\": \"B\", \"inverse\": \"as\", \"many\": true}}}, "
        + "\"B\": {\"relationships\": {\"as\": {\"to\": \"A\", \"inverse\": \"bs\", \"many\": true}}}, "
        + "\"a_bs\": {}}",
      "A.bs makes the link entity A_bs, whose name is taken. Rename the relationship or the other "
        + "entity."),
  ]

  @Test(arguments: shapes + names + properties + relationships)
  func `a fault is told with its place and its cure`(fault: Case) throws {
    let error = #expect(throws: SchemaError.self) {
      try Schema(parsing: "{\"entities\": \(fault.entities)}")
    }

    #expect(error?.faults.map(\.description) == fault.faults)
  }

  @Test func `the model itself is checked`() throws {
    for (text, fault) in [
      ("[]", "The model is not an object. Write it in braces: {…}."),
      (
        "{\"version\": \"two\", \"entities\": {\"A\": {}}}",
        "The model has a \"version\" that is no integer. Write it in digits."
      ),
      (
        "{\"name\": \"x\", \"entities\": {\"A\": {}}}",
        "The model has the key \"name\", which is not known. Known keys are: version, entities."
      ),
    ] {
      let error = #expect(throws: SchemaError.self) { try Schema(parsing: text) }
      #expect(error?.faults.first?.description == fault)
    }
  }

  @Test func `all faults are told at once`() throws {
    let error = #expect(throws: SchemaError.self) {
      try Schema(
        parsing: """
          {"entities": {"A": {"attributes": {"x": {"type": "text"}}, "configuration": "x"}}}
          """)
    }

    #expect(error?.codeName == "invalidModel")
    #expect(
      error?.message
        == "Could not use the model, 2 faults were found: A.x is required and has no default. "
        + "Give it a \"default\", or make it \"optional\": true; records from other devices may "
        + "arrive without it. A has the configuration x. Use \"synced\" or \"local\".")
    #expect(error?.advice == "Correct the model and try again.")
  }
}
