#if os(Linux)
    import Foundation
    import NetKitTesting
    import Testing

    @testable import NetKit

    /// Tests that invalid TLS settings are refused when the transport is created.
    struct CurlTLSFilesTests {
        private static let pin = "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()
        /// A sequence of ASN.1, which is all that is checked.
        private static let certificate = pem("CERTIFICATE", [0x30, 0x03, 0x02, 0x01, 0x05])
        private static let key = pem("PRIVATE KEY", [0x30, 0x03, 0x02, 0x01, 0x05])

        private static func pem(_ label: String, _ bytes: [UInt8]) -> String {
            "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString())\n-----END \(label)-----\n"
        }

        private func problem(_ change: (inout CurlTransport.TLS) -> Void) -> String? {
            var configuration = CurlTransport.Configuration()
            change(&configuration.tls)
            do {
                _ = try CurlTransport(configuration: configuration)
                return nil
            } catch {
                #expect(error.code == .invalidConfiguration || error.code == .unsupported)
                #expect(error.outcome == .notSent)
                return error.message
            }
        }

        @Test(arguments: [
            "", "sha256//", "sha1//\(pin.dropFirst(8))", "sha256//AAAA", String(pin.dropLast(4)), "pin",
            "\(pin);\(pin)",
        ])
        func aPinThatIsNoneIsRefused(pin: String) {
            #expect(
                problem { $0.pins = [Self.pin, pin] }?.contains("is not `sha256//` and 32 bytes in Base64") == true
            )
        }

        @Test func morePinsThanLibcurlTakesAreRefused() {
            #expect(problem { $0.pins = [Self.pin, Self.pin] } == nil)
            let message = problem { $0.pins = Array(repeating: Self.pin, count: 200_000) }
            #expect(message?.contains("pinned public keys, or so many of them") == true)
        }

        @Test(
            arguments: [
                ("hello", "has no certificate in PEM"), ("", "has no certificate in PEM"),
                (key, "has no certificate in PEM"),
                ("-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n", "cannot be decoded, number 1"),
                (certificate + pem("CERTIFICATE", [0x30, 0x82, 0x01]), "cannot be decoded, number 2"),
                ("-----BEGIN CERTIFICATE-----\nMAMCAQU=", "has no certificate in PEM"),
            ]
        )
        func rootsThatAreNoneAreRefused(text: String, reason: String) throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(Data(text.utf8), to: "roots.pem")
            #expect(problem { $0.roots = .pem(Data(text.utf8)) }?.contains(reason) == true)
            #expect(problem { $0.roots = .file(file.path()) }?.contains(reason) == true)
        }

        @Test(arguments: [
            pem("ENCRYPTED PRIVATE KEY", [0x30, 0x03, 0x02, 0x01, 0x05]),
            "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA\n"
                + "-----END EC PRIVATE KEY-----\n",
        ])
        func anEncryptedKeyNeedsItsPassphrase(text: String) throws {
            let folder = try TemporaryFolder()
            let certificate = try folder.write(Data(Self.certificate.utf8), to: "certificate.pem").path()
            let key = try folder.write(Data(text.utf8), to: "key.pem").path()
            let message = problem { $0.identity = .init(certificatePath: certificate, keyPath: key) }
            #expect(message?.contains("\"\(key)\", is encrypted; give its passphrase") == true)
            #expect(problem { $0.identity = .init(certificatePath: certificate, keyPath: key, passphrase: "a") } == nil)
        }

        @Test func aFileThatIsMissingIsNamed() throws {
            let folder = try TemporaryFolder()
            let missing = folder.file("missing.pem").path()
            let certificate = try folder.write(Data(Self.certificate.utf8), to: "certificate.pem").path()
            let key = try folder.write(Data(Self.key.utf8), to: "key.pem").path()
            #expect(problem { $0.roots = .file(missing) }?.contains("\"\(missing)\", is not there") == true)
            #expect(problem { $0.roots = .file(folder.url.path()) }?.contains("cannot be read") == true)
            for (certificatePath, keyPath, what) in [(missing, key, "certificate"), (certificate, missing, "key")] {
                let message = problem { $0.identity = .init(certificatePath: certificatePath, keyPath: keyPath) }
                #expect(message?.contains("the file of the client's \(what), \"\(missing)\", is not there") == true)
            }
            let swapped = problem { $0.identity = .init(certificatePath: key, keyPath: certificate) }
            #expect(swapped?.contains("has no certificate in PEM") == true)
            let both = problem { $0.identity = .init(certificatePath: certificate, keyPath: certificate) }
            #expect(both?.contains("has no private key in PEM") == true)
            #expect(problem { $0.identity = .init(certificatePath: certificate, keyPath: key) } == nil)
            #expect(problem { $0.roots = .file(certificate) } == nil)
        }
    }
#endif
