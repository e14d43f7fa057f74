import Strandline
import StrandlineTesting

/// The model of the simulated fleets: what refers to what in every way, and accounts between which
/// the devices move amounts.
enum SimulatedModel {
  /// How many accounts each writer has, and what they hold together.
  static let accounts = 3
  static let sum: Int64 = 300

  /// The model; without the settings it is the one of plans that were drawn before there were any.
  static func schema(isNewer: Bool = false, hasSettings: Bool = true) throws -> Schema {
    let newer = isNewer ? #", "mood":{"type":"text","default":"calm"}"# : ""
    let entity =
      isNewer ? #", "Place":{"attributes":{"name":{"type":"text","default":""}}}"# : ""
    let settings =
      hasSettings
      ? #"""
      , "Setting":{"attributes":{"key":{"type":"text","default":""},
        "value":{"type":"text","default":""}},"identity":["key"]}
      """# : ""
    return try Schema(
      parsing: """
        {"version":\(isNewer ? 2 : 1),"entities":{
          "Note":{"attributes":{"title":{"type":"text","default":""},
            "done":{"type":"boolean","default":false},"count":{"type":"integer","default":0},
            "extra":{"type":"data","optional":true}\(newer)},
            "relationships":{"list":{"to":"List","inverse":"notes","onDelete":"nullify"},
              "tags":{"to":"Tag","many":true,"inverse":"notes"}}},
          "Step":{"attributes":{"name":{"type":"text","default":""}},
            "relationships":{"note":{"to":"Note","inverse":"steps","onDelete":"cascade"}}},
          "List":{"attributes":{"name":{"type":"text","default":""},
            "weight":{"type":"real","default":0.5}},
            "relationships":{"notes":{"to":"Note","many":true,"inverse":"list"}}},
          "Tag":{"attributes":{"name":{"type":"text","default":""}},
            "relationships":{"notes":{"to":"Note","many":true,"inverse":"tags"}}},
          "Account":{"attributes":{"owner":{"type":"integer","default":0},
            "balance":{"type":"integer","default":0}}}\(entity)\(settings)}}
        """)
  }

  /// Moves an amount from one account of the writer to another, after making all of them in the
  /// first transaction.
  @Sendable static func transfer(
    _ write: WriteTransaction, _ random: inout SeededGenerator, _ writer: FleetWriter
  ) throws {
    let ids = (0..<accounts).map(writer.id)
    guard try write.record("Account", ids[0]) != nil else {
      for id in ids {
        let values: [String: Value] = [
          "owner": .integer(Int64(writer.number)), "balance": .integer(sum / Int64(accounts)),
        ]
        try write.insert("Account", id: id, values: values)
      }
      return
    }
    let amount = Int64.random(in: 1...9, using: &random)
    let from = Int.random(in: 0..<accounts, using: &random)
    for (index, change) in [(from, -amount), ((from + 1) % accounts, amount)] {
      let balance = try write.record("Account", ids[index])?["balance"].integer ?? 0
      try write.update("Account", ids[index], values: ["balance": .integer(balance + change)])
    }
  }

  /// Tells of writers whose accounts do not hold what they held from the beginning.
  @Sendable static func check(_ read: ReadTransaction) throws -> [String] {
    var sums: [Int64: Int64] = [:]
    for record in try read.records(Query("Account")) {
      sums[record["owner"].integer ?? 0, default: 0] += record["balance"].integer ?? 0
    }
    return sums.filter { $0.value != sum }.sorted { $0.key < $1.key }.map { owner, found in
      "(C4) the accounts of writer \(owner) hold \(found) and not \(sum)."
    }
  }

  static func simulation(
    _ options: FleetOptions = FleetOptions(), hasSettings: Bool = true
  ) throws -> FleetSimulation {
    var options = options
    options.newerSchema = try schema(isNewer: true, hasSettings: hasSettings)
    return FleetSimulation(
      schema: try schema(hasSettings: hasSettings), options: options, ownEntities: ["Account"],
      edit: transfer,
      check: check)
  }
}
