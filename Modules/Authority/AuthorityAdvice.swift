/// What people are told to do where that depends on who keeps the cloud.
package struct AuthorityAdvice: Hashable, Sendable {
  /// How production learns what development knows.
  package var deploySchema: String
  /// What helps where a zone is damaged.
  package var damagedZone: String

  /// Takes sentences, by default those that hold for every cloud.
  package init(
    deploySchema: String = "Deploy the schema to production.",
    damagedZone: String = "Restore the cloud from a backup."
  ) {
    self.deploySchema = deploySchema
    self.damagedZone = damagedZone
  }
}
