import Foundation
import NetKitTestSupport
import Testing

@Suite(.needsTheMachine, .needs(.openssl))
struct TestCertificatesTests {
    private func openssl(_ arguments: String...) async throws -> String {
        try await Peer.openssl.required().run(arguments).output
    }

    @Test(
        arguments: [
            (.server, "OK"), (.client, "OK"), (.intermediate, "OK"),
            (.chained, "unable to get local issuer certificate"), (.expired, "certificate has expired"),
            (.notYetValid, "certificate is not yet valid"), (.selfSigned, "certificate"),
            (.unknownAuthority, "unable to get local issuer certificate"),
            (.otherClient, "unable to get local issuer certificate"),
        ] as [(TestCertificate.Name, String)]
    )
    func saysOfACertificate(name: TestCertificate.Name, verdict: String) async throws {
        let certificates = try await TestCertificates.shared.value
        let file = certificates.certificate(name).path()
        let output = try await openssl(
            "verify",
            "-no-CAfile",
            "-no-CApath",
            "-CAfile",
            certificates.authority.path(),
            file
        )
        #expect(output.contains(verdict))
        // The name of the folder may contain the letters as well.
        #expect(output.contains(": OK") == (verdict == "OK"))
    }

    @Test
    func hasAChain() async throws {
        let certificates = try await TestCertificates.shared.value
        let output = try await openssl(
            "verify",
            "-CAfile",
            certificates.authority.path(),
            "-untrusted",
            certificates.certificate(.intermediate).path(),
            certificates.chain.path()
        )
        #expect(output.hasSuffix("OK\n"))
    }

    @Test(arguments: [(TestCertificates.passphrase, true), ("wrong", false)])
    func encryptsTheKeyOfTheClient(passphrase: String, isRight: Bool) async throws {
        let certificates = try await TestCertificates.shared.value
        let key = certificates.encryptedClientKey
        #expect(try String(contentsOf: key, encoding: .utf8).contains("BEGIN ENCRYPTED PRIVATE KEY"))
        let opened = try await openssl("pkey", "-in", key.path(), "-passin", "pass:\(passphrase)")
        let plain = try String(contentsOf: certificates.key(.client), encoding: .utf8)
        #expect((opened == plain) == isRight)
    }

    @Test
    func givesPinsAsCurlWritesThem() async throws {
        let certificates = try await TestCertificates.shared.value
        for pin in [certificates.pin, certificates.otherPin] {
            let digest = try #require(Data(base64Encoded: String(pin.dropFirst("sha256//".count))))
            #expect(pin.hasPrefix("sha256//") && digest.count == 32)
        }
        #expect(certificates.pin != certificates.otherPin)
    }
}
