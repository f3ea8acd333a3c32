#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Tests of `CurlTransport` and Foundation's `URLSession`, which use the same library in one process.
    @Suite(.needsTheMachine, .inAProcessOfItsOwn)
    struct CurlNeighborTests {
        /// In a process of its own, because the first user initializes the library for both.
        @Test(arguments: [true, false]) func bothWorkAtTheSameTimeInAnyOrder(_ isSessionFirst: Bool) async {
            await #expect(processExitsWith: .success) { [isSessionFirst = isSessionFirst as Bool] in
                let server = try MockServer()
                server.on(.get, "/*") { .text(String($0.path.dropFirst())) }
                let session = URLSession(configuration: .ephemeral)
                if isSessionFirst { _ = try await session.data(from: server.url("/0")) }
                try await Self.useBoth(session, server)
                // The transport is deallocated, and has freed nothing that the session needs.
                let (data, _) = try await session.data(from: server.url("/last"))
                #expect(data == Data("last".utf8))
                session.invalidateAndCancel()
                let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
                #expect(try await client.send(HTTPRequest(.get, "/again")).body.text(upTo: 10) == "again")
            }
        }

        private static func useBoth(_ session: URLSession, _ server: MockServer) async throws {
            let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let text = try await client.send(HTTPRequest(.get, "/\(number)")).body.text(upTo: 10)
                        #expect(text == "\(number)")
                    }
                    group.addTask {
                        let (data, _) = try await session.data(from: server.url("/\(number)"))
                        #expect(data == Data("\(number)".utf8))
                    }
                }
                try await group.waitForAll()
            }
        }
    }
#endif
