import StrandlineTransport

/// The token in the header `Authorization`.
enum BearerToken {
  /// What is wrong with a token.
  enum Fault: String, Sendable {
    case missing, malformed, unknown, expired, revoked

    /// The refusal that says so.
    var refusal: ServerRefusal {
      ServerRefusal(
        401,
        TransportError(
          .notAuthorized, "Could not use the account, \(reason).", advice: advice,
          remedy: .waitForAccount, context: ["token": rawValue]),
        headers: ["WWW-Authenticate": "Bearer"])
    }

    private var reason: String {
      switch self {
      case .missing: "the request carries no access token"
      case .malformed: "the access token is not one of this server's kind"
      case .unknown: "this server does not know the access token"
      case .expired: "the access token has expired"
      case .revoked: "the access token was revoked"
      }
    }

    private var advice: String {
      switch self {
      case .missing: "Send the header 'Authorization: Bearer TOKEN'."
      case .malformed, .unknown: "Check that the whole token was copied, and for this server."
      case .expired, .revoked:
        "Ask the server's keeper for a new one: strandline-server token create ACCOUNT."
      }
    }
  }

  /// The greatest length of a token.
  private static let bound = 512

  /// Reads the secret out of the header.
  static func secret(in header: String?) -> Result<String, FaultError> {
    guard let header, !header.isEmpty else { return .failure(FaultError(.missing)) }
    let parts = header.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.first?.lowercased() == "bearer" else { return .failure(FaultError(.missing)) }
    guard parts.count == 2, parts[1].utf8.count <= bound else {
      return .failure(FaultError(.malformed))
    }
    return .success(String(parts[1]))
  }

  /// A fault as an error.
  struct FaultError: Error {
    let fault: Fault

    init(_ fault: Fault) {
      self.fault = fault
    }
  }
}
