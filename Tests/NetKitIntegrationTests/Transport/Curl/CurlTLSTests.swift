#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTestSupport
    import NetKitTesting
    import Testing

    /// Tests of every row of the matrix over `CurlTransport`: a good server responds, a bad one is `.tls` with the
    /// reason, once.
    @Suite(.needsTheMachine)
    struct CurlTLSTests {
        @Test(.needs(.nginx, .openssl), arguments: TLSFailureMatrix.rows)
        func theOutcomeIsThatOfTheMatrix(_ row: TLSRow) async throws {
            let (certificates, url) = try await row.target()
            let client = try HTTPClient.curl {
                $0.tls = Self.settings(row, certificates)
                if row.host == "other.test" { $0.addressOverrides = [row.host: "127.0.0.1"] }
            }
            let options = CallOptions(delivery: .buffered(upTo: 1 << 20))
            switch row.outcome {
            case .response(let status):
                let response = try await client.send(HTTPRequest(.get, url), options: options)
                #expect(response.status.code == status)
                #expect(response.timings.secured != nil)
            case .failure(let reason):
                let error = await #expect(throws: NetKitError.self) {
                    try await client.send(HTTPRequest(.get, url), options: options)
                }
                #expect(error?.code == .tls)
                #expect(error?.message.contains(Self.words(reason)) == true, "\(error?.message ?? "")")
                #expect(error?.attempts == 1)
                // From TLS 1.3 on, a client is refused when it has begun to send, and the server processes nothing of
                // it.
                #expect(error?.outcome == .notSent)
            }
        }

        /// Such a server resets the connection, and the request on its way may meet the reset before the refusal.
        @Test(.needs(.python3, .openssl), arguments: [TLSVersion.tls12, .tls13], [false, true])
        func aRefusalIsToldWhereTheServerResetsTheConnection(version: TLSVersion, hasIdentity: Bool) async throws {
            let peer = try await AlertingPeer.shared.value
            let row = TLSRow(
                server: .alerting(version),
                identity: hasIdentity ? .unknown : .none,
                outcome: .failure(.noClientCertificate)
            )
            var configuration = CurlTransport.Configuration()
            configuration.tls = Self.settings(row, peer.certificates)
            let client = HTTPClient(transport: try CurlTransport(configuration: configuration))
            let url = try peer.url(version, isAbrupt: true)
            let results = await withTaskGroup(of: String.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let body = HTTPBody.data(Data(count: number.isMultiple(of: 2) ? 300_000 : 1))
                        let request = HTTPRequest(number < 20 ? .get : .put, url, body: number < 20 ? nil : body)
                        do {
                            return "\(try await client.send(request).status)"
                        } catch {
                            guard let error = error as? NetKitError else { return "\(error)" }
                            return "\(error.code), \(error.outcome), after \(error.attempts)"
                        }
                    }
                }
                return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(results == ["tls, not sent, after 1": 40])
        }

        /// The certificate is a pipe, so that both files are replaced after it was opened, and before the key is.
        @Test(.needs(.nginx, .openssl))
        func anIdentityThatIsReplacedWhileItIsReadIsReadAgain() async throws {
            let row = TLSRow(server: .nginx(.mutual), identity: .good, outcome: .response(status: 200))
            let (certificates, url) = try await row.target()
            let folder = try TemporaryFolder()
            let (certificate, key) = (folder.file("tls.crt"), folder.file("tls.key"))
            @Sendable func put(_ name: TestCertificate.Name) throws {
                for (source, place) in [(certificates.certificate(name), certificate), (certificates.key(name), key)] {
                    try? FileManager.default.removeItem(at: place)
                    try FileManager.default.copyItem(at: source, to: place)
                }
            }
            try put(.otherClient)
            let client = try HTTPClient.curl {
                $0.tls.roots = .file(certificates.authority.path())
                $0.tls.identity = .init(certificatePath: certificate.path(), keyPath: key.path())
            }
            let former = try Data(contentsOf: certificate)
            try FileManager.default.removeItem(at: certificate)
            try #require(mkfifo(certificate.path(), 0o600) == 0)
            Thread.detachNewThread {
                // Opens once the transport opens it as well.
                let end = FileHandle(forWritingAtPath: certificate.path())
                try? put(.client)
                try? end?.write(contentsOf: former)
                try? end?.close()
            }
            #expect(try await client.send(HTTPRequest(.get, url)).status.code == 200)
        }

        @Test func anOldestVersionThatIsNewerThanTheNewestIsRefused() {
            var configuration = CurlTransport.Configuration()
            configuration.tls.minVersion = .tls13
            configuration.tls.maxVersion = .tls12
            let error = #expect(throws: NetKitError.self) { try CurlTransport(configuration: configuration) }
            #expect(error?.code == .invalidConfiguration)
        }

        private static func settings(_ row: TLSRow, _ certificates: TestCertificates) -> CurlTransport.TLS {
            var tls = CurlTransport.TLS()
            switch row.trust {
            case .testAuthority: tls.roots = .file(certificates.authority.path())
            case .system: break
            case .off: tls.verification = .insecure
            }
            let own = certificates.certificate(.client).path()
            let encrypted = certificates.encryptedClientKey.path()
            switch row.identity {
            case .none: break
            case .good: tls.identity = .init(certificatePath: own, keyPath: certificates.key(.client).path())
            case .encryptedKey:
                tls.identity = .init(certificatePath: own, keyPath: encrypted, passphrase: TestCertificates.passphrase)
            case .encryptedKeyWrongPassphrase:
                tls.identity = .init(certificatePath: own, keyPath: encrypted, passphrase: "wrong")
            case .unknown:
                tls.identity = .init(
                    certificatePath: certificates.certificate(.otherClient).path(),
                    keyPath: certificates.key(.otherClient).path()
                )
            }
            if let minimum = row.minimum { tls.minVersion = version(minimum) }
            tls.maxVersion = row.maximum.map { version($0) }
            switch row.pin {
            case .none: break
            case .right: tls.pins = [certificates.pin]
            case .wrong: tls.pins = [certificates.otherPin]
            }
            return tls
        }

        private static func version(_ version: TLSVersion) -> CurlTransport.Version {
            version.rawValue == "1.3" ? .tls13 : .tls12
        }

        private static func words(_ reason: TLSRow.Reason) -> String {
            switch reason {
            case .expired: "has expired"
            case .notYetValid: "not valid yet"
            case .wrongHost: "for another host"
            case .selfSigned: "is self-signed"
            case .unknownAuthority: "not trusted"
            case .noClientCertificate, .clientCertificateRefused: "rejected the client's certificate"
            case .unreadableKey: "certificate or key cannot be used"
            case .protocolVersion: "no version of TLS in common"
            case .pinMismatch: "matches none of the pins"
            case .notTLS: "does not use TLS"
            }
        }
    }
#endif
