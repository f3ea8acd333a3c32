#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Clients with certificates of their own at one store, with a server that says whose certificate it saw.
    @Suite(.needsTheMachine, .needs(.nginx, .openssl))
    struct CacheCertificateTests {
        private struct Answer {
            let status: Int
            let text: String
            let isHit: Bool

            /// Whom the server took the client for, and its number for the request.
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

        private func ask(_ client: HTTPClient) async throws -> Answer {
            let url = try await NginxPeer.shared.value.url(.mutual, "/facts")
            let response = try await client.send(HTTPRequest(.get, url))
            let status = response.headers["Cache-Status"] ?? ""
            let text = try await response.body.text(upTo: 1 << 16)
            return Answer(status: response.status.code, text: text, isHit: status.hasPrefix("NetKit; hit"))
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
                    let answer = try await ask(client)
                    #expect(answer.facts?.client == subject && answer.facts?.verified == "SUCCESS")
                    #expect(answer.isHit == (round > 0))
                }
            }
            // Whoever has the same certificate gets the same answer, without a word to the server.
            for (subject, name) in zip(clients.map(\.subject), names) {
                let answer = try await ask(try await client(name, store))
                #expect(answer.facts?.client == subject && answer.isHit)
            }
            // Whoever has none, or one that the server does not take, gets what the server says of that.
            for name in [nil, TestCertificate.Name.otherClient] {
                let answer = try await ask(try await client(name, store))
                #expect(answer.status == 400 && !answer.isHit)
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
