import Foundation
import StrandlineTestSupport

/// A certificate for this machine that nobody vouches for, made once for all tests.
final class TestCertificate: Sendable {
  /// The certificate's file.
  let certificate: String
  /// The key's file.
  let key: String
  private let folder: TemporaryFolder

  private static let made = Task { try await TestCertificate() }

  /// The one of this run.
  static func shared() async throws -> TestCertificate { try await made.value }

  private init() async throws {
    folder = try TemporaryFolder()
    certificate = folder.path("certificate.pem")
    key = folder.path("key.pem")
    let outcome = try await ChildProcess(
      folder: folder, executable: "/usr/bin/env",
      arguments: [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
      ]
    ).run()
    guard outcome.code == 0 else {
      throw UnmadeCertificate(description: outcome.error)
    }
  }

  private struct UnmadeCertificate: Error, CustomStringConvertible {
    let description: String
  }
}
