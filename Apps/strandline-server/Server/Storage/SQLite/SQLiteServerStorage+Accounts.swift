import StrandlineAuthority
import StrandlineModels
import StrandlineStorage
package import StrandlineTransport

// Who the server is, accounts, and access tokens.
extension SQLiteServerStorage {
  package func identity() throws(TransportError) -> ServerIdentity {
    try access { connection in
      guard
        let identity = try connection.first(
          "SELECT id, incarnation FROM server", [],
          { ServerIdentity(id: $0.text(0), incarnation: $0.integer(1)) })
      else { throw TransportError.damagedServer("its name is missing") }
      return identity
    }
  }

  package func raiseIncarnation() throws(TransportError) {
    try access { _ = try $0.run("UPDATE server SET incarnation = incarnation + 1") }
  }

  package func accounts() throws(TransportError) -> [Account] {
    try access { connection in
      try connection.map("SELECT name, created_at FROM account ORDER BY name") {
        Account(name: $0.text(0), createdAt: $0.integer(1))
      }
    }
  }

  package func account(named name: String) throws(TransportError) -> Account? {
    try access { connection in
      try connection.first(
        "SELECT name, created_at FROM account WHERE name = ?", [.text(name)]
      ) { Account(name: $0.text(0), createdAt: $0.integer(1)) }
    }
  }

  package func add(_ account: Account) throws(TransportError) {
    try access { connection in
      _ = try connection.run(
        "INSERT INTO account VALUES (?, ?)", [.text(account.name), .integer(account.createdAt)])
    }
  }

  package func removeAccount(named name: String) throws(TransportError) {
    for zone in try zones() where zone.account.utf8.elementsEqual(name.utf8) {
      try removeContents(of: zone.id)
    }
    try access { connection in
      for (table, column) in [("zone", "account"), ("token", "account"), ("account", "name")] {
        try connection.run("DELETE FROM \(table) WHERE \(column) = ?", [.text(name)])
      }
      remember { $0.zoneNumbers = [:] }
    }
  }

  private static let tokenColumns = """
    number, account, prefix, hash, device, created_at, expires_at, revoked_at
    """

  package func tokens(of account: String?) throws(TransportError) -> [AccessToken] {
    try access { connection in
      try connection.map(
        "SELECT \(Self.tokenColumns) FROM token WHERE ?1 IS NULL OR account = ?1 ORDER BY number",
        [Value(account)], token)
    }
  }

  package func token(withHash hash: [UInt8]) throws(TransportError) -> AccessToken? {
    try access { connection in
      try connection.first(
        "SELECT \(Self.tokenColumns) FROM token WHERE hash = ?", [.blob(hash)], token)
    }
  }

  private func token(in row: Row) -> AccessToken {
    var token = AccessToken(
      account: row.text(1), prefix: row.text(2), hash: row.blob(3), device: row.optionalText(4),
      createdAt: row.integer(5), expiresAt: row.optionalInteger(6))
    token.number = row.integer(0)
    token.revokedAt = row.optionalInteger(7)
    return token
  }

  @discardableResult
  package func save(_ token: AccessToken) throws(TransportError) -> AccessToken {
    try access { connection in
      var token = token
      let values: [Value] = [
        .text(token.account), .text(token.prefix), .blob(token.hash), Value(token.device),
        .integer(token.createdAt), Value(token.expiresAt), Value(token.revokedAt),
      ]
      if token.number == 0 {
        try connection.run(
          """
          INSERT INTO token(account, prefix, hash, device, created_at, expires_at, revoked_at)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """, values)
        token.number = try connection.integer("SELECT last_insert_rowid()")
      } else {
        try connection.run(
          """
          UPDATE token SET account = ?, prefix = ?, hash = ?, device = ?, created_at = ?,
            expires_at = ?, revoked_at = ? WHERE number = ?
          """, values + [.integer(token.number)])
      }
      return token
    }
  }
}
