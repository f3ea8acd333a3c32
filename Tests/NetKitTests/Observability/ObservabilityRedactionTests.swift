import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests that put a secret into every part of a call and search for it in events, metrics and spans.
@Suite(.timeLimit(.minutes(5)))
struct ObservabilityRedactionTests {
    private static let secret = "hunter2-planted"

    private struct Keeper: SpanExporter {
        let ended = Notebook<Span>()

        func export(_ span: Span) { ended.add(span) }
    }

    @Test(arguments: [200, 401, 503, 0])
    func noEventMetricOrSpanShowsTheSecret(status: Int) async throws {
        let secret = Self.secret
        let (metrics, spans) = (MetricsCollector(), Keeper())
        let transport = MockTransport { request, _ in
            guard status > 0 else { throw URLError(.cannotConnectToHost) }
            return HTTPResponse(
                status: HTTPStatus(status),
                headers: ["Set-Cookie": "session=\(secret)", "WWW-Authenticate": "Bearer \(secret)"],
                body: ResponseBody(Data("{\"password\":\"\(secret)\"}".utf8)),
                url: request.url
            )
        }
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .zero))
        let tokens = TokenStore(initial: secret, clock: TestClock().clock) { _ in secret }
        let client = HTTPClient(
            baseURL: URL(string: "https://ada:\(secret)@api.example.com/v1"),
            transport: transport,
            interceptors: [
                RetryInterceptor(policy), AuthInterceptor(tokens), CacheInterceptor(MemoryCacheStore()), metrics,
                TracingInterceptor(spans),
            ]
        )
        let events = client.events
        let request = HTTPRequest(
            .get,
            "/users?access_token=\(secret)&page=1",
            headers: ["Cookie": "session=\(secret)", "X-Api-Key": secret],
            body: .text(secret)
        )
        _ = try? await client.send(request, options: CallOptions(delivery: .buffered(upTo: 1000)))
        await client.shutdown()
        var told: [String] = []
        for await event in events {
            told.append(event.description)
            if let url = event.url { told.append(url) }
            if let detail = event.detail { told.append(detail) }
            if let error = event.error { told.append(String(describing: error)) }
        }
        told.append(metrics.snapshot().prometheusText)
        for span in spans.ended.entries {
            told.append(span.name)
            for (name, value) in span.attributes { told.append("\(name) \(value)") }
            for event in span.events { told.append(event.name) }
        }
        #expect(told.contains { $0.contains("access_token=***") })
        for text in told where text.contains(secret) { Issue.record("\(text)") }
    }
}
