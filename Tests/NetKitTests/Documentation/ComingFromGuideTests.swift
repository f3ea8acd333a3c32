import Foundation
import NetKit
import NetKitTestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The code on the page "Coming from other clients", compiled and run.
@Suite(.needsTheMachine)
struct ComingFromGuideTests {
    // GUIDE: begin
    struct Stamp: RequestInterceptor, ResponseInterceptor {
        func intercept(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            request.setValue("7", forHTTPHeaderField: "X-Client")
            return request
        }

        func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data {
            data
        }
    }
    // GUIDE: end

    @Test func bothHooksOfOneTypeRun() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .text("ok"))
        let client = HTTPClient(transport: transport, interceptors: [Stamp()])
        let url = try #require(URL(string: "https://api.example.com/x"))
        // GUIDE: begin
        let (data, response) = try await client.data(for: URLRequest(url: url))
        // GUIDE: end
        #expect(String(decoding: data, as: UTF8.self) == "ok")
        #expect(response.statusCode == 200)
        #expect(transport.requests.first?.headers["X-Client"] == "7")
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Coming-From-Other-Clients").shows(#filePath))
    }

    /// Every name that a page promises must exist: DocC checks the double backquotes, and this test the rest.
    @Test func thePageNamesEveryOtherName() throws {
        let page = try GuidePage("Coming-From-Other-Clients").text
        for name in [
            "RequestManager", "RequestMiddleware", "NetworkRequest", "NetworkClientProtocol", "BearerAuthMiddleware",
            "AuthenticationManager", "RetryConfiguration", "URLManagerError", "NetworkError", "RespuestaWeb",
            "AnyCodable",
            "MockCacheService", "BaseRepository", "SyncQueueItem", "MockURLSession", "getMetrics", "FeedPage",
        ] {
            #expect(page.contains(name))
        }
    }
}
