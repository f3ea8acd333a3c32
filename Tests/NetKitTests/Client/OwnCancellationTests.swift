import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests that a part of a call that throws `CancellationError` by itself has failed, because nothing was cancelled.
struct OwnCancellationTests {
    enum Part: CaseIterable, Sendable {
        case transport, token, headers, requestBody, responseBody

        /// The start of the error's message.
        var name: String {
            switch self {
            case .transport: "ScriptedTransport threw URLError"
            case .token: "The source of the token threw CancellationError"
            case .headers: "The closure of HeadersInterceptor threw CancellationError"
            case .requestBody, .responseBody: "The stream of a body threw CancellationError"
            }
        }
    }

    private func expect(_ error: NetKitError?, names part: String) {
        #expect(error?.code == .custom)
        #expect(error?.cause is CancellationError || error?.cause is URLError)
        #expect(error?.message.hasPrefix(part) == true)
        #expect(error?.requestLine == "POST https://api.example.com/v1/x")
    }

    private static func failingStream() -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { $0.finish(throwing: CancellationError()) }
    }

    private func client(with part: Part) -> HTTPClient {
        switch part {
        case .transport:
            let transport = ScriptedTransport { _, _ in throw URLError(.cancelled) }
            return HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        case .token:
            return client(AuthInterceptor { throw CancellationError() })
        case .headers:
            return client(HeadersInterceptor { _, _ in throw CancellationError() })
        case .requestBody, .responseBody:
            let transport = MockTransport { _, _ in
                HTTPResponse(status: .ok, body: ResponseBody(chunks: Self.failingStream()))
            }
            return HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        }
    }

    private func client(_ interceptor: some Interceptor) -> HTTPClient {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        return HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [interceptor])
    }

    @Test(arguments: Part.allCases)
    func theErrorNamesThePart(part: Part) async {
        let body = part == .requestBody ? HTTPBody.stream(Self.failingStream()) : .text("x")
        let error = await #expect(throws: NetKitError.self) {
            let response = try await client(with: part).send(HTTPRequest(.post, "/x", body: body))
            _ = try await response.body.collect(upTo: 100)
        }
        expect(error, names: part.name)
    }

    @Test(arguments: Stage.all)
    func anInterceptorIsNamed(stage: Stage) async {
        let client = client(Intercepting(stage: stage) { _, _, _ in throw CancellationError() })
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.post, "/x")) }
        expect(error, names: "Intercepting threw CancellationError")
        #expect(error?.outcome == .notSent)
    }

    /// The interceptors pass on what the mock was told to throw.
    @Test(arguments: [CancellationError(), URLError(.cancelled)] as [any Error])
    func aMockMayPretendACancellation(error: any Error) async {
        let transport = MockTransport()
        transport.stub(.get, "/x", .failure(error))
        let passing = Intercepting { request, context, next in try await next(request, context) }
        let interceptors: InterceptorList = [passing, CoalesceInterceptor()]
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: interceptors)
        await #expect(throws: CancellationError.self) {
            try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(delivery: .buffered(upTo: 10)))
        }
    }

    /// The code cancels its own task, as a caller that gives up would.
    @Test(arguments: Stage.all)
    func aCancellationStaysOne(stage: Stage) async {
        let client = client(
            Intercepting(stage: stage) { _, _, _ in
                withUnsafeCurrentTask { $0?.cancel() }
                throw CancellationError()
            }
        )
        await #expect(throws: CancellationError.self) { try await client.send(HTTPRequest(.post, "/x")) }
    }
}
