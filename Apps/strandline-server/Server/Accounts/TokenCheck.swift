package import StrandlineTransport

/// What a text that should be an access token turns out to be.
package enum TokenCheck: Hashable, Sendable {
  /// It opens its account.
  case usable(AccessToken)
  /// It is no token, or was mistyped.
  case malformed
  /// This server never made it, or its account was removed.
  case unknown
  /// Its time is over.
  case expired(AccessToken)
  /// Somebody revoked it.
  case revoked(AccessToken)
}

extension ServerStorage {
  /// Judges a token at a time, in milliseconds since 1970.
  package func check(token text: String, at now: Int64) throws(TransportError) -> TokenCheck {
    guard let hash = TokenSecret(text)?.hash else { return .malformed }
    guard let token = try token(withHash: hash), Digest.areEqual(token.hash, hash) else {
      return .unknown
    }
    if token.revokedAt != nil { return .revoked(token) }
    return token.isUsable(at: now) ? .usable(token) : .expired(token)
  }
}
