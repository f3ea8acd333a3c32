import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of request bodies without bytes, over real sockets.
@Suite(.needsTheMachine)
struct EmptyBodyTests {
    enum Kind: CaseIterable, Sendable {
        case bytes, file, stream

        func body(_ file: URL) -> HTTPBody {
            switch self {
            case .bytes: .data(Data())
            case .file: .file(at: file)
            case .stream: .stream(length: 0, AsyncStream<Data> { $0.finish() })
            }
        }
    }

    @Test(arguments: WireTransport.allCases, Kind.allCases)
    func theFirstByteIsAwaitedFromTheStart(_ wire: WireTransport, _ kind: Kind) async throws {
        let (server, time, folder) = (try MockServer(), TestClock(), try TemporaryFolder())
        server.on(.post, "/x", .text("hello").stalling(at: .start))
        let timeouts = Timeouts(firstByte: .seconds(5), idle: .seconds(30), attempt: nil)
        let client = try wire.client(server.baseURL, timeouts: timeouts, clock: time.clock)
        let request = HTTPRequest(.post, "/x", body: kind.body(try folder.write(Data(), to: "empty")))
        let call = Task { try await client.send(request) }
        await server.waitForRequests(1)
        time.advance(by: .seconds(30))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.timeoutPhase == .firstByte)
    }

    @Test(arguments: WireTransport.allCases, Kind.allCases)
    func aGetIsSent(_ wire: WireTransport, _ kind: Kind) async throws {
        let (server, folder) = (try MockServer(), try TemporaryFolder())
        server.on(.get, "/x", .text("hello"))
        let client = try wire.client(server.baseURL)
        let request = HTTPRequest(.get, "/x", body: kind.body(try folder.write(Data(), to: "empty")))
        #expect(try await client.send(request).body.text(upTo: 100) == "hello")
        #expect(server.requests.map(\.body) == [Data()])
    }

    /// libcurl does not ask for the bytes of a body that announces none.
    @Test(arguments: WireTransport.allCases)
    func aStreamThatHasBytesFailsTheCall(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.post, "/x", .text("hello"))
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("lost".utf8))
            continuation.finish()
        }
        let request = HTTPRequest(.post, "/x", body: .stream(length: 0, chunks))
        let client = try wire.client(server.baseURL)
        let error = await #expect(throws: NetKitError.self) { try await client.send(request) }
        #expect(error?.code == .invalidRequest)
        #expect(server.requests.isEmpty)
    }
}
