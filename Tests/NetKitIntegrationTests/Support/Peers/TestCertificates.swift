import Foundation
import NetKitTesting

/// Certificates and keys made by `openssl` for this run of the tests.
///
/// All keys are of the curve prime256v1, which takes no time to make.
struct TestCertificates: Sendable {
    /// The certificates of this run, made when first asked for and never changed.
    static let shared = Task { try await TestCertificates() }

    /// The passphrase of `encryptedClientKey`.
    static let passphrase = "open sesame"

    /// The public-key pin of `server`, and one that no key of the run has, as curl writes them: `sha256//…`.
    let pin: String
    let otherPin: String

    private let folder: RunFolder

    init() async throws {
        folder = try RunFolder()
        _ = try Peer.openssl.required()
        try Data(TestCertificate.configuration.utf8).writeUnsynced(to: folder.url.appending(path: "openssl.cnf"))
        let shell = SystemTool(path: "/bin/sh")
        let result = try await shell.run(["-ec", Self.script, "sh", folder.url.path()])
        guard result.status == 0 else { throw PeerError("openssl fails: \(result.output)") }
        let digest = try Data(contentsOf: folder.url.appending(path: "pin"))
        pin = "sha256//\(digest.base64EncodedString())"
        otherPin = "sha256//\(Data(digest.reversed()).base64EncodedString())"
    }

    /// The authority that clients of the tests trust, as a file of PEM.
    var authority: URL { certificate(.authority) }

    /// The client's key, encrypted with `passphrase`.
    var encryptedClientKey: URL { folder.url.appending(path: "client-encrypted.key") }

    /// The same in the old format, which names the cipher in lines of its own.
    var oldEncryptedClientKey: URL { folder.url.appending(path: "client-encrypted-old.key") }

    /// The server's `chained` certificate, followed by the intermediate one, as servers send it.
    var chain: URL { folder.url.appending(path: "chain.pem") }

    /// A certificate, as a file of PEM.
    func certificate(_ name: TestCertificate.Name) -> URL { folder.url.appending(path: "\(name).pem") }

    /// The key of a certificate, as a file of PEM without a passphrase.
    func key(_ name: TestCertificate.Name) -> URL { folder.url.appending(path: "\(name).key") }

    private static let script =
        (["cd \"$1\"", ": >index.txt"] + TestCertificate.all.map(\.commands) + [
            "cat chained.pem intermediate.pem >chain.pem",
            "openssl pkey -in client.key -aes256 -passout 'pass:\(passphrase)' -out client-encrypted.key",
            "openssl ec -in client.key -aes256 -passout 'pass:\(passphrase)' -out client-encrypted-old.key",
            "openssl pkey -in server.key -pubout -outform DER -out server.der",
            "openssl dgst -sha256 -binary -out pin server.der",
        ]).joined(separator: "\n")
}
