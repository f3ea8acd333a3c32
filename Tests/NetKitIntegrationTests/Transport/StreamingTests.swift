import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of bodies as they arrive over a real socket.
@Suite(.needsTheMachine, .needs(.python3), .pythonServer)
struct StreamingTests {
    private let server: PythonServer
    private let client: HTTPClient

    init() throws {
        server = try #require(PythonServer.current)
        client = HTTPClient(baseURL: server.base, transport: URLSessionTransport(), interceptors: [])
    }

    @Test func fiveMegabytesArriveInPiecesAndWhole() async throws {
        let response = try await client.send(HTTPRequest(.get, "/big?bytes=5000000"))
        #expect(response.body.length == 5_000_000)
        var received = Data()
        var pieces = 0
        for try await chunk in response.body {
            received.append(chunk)
            pieces += 1
        }
        #expect(pieces > 1)
        #expect(received == patternedData(5_000_000))
        #expect(client.activeCallCount == 0)
    }

    @Test func fiveMegabytesArriveInOneBuffer() async throws {
        let data: Data = try await client.send(.get("/big?bytes=5000000"))
        #expect(data == patternedData(5_000_000))
    }

    @Test func linesOfAChunkedBodyArriveOneByOne() async throws {
        var lines: [String] = []
        for try await line in try await client.send(HTTPRequest(.get, "/chunked?lines=1000")).body.lines {
            lines.append(line)
        }
        #expect(lines == (0..<1000).map { "line \($0)" })
    }

    @Test(arguments: [Delivery.streamed, .buffered(upTo: 999)])
    func aBodyOverItsBoundIsRefused(_ delivery: Delivery) async throws {
        let error = await #expect(throws: NetKitError.self) {
            let options = CallOptions(delivery: delivery)
            let response = try await client.send(HTTPRequest(.get, "/big?bytes=1000"), options: options)
            _ = try await response.body.collect(upTo: 999)
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.outcome == .answered)
    }

    @Test func aBodyIsReadOnce() async throws {
        let response = try await client.send(HTTPRequest(.get, "/hello"))
        #expect(try await response.body.text(upTo: 100) == "hello")
        let error = await #expect(throws: NetKitError.self) { try await response.body.text(upTo: 100) }
        #expect(error?.code == .bodyConsumed)
    }

    @Test func cancellingAReaderClosesTheConnection() async throws {
        let key = "reader"
        let reader = Task { [client] in
            try await client.send(HTTPRequest(.get, "/drip?key=\(key)")).body.collect(upTo: 1 << 20)
        }
        #expect(try await server.hasArrived(key))
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(try await server.isGone(key))
        #expect(client.activeCallCount == 0)
    }

    @Test func cancellingACallByItsIDEndsItsBody() async throws {
        let id = CallID()
        let request = HTTPRequest(.get, "/drip?key=identified")
        let response = try await client.send(request, options: CallOptions(id: id))
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Data("drop".utf8))
        #expect(client.cancel(id))
        await #expect(throws: CancellationError.self) { try await chunks.next() }
        #expect(try await server.isGone("identified"))
    }

    @Test func aReaderThatWalksAwayClosesTheConnection() async throws {
        func readOne() async throws -> Data? {
            let response = try await client.send(HTTPRequest(.get, "/drip?key=walking"))
            return try await response.body.first { _ in true }
        }
        #expect(try await readOne() == Data("drop".utf8))
        #expect(try await server.isGone("walking"))
        #expect(client.activeCallCount == 0)
    }

    @Test func aDeadlineEndsABodyThatDoesNotCome() async throws {
        let time = TestClock()
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        let client = HTTPClient(
            baseURL: server.base,
            transport: URLSessionTransport(),
            interceptors: [],
            configuration: configuration
        )
        let request = HTTPRequest(.get, "/drip?key=deadline")
        let response = try await client.send(request, options: CallOptions(timeout: .seconds(2)))
        time.advance(by: .seconds(2))
        let error = await #expect(throws: NetKitError.self) { try await response.body.collect(upTo: 1 << 20) }
        #expect(error?.code == .timeout)
        #expect(error?.timeoutPhase == .deadline)
        #expect(try await server.isGone("deadline"))
    }

    @Test(arguments: [Delivery.streamed, .buffered(upTo: 1000)])
    func aConnectionClosedInsideTheBodyIsAnError(_ delivery: Delivery) async throws {
        let error = await #expect(throws: NetKitError.self) {
            let response = try await client.send(HTTPRequest(.get, "/cut"), options: CallOptions(delivery: delivery))
            _ = try await response.body.collect(upTo: 1000)
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.outcome == .answered)
        #expect(error?.attempts == 1)
    }
}
