import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The examples of the page on logging and headers, compiled and run.
@Suite(.needsTheMachine)
struct LoggingGuideTests {
    private struct Logger: Sendable {
        let entries = Notebook<String>()

        func log(_ level: String, _ message: String, _ values: [String: String]) {
            entries.add("\(level) \(values["status"] ?? "none")")
        }
    }

    private let base = exampleBase
    private let transport = MockTransport { _, _ in HTTPResponse(status: .notFound) }

    @Test func fieldsAreAddedOrReplaced() async throws {
        // GUIDE: begin
        let client = HTTPClient(
            baseURL: base,
            transport: transport,
            interceptors: .standard + [
                LoggingInterceptor(.standardError, level: .info),
                HeadersInterceptor(["Accept-Language": "es"]),
                HeadersInterceptor(overriding: ["User-Agent": "shop/7"]),
                HeadersInterceptor { request, context in ["X-Request-ID": "\(context.id)"] },
            ]
        )
        // GUIDE: end
        _ = try await client.send(HTTPRequest(.get, "/x", headers: ["Accept-Language": "en", "User-Agent": "other"]))
        let headers = try #require(transport.requests.first).headers
        #expect(headers["Accept-Language"] == "en")
        #expect(headers["User-Agent"] == "shop/7")
        #expect(headers["X-Request-ID"]?.count == 16)
    }

    @Test func aClosureIsASink() async throws {
        let logger = Logger()
        let interceptor =
            // GUIDE: begin
            LoggingInterceptor(level: .notice) { record in
                let values = record.metadata.mapValues(\.description)
                logger.log(record.level.description, record.message, values)
            }
        // GUIDE: end
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: [interceptor])
        _ = try await client.send(HTTPRequest(.get, "/x"))
        #expect(logger.entries.entries == ["notice 404"])
    }

    @Test func headersAndBodiesAreLoggedOnRequest() {
        let interceptor =
            // GUIDE: begin
            LoggingInterceptor(.jsonLines, level: .debug, showsHeaders: true, maxBodyBytes: 1024)
        // GUIDE: end
        #expect(interceptor.showsHeaders)
        #expect(interceptor.maxBodyBytes == 1024)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Logging-And-Headers").shows(#filePath))
    }
}
