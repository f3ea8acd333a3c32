#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of clients with certificates of their own at one store, with a server that reports the certificate.
    @Suite(.needsTheMachine, .needs(.nginx, .openssl))
    struct CacheCertificateTests {
        private struct Reply {
            let status: Int
            let text: String
            let isHit: Bool

            /// The client as the server saw it, and its number for the request.
            var facts: NginxFacts? { try? JSONDecoder().decode(NginxFacts.self, from: Data(text.utf8)) }
        }

        private func client(_ name: TestCertificate.Name?, _ store: some CacheStore) async throws -> HTTPClient {
            let certificates = try await TestCertificates.shared.value
            var configuration = CurlTransport.Configuration()
            configuration.tls.roots = .file(certificates.authority.path())
            if let name {
                configuration.tls.identity = .init(
                    certificatePath: certificates.certificate(name).path(),
                    keyPath: certificates.key(name).path()
                )
            }
            let cache = CacheInterceptor(store, policy: .cacheFirst)
            return HTTPClient(transport: try CurlTransport(configuration: configuration), interceptors: [cache])
        }

        private func ask(_ client: HTTPClient) async throws -> Reply {
            let url = try await NginxPeer.shared.value.url(.mutual, "/facts")
            let response = try await client.send(HTTPRequest(.get, url))
            let status = response.headers["Cache-Status"] ?? ""
            let text = try await response.body.text(upTo: 1 << 16)
            return Reply(status: response.status.code, text: text, isHit: status.hasPrefix("NetKit; hit"))
        }

        @Test func aCertificateSeparatesInMemory() async throws {
            try await judge(MemoryCacheStore())
        }

        @Test func aCertificateSeparatesOnDisk() async throws {
            let folder = try TemporaryFolder()
            try await judge(DiskCacheStore(directory: folder.file("cache")))
        }

        @Test func aCertificateSeparatesInBoth() async throws {
            let folder = try TemporaryFolder()
            try await judge(TieredCacheStore(disk: DiskCacheStore(directory: folder.file("cache"))))
        }

        private func judge(_ store: some CacheStore) async throws {
            let names = [TestCertificate.Name.client, .secondClient]
            var clients: [(subject: String, client: HTTPClient)] = []
            for name in names { clients.append(("CN=NetKit test \(name)", try await client(name, store))) }
            for round in 0..<3 {
                for (subject, client) in clients {
                    let response = try await ask(client)
                    #expect(response.facts?.client == subject && response.facts?.verified == "SUCCESS")
                    #expect(response.isHit == (round > 0))
                }
            }
            // Clients with the same certificate get the same response, without contacting the server.
            for (subject, name) in zip(clients.map(\.subject), names) {
                let response = try await ask(try await client(name, store))
                #expect(response.facts?.client == subject && response.isHit)
            }
            // Clients without one, or with one that the server refuses, get the server's response to that.
            for name in [nil, TestCertificate.Name.otherClient] {
                let response = try await ask(try await client(name, store))
                #expect(response.status == 400 && !response.isHit)
            }
            try await storm(clients)
        }

        /// Both at once, and over and over.
        private func storm(_ clients: [(subject: String, client: HTTPClient)]) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (subject, client) in clients {
                    for number in 0..<20 {
                        group.addTask {
                            let policy = number % 4 == 0 ? CachePolicy.reload : .cacheFirst
                            let url = try await NginxPeer.shared.value.url(.mutual, "/facts?\(number % 5)")
                            let options = CallOptions(cachePolicy: policy)
                            let response = try await client.send(HTTPRequest(.get, url), options: options)
                            let text = try await response.body.text(upTo: 1 << 16)
                            let facts = try JSONDecoder().decode(NginxFacts.self, from: Data(text.utf8))
                            #expect(facts.client == subject)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
#endif
