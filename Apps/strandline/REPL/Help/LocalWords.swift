import Foundation
import Strandline

/// Words that shells ask for while they complete; they come from files, and no store is opened.
package enum LocalWords: String, CaseIterable, Sendable {
  /// The entities of the model.
  case entities
  /// The devices that have a store in the home.
  case devices

  /// The option by which a shell asks; it is nothing for people.
  package static let option = "--list-words"

  /// The words; none where the home cannot be read, since nobody sees an error here.
  func words(_ options: Options, variables: [String: String]) -> [String] {
    do {
      let home = try Home(options: options, variables: variables)
      switch self {
      case .entities: return try home.loadSchema(mayWrite: false).entities.map(\.name)
      case .devices: return home.localDevices()
      }
    } catch {
      // A shell that completes shows the person's line, in which no error may stand.
      return []
    }
  }
}
