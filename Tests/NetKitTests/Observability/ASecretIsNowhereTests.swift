import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests that put a secret into every secret part of a request and search for it in everything that is reported or
/// stored.
@Suite(.timeLimit(.minutes(5)))
struct ASecretIsNowhereTests {
    private static let secret = "hunter2-planted"

    /// The behavior of the server.
    enum Conduct: CaseIterable, Sendable {
        case responds, confirms, redirects, refuses, fails, isAway, cutsOff
    }

    private let folder: TemporaryFolder
    private let collector = MockTransport { _, _ in HTTPResponse(status: .ok) }
    private let told = Notebook<(place: String, text: String)>()

    init() throws {
        folder = try TemporaryFolder()
    }

    private var request: HTTPRequest {
        HTTPRequest(
            .get,
            "https://ada:\(raw: Self.secret)@api.example.com/v1/users?access_token=\(Self.secret)&page=1",
            headers: ["Authorization": "Bearer \(Self.secret)", "Cookie": "session=\(Self.secret)"]
        )
    }

    private static func transport(_ conduct: Conduct) -> MockTransport {
        MockTransport { request, _ in
            let place = "https://ada:\(secret)@api.example.com/v1/next?code=\(secret)"
            var headers: HTTPHeaders = [
                "Set-Cookie": "session=\(secret)", "Cache-Control": "max-age=60", "Content-Type": "text/plain",
                "Content-Location": place,
            ]
            if ![.responds, .confirms].contains(conduct) {
                headers["Link"] = "<\(place)>; rel=\"next\", </x?token=\(secret)>; rel=\"last\""
            }
            var status = HTTPStatus.ok
            switch conduct {
            case .responds: break
            case .confirms where request.headers.contains("If-None-Match"):
                return HTTPResponse(status: .notModified, headers: headers)
            case .confirms: headers = ["Cache-Control": "no-cache", "ETag": "\"1\""]
            case .redirects where request.url.path().hasSuffix("users"):
                status = .found
                headers["Location"] = place
            case .redirects: break
            case .refuses: status = .unauthorized
            case .fails: status = .serviceUnavailable
            case .isAway:
                let facts: [String: Any] = [NSURLErrorFailingURLErrorKey: request.url]
                throw URLError(.cannotConnectToHost, userInfo: facts)
            case .cutsOff:
                let pipe = BodyPipe()
                pipe.offer(Data("plain".utf8))
                pipe.fail(URLError(.networkConnectionLost))
                return HTTPResponse(status: status, headers: headers, body: ResponseBody(source: pipe))
            }
            return HTTPResponse(status: status, headers: headers, body: ResponseBody(Data("plain body".utf8)))
        }
    }

    @Test(arguments: Conduct.allCases, [Delivery.streamed, .buffered(upTo: 1000)])
    func noOutputContainsTheSecret(conduct: Conduct, delivery: Delivery) async throws {
        let (told, metrics, recorder) = (told, MetricsCollector(), HARRecorder(maxBodyBytes: 1000))
        let spans = OTLPSpanExporter(serviceName: "shop", transport: collector)
        let log = { (name: String) in LogOutput.lines { told.add((name, $0)) } }
        let client = HTTPClient(
            baseURL: URL(string: "https://ada:\(Self.secret)@api.example.com/v1"),
            transport: Self.transport(conduct),
            interceptors: [
                RetryInterceptor(RetryPolicy(backoffStrategy: .fixed(interval: .zero))),
                AuthInterceptor(TokenStore(initial: Self.secret, clock: TestClock().clock) { _ in Self.secret }),
                CacheInterceptor(DiskCacheStore(directory: folder.file("cache"))), CircuitBreakerInterceptor(),
                LoggingInterceptor(TextLogSink(to: log("log")), level: .trace, showsHeaders: true, maxBodyBytes: 1000),
                LoggingInterceptor(
                    .jsonLines(to: log("JSON log")),
                    level: .trace,
                    showsHeaders: true,
                    maxBodyBytes: 1000
                ),
                metrics, TracingInterceptor(spans), recorder,
            ]
        )
        let events = client.events
        for request in [request, request, HTTPRequest(.get, "/users?token=\(Self.secret)")] {
            do {
                let response = try await client.send(request, options: CallOptions(delivery: delivery))
                note("active calls", client.activeCalls)
                note("response", response)
                _ = try await response.body.collect(upTo: 1000)
            } catch {
                try note(error)
            }
            note("request", request)
            told.add(("curl", try request.curlCommand(baseURL: client.baseURL)))
        }
        try await enqueue(client)
        note("client", client.explain())
        await client.shutdown()
        await spans.shutdown()
        for await event in events { note("event", event, event.url, event.detail, event.error) }
        told.add(("metrics", metrics.snapshot().prometheusText + client.health().prometheusText))
        told.add(("HAR", String(decoding: recorder.data(), as: UTF8.self)))
        for request in collector.requests { told.add(("trace", request.bodyText)) }
        try noteFiles()
        for (place, text) in told.entries where text.contains(Self.secret) { Issue.record("\(place): \(text)") }
        // Without any output, nothing could be found.
        for (place, mark) in [
            ("log", "access_token=***"), ("JSON log", "access_token=***"), ("HAR", "access_token=***"),
            ("curl", "access_token=***"), ("event", "access_token=***"), ("trace", "access_token=***"),
            ("metrics", "api.example.com"), ("queue file", "/orders"),
        ] {
            #expect(told.entries.contains { $0.place == place && $0.text.contains(mark) }, "\(place)")
        }
        if [.responds, .confirms].contains(conduct) {
            #expect(told.entries.contains { $0.place == "cache file" && $0.text.contains("plain body") })
        }
    }

    private func note(_ place: String, _ values: Any?...) {
        for case let value? in values {
            told.add((place, String(describing: value)))
            told.add((place, String(reflecting: value)))
        }
    }

    /// Returns every field of an error as text.
    private func note(_ error: any Error) throws {
        let error = try #require(error as? NetKitError)
        note("error", error, error.localizedDescription, error.code, error.outcome, error.message, error.requestLine)
        note(
            "error",
            error.cause,
            error.attemptLog,
            error.timeoutPhase,
            error.response,
            error.codingPath,
            error.timings
        )
        note("error", error.cause?.localizedDescription)
    }

    /// Returns what a queue stores, including rejected requests and responses.
    private func enqueue(_ client: HTTPClient) async throws {
        let queue = try await OfflineQueue(directory: folder.file("queue"), sender: client)
        try await queue.enqueue(
            QueuedRequest(HTTPRequest(.post, "/orders", headers: request.headers, body: .text("plain body")))
        )
        for path: RequestPath in [
            "/orders?access_token=\(Self.secret)", "https://ada:\(raw: Self.secret)@api.example.com/orders",
        ] {
            let error = await #expect(throws: NetKitError.self) {
                try await queue.enqueue(QueuedRequest(HTTPRequest(.post, path)))
            }
            if let error { try note(error) }
        }
        await queue.processQueue()
        for letter in await queue.deadLetters { note("dead letter", letter) }
        await queue.close()
    }

    private func noteFiles() throws {
        for name in ["cache", "queue"] {
            let files = FileManager.default.enumerator(at: folder.file(name), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                told.add(("\(name) file", file.path))
                guard let data = try? Data(contentsOf: file) else { continue }
                told.add(("\(name) file", String(decoding: data, as: UTF8.self)))
            }
        }
    }
}
