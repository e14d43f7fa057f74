import Foundation
import StrandlineModels
import StrandlineTestSupport

// One device that edits and syncs step by step. At a place it may end itself, stop itself (the action
// `stop`), or have a call of the system fail (the action is a name of libfiu's):
//
//     StepperFixture STORE TRANSPORT TOKEN-FILE NAME TASK [PLACE OCCURRENCE [ACTION]]
//
// Tasks: `edit:ROUND:COUNT` saves and syncs so many transactions, whose names begin with the name
// and the round; `import` only syncs; `migrate` opens the store with a later model and syncs;
// `purge` removes the zone. What was done is said in a line each, and `done` at the end.

let arguments = CommandLine.arguments
guard arguments.count >= 6 else {
  print("Usage: StepperFixture STORE TRANSPORT TOKEN-FILE NAME TASK [PLACE OCCURRENCE [ACTION]]")
  exit(2)
}
let moment = Moment(
  arguments.count > 7 ? arguments[6] : nil,
  occurrence: arguments.count > 7 ? Int(arguments[7]) ?? 1 : 1,
  action: Moment.Action(arguments.count > 8 ? arguments[8] : nil))
let task = arguments[5].split(separator: ":").map(String.init)
do {
  let device = try await Device(
    store: arguments[1],
    transport: try Device.transport(arguments[2], token: arguments[3], moment: moment),
    name: arguments[4], isMigrating: task[0] == "migrate", moment: moment)
  var isDone = true
  switch task[0] {
  case "edit":
    let prefix = "\(arguments[4])-\(task[1])"
    for number in 1...(Int(task[2]) ?? 1) {
      try await device.save(
        "\(prefix)-\(number)", without: number > 1 ? "\(prefix)-\(number - 1)-b" : nil)
      if try await device.sync() == nil { isDone = false }
    }
  case "purge": try await device.purge()
  default: isDone = try await device.catchUp()
  }
  say(isDone ? "done" : "not done")
  exit(isDone ? 0 : 1)
} catch let error as any ExplainedError {
  say("failed \(error.codeName): \(error.message)")
  exit(1)
}
