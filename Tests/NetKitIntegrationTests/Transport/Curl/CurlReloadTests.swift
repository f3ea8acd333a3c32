#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of files of certificates that change while a process runs.
    @Suite(.needsTheMachine)
    struct CurlReloadTests {
        private let options = CallOptions(delivery: .buffered(upTo: 10_000))

        private func replace(_ name: String, in folder: TemporaryFolder, with file: URL) throws -> String {
            try folder.write(try Data(contentsOf: file), to: name).path()
        }

        /// The connection is closed after the response, so that each call has a new one.
        private func facts(_ client: HTTPClient, _ url: URL) async throws -> NginxFacts? {
            let request = HTTPRequest(.get, url, headers: ["Connection": "close"])
            let response = try await client.send(request, options: options)
            guard response.status == 200 else { return nil }
            return try JSONDecoder().decode(NginxFacts.self, from: try #require(response.body.buffered))
        }

        @Test(.needs(.nginx, .openssl)) func aNewConnectionShowsTheClientsNewCertificate() async throws {
            let nginx = try await NginxPeer.shared.value
            let certificates = nginx.certificates
            let folder = try TemporaryFolder()
            func install(_ name: TestCertificate.Name) throws -> CurlTransport.Identity {
                CurlTransport.Identity(
                    certificatePath: try replace("own.pem", in: folder, with: certificates.certificate(name)),
                    keyPath: try replace("own.key", in: folder, with: certificates.key(name))
                )
            }
            let client = try HTTPClient.curl {
                $0.httpVersion = .http11
                $0.tls.roots = .file(certificates.authority.path())
                $0.tls.identity = try install(.client)
            }
            let url = try nginx.url(.mutual, "/facts")
            for _ in 0..<2 {
                #expect(try await facts(client, url)?.client == "CN=NetKit test client")
                #expect(try await facts(client, url)?.verified == "SUCCESS")
            }

            // One that the server does not know: it responds with 400.
            _ = try install(.otherClient)
            #expect(try await facts(client, url) == nil)
            _ = try install(.client)
            #expect(try await facts(client, url)?.verified == "SUCCESS")
        }

        /// A file of authorities may be on a volume that is mounted after the process has started.
        @Test(.needs(.nginx, .openssl)) func aMissingFileOfAuthoritiesIsNamedUntilItIsThere() async throws {
            let nginx = try await NginxPeer.shared.value
            let authority = nginx.certificates.authority
            let folder = try TemporaryFolder()
            let client = try HTTPClient.curl {
                $0.tls.roots = .file(try replace("roots.pem", in: folder, with: authority))
            }
            let request = HTTPRequest(.get, try nginx.url(.tls, "/kilobyte"))
            try FileManager.default.removeItem(at: folder.file("roots.pem"))
            let error = await #expect(throws: NetKitError.self) { try await client.send(request, options: options) }
            #expect(error?.code == .tls)
            #expect(error?.message.contains("the file of the trusted authorities cannot be read") == true)
            _ = try replace("roots.pem", in: folder, with: authority)
            #expect(try await client.send(request, options: options).status == 200)
        }

        /// OpenSSL would ask for the passphrase on the terminal that controls the process, and wait there.
        @Test(.needs(.nginx, .openssl), .inAProcessOfItsOwn, arguments: [false, true])
        func aNewKeyWithAPassphraseIsNotAskedFor(isOld: Bool) async throws {
            let nginx = try await NginxPeer.shared.value
            let certificates = nginx.certificates
            let folder = try TemporaryFolder()
            let keyPath = try replace("own.key", in: folder, with: certificates.key(.client))
            let paths = [
                nginx.certificates.authority, certificates.certificate(.client),
                isOld ? certificates.oldEncryptedClientKey : certificates.encryptedClientKey,
            ].map { $0.path() }
            let url = try nginx.url(.mutual, "/kilobyte").absoluteString
            await #expect(processExitsWith: .success) {
                [paths = paths as [String], keyPath = keyPath as String, url = url as String] in
                let terminal = try #require(OwnTerminal())
                let client = try HTTPClient.curl {
                    $0.tls.roots = .file(paths[0])
                    $0.tls.identity = .init(certificatePath: paths[1], keyPath: keyPath)
                }
                let key = try Data(contentsOf: URL(fileURLWithPath: paths[2]))
                try key.writeUnsynced(to: URL(fileURLWithPath: keyPath))
                let error = await #expect(throws: NetKitError.self) {
                    try await client.send(
                        HTTPRequest(.get, try #require(URL(string: url))),
                        options: CallOptions(timeout: .seconds(60))
                    )
                }
                #expect(error?.code == .tls)
                #expect(error?.outcome == .notSent)
                #expect(error?.message.contains("certificate or key cannot be used") == true)
                #expect(terminal.text == "")
            }
        }
    }
#endif
