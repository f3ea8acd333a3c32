#if canImport(FoundationNetworking)
    import Dispatch
    import Foundation
    import FoundationNetworking
    import NetKitTestSupport
    import NetKitTesting
    import Testing

    @testable import NetKit

    /// Tests of calls over `URLSessionTransport` while the queue that all sessions of a process share is busy.
    @Suite(.needsTheMachine)
    struct SharedQueueTests {
        /// The server sends without a break, and the end of its transfer has to come between two pieces.
        @Test func aBodyWithoutEndDelaysNoOtherCall() async throws {
            let server = try MockServer()
            server.on(.get, "/endless", .endlessBody)
            server.on(.get, "/small", .text("hello"))
            let client = try WireTransport.urlSession.client(server.baseURL, timeouts: Timeouts(idle: .seconds(60)))
            let bound = 16 << 20
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.get, "/endless"), options: .init(delivery: .buffered(upTo: bound)))
            }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.response?.body.count == NetKitError.Response.defaultMaxBodyBytes)
            #expect(try await client.send(HTTPRequest(.get, "/small")).body.text(upTo: 5) == "hello")
        }

        /// Calls wait while another session blocks the queue, and every other task goes on.
        @Test(.inAProcessOfItsOwn) func callsThatWaitForTheQueueKeepNoThreadOfTasks() async {
            await #expect(processExitsWith: .success) {
                let server = try MockServer()
                server.on(.get, "/", .text("hello"))
                server.on(.post, "/late", .text("sent"))
                let count = 2 * ProcessInfo.processInfo.activeProcessorCount
                let configuration = URLSessionConfiguration.ephemeral
                configuration.httpMaximumConnectionsPerHost = count + 1
                let client = HTTPClient(
                    baseURL: server.baseURL,
                    transport: URLSessionTransport(configuration: configuration),
                    interceptors: []
                )
                let busy = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: InlineOperationQueue())
                let release = DispatchSemaphore(value: 0)
                // The process ends with this signal if the tasks below find no thread.
                _ = alarm(20)
                await withCheckedContinuation { continuation in
                    busy.getAllTasks { _ in
                        continuation.resume()
                        release.wait()
                    }
                }
                // A call that ends here has not been sent, and is not sent later.
                let options = CallOptions(timeouts: Timeouts(attempt: .milliseconds(50)))
                let late = await #expect(throws: NetKitError.self) {
                    try await client.send(HTTPRequest(.post, "/late"), options: options)
                }
                #expect(late?.code == .timeout)
                #expect(late?.outcome == .notSent)
                let calls = (0..<count).map { _ in
                    Task { try await client.send(HTTPRequest(.get, "/")).body.text(upTo: 5) }
                }
                for _ in 0..<10 * count { await Task { await Task.yield() }.value }
                #expect(server.requests.isEmpty)
                release.signal()
                for call in calls { #expect(try await call.value == "hello") }
                #expect(server.requests.allSatisfy { $0.path == "/" })
                busy.invalidateAndCancel()
            }
        }
    }
#endif
