import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of every name of common credentials in every place that redacts, and of similar names that are not secret.
@Suite(.timeLimit(.minutes(5)))
struct EverySecretNameTests {
    static let headers = [
        "Authorization", "Proxy-Authorization", "Authentication", "Cookie", "Cookie2", "Set-Cookie", "X-API-Key",
        "Api-Key",
        "apikey", "X-Auth-Token", "X-Access-Token", "Private-Token", "X-Vault-Token", "X-Consul-Token",
        "X-Goog-Api-Key",
        "DPoP", "X-Session-Token", "X-XSRF-Token", "X-CSRF-Token", "X-CSRFToken", "Ocp-Apim-Subscription-Key",
        "X-Shopify-Access-Token", "CF-Access-Client-Secret", "CF-Access-Token", "Cf-Access-Jwt-Assertion",
        "X-Amz-Security-Token", "X-Amz-Signature", "X-Hub-Signature", "X-Hub-Signature-256", "Stripe-Signature",
        "X-Twilio-Signature", "X-Shopify-Hmac-Sha256", "X-GitHub-OTP", "X-OTP", "X-Gitlab-Token", "JOB-TOKEN",
        "X-Auth-Key", "X-Functions-Key", "X-Master-Key", "X-RapidAPI-Key", "X-Parse-REST-API-Key", "DD-APPLICATION-KEY",
        "X-License-Key", "X-Auth", "X-Auth-Secret", "X-Client-Secret", "X-Password", "X-User-Password", "X-Session",
        "X-Session-Id", "Mcp-Session-Id", "X-JWT", "X-Goog-Iap-Jwt-Assertion", "X-Firebase-AppCheck",
        "X-Honeycomb-Team",
        "X-Subject-Token", "X-Refresh-Token", "X-Id-Token", "X-Identity-Token", "X-MS-TOKEN-AAD-ACCESS-TOKEN",
        "X-Forwarded-Authorization", "X-Authorization", "X-Credential", "X-Access-Key", "X-Aws-Secret-Access-Key",
        "X-Plex-Token", "X-Emby-Authorization", "X-WSSE", "X-Forwarded-Client-Cert", "Token", "Secret", "Signature",
    ]
    static let items = [
        "session", "sessionid", "session_id", "sid", "jwt", "code", "assertion", "client_assertion", "access_token",
        "refreshToken", "id_token", "oauth_token", "oauth_signature", "private_token", "authenticity_token", "api_key",
        "apikey", "api-key", "key", "client_secret", "password", "pwd", "sig", "X-Amz-Signature", "X-Goog-Credential",
        "PHPSESSID", "auth", "code_verifier", "SAMLResponse", "secret_access_key", "%74oken", "subscription-key",
    ]
    /// Names that look secret but are not.
    static let publicHeaders = [
        "X-Idempotency-Key", "Sec-WebSocket-Key", "Surrogate-Key", "X-Cache-Key", "Lock-Token", "Sync-Token",
        "X-Next-Token", "X-Continuation-Token", "X-Partition-Key", "X-Public-Key", "X-Author", "X-Keys",
        "X-Tokens-Left",
        "X-Sessions", "X-Barcode", "X-Signature-Version", "X-Monkey", "X-Inside",
    ]
    static let publicItems = [
        "page_token", "next_token", "nextPageToken", "continuation-token", "$skiptoken", "$deltatoken", "syncToken",
        "max_tokens", "zip_code", "sort_key", "author", "monkey", "inside", "design", "keyword", "sessions",
    ]

    enum Place: CaseIterable, Sendable {
        case cachePartition, redirect, log, error, har, curl, trace, queueFile, cacheFile

        /// Whether the place shows header fields.
        var showsHeaders: Bool { self != .error && self != .trace }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: Place.allCases)
    func noPlaceShowsASecretHeader(place: Place) async throws {
        let secret = try await seen(in: place, Self.headers.indices.map { header(Self.headers[$0], $0) })
        for (index, name) in Self.headers.enumerated() {
            #expect(!secret.contains("value\(index)."), "\(name)")
        }
        guard place.showsHeaders else { return }
        let open = try await seen(in: place, Self.publicHeaders.indices.map { header(Self.publicHeaders[$0], $0) })
        for (index, name) in Self.publicHeaders.enumerated() {
            #expect(open.contains("value\(index)."), "\(name)")
        }
    }

    @Test(arguments: Place.allCases)
    func noPlaceShowsASecretQueryItem(place: Place) async throws {
        let secret = try await seen(in: place, Self.items.indices.map { query(Self.items[$0], $0) })
        for (index, name) in Self.items.enumerated() {
            #expect(!secret.contains("value\(index)."), "\(name)")
        }
        // Each URL is a separate entry, and the server sets the target of a redirect.
        guard place != .cachePartition, place != .redirect else { return }
        let open = try await seen(in: place, Self.publicItems.indices.map { query(Self.publicItems[$0], $0) })
        for (index, name) in Self.publicItems.enumerated() {
            #expect(open.contains("value\(index)."), "\(name)")
        }
    }

    private func header(_ name: String, _ index: Int) -> HTTPRequest {
        HTTPRequest(.get, "https://api.example.com/\("n\(index)")", headers: [name: "value\(index)."])
    }

    private func query(_ name: String, _ index: Int) -> HTTPRequest {
        HTTPRequest(.get, RequestPath(raw: "https://api.example.com/x?\(name)=value\(index)."))
    }

    /// Returns everything that can be read in a place after the requests.
    private func seen(in place: Place, _ requests: [HTTPRequest]) async throws -> String {
        switch place {
        case .cachePartition: try await sharedResponses(requests)
        case .curl: try requests.map { try $0.curlCommand() }.joined()
        case .queueFile: try await queued(requests)
        default: try await sent(requests, place)
        }
    }

    private func sent(_ requests: [HTTPRequest], _ place: Place) async throws -> String {
        let (told, recorder) = (Notebook<String>(), HARRecorder(maxBodyBytes: 1000))
        let collector = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let spans = OTLPSpanExporter(serviceName: "shop", transport: collector)
        let cache = folder.file("cache-\(UUID().uuidString)")
        let transport = MockTransport { request, _ in
            if place == .error { throw URLError(.cannotConnectToHost) }
            if place == .redirect, request.url.host() == "api.example.com" {
                return HTTPResponse(status: .found, headers: ["Location": "https://other.example/"])
            }
            // The server repeats what it received.
            var headers = request.headers
            headers["Cache-Control"] = "max-age=60"
            if request.url.query() != nil { headers["X-Next"] = request.url.absoluteString }
            return HTTPResponse(status: .ok, headers: headers, body: ResponseBody(Data("plain".utf8)))
        }
        let lines = LogOutput.lines { told.add($0) }
        var interceptors: InterceptorList =
            switch place {
            case .log:
                [LoggingInterceptor(TextLogSink(to: lines), level: .trace, showsHeaders: true, maxBodyBytes: 1000)]
            case .har: [recorder]
            case .trace: [TracingInterceptor(spans)]
            default: []
            }
        if place == .cacheFile { interceptors = [CacheInterceptor(DiskCacheStore(directory: cache))] }
        let client = HTTPClient(transport: transport, interceptors: interceptors)
        for request in requests {
            do {
                _ = try await client.send(request, options: CallOptions(delivery: .buffered(upTo: 1000)))
            } catch {
                told.add("\(error) \(String(reflecting: error))")
            }
        }
        await client.shutdown()
        await spans.shutdown()
        for request in collector.requests { told.add(request.bodyText) }
        if place == .har { told.add(String(decoding: recorder.data(), as: UTF8.self)) }
        if place == .redirect {
            for request in transport.requests where request.url.host() == "other.example" {
                told.add("\(request.url) \(request.headers.fields)")
            }
        }
        if place == .cacheFile { try noteFiles(of: cache, told) }
        #expect(place == .cacheFile || !told.entries.isEmpty)
        return told.entries.joined(separator: "\n")
    }

    /// Returns the values of requests whose response was used for a request with another value.
    private func sharedResponses(_ requests: [HTTPRequest]) async throws -> String {
        let transport = MockTransport { _, _ in
            HTTPResponse(status: .ok, headers: ["Cache-Control": "max-age=60"], body: ResponseBody(Data("a".utf8)))
        }
        let client = HTTPClient(transport: transport, interceptors: [CacheInterceptor(MemoryCacheStore())])
        var shared = ""
        for request in requests {
            var other = request
            other.headers = HTTPHeaders(request.headers.fields.map { .init($0.name, "other") })
            if other.headers.isEmpty {
                let text = request.url.absoluteString.replacing("value", with: "other")
                other = HTTPRequest(.get, RequestPath(raw: text))
            }
            let before = transport.requests.count
            for request in [request, other] {
                _ = try await client.send(request, options: CallOptions(delivery: .buffered(upTo: 1000)))
            }
            let asked = transport.requests.count - before
            if asked == 1 { shared += "\(request.headers.fields) \(request.url)\n" }
        }
        return shared
    }

    private func queued(_ requests: [HTTPRequest]) async throws -> String {
        let transport = MockTransport { _, _ in throw URLError(.notConnectedToInternet) }
        let client = HTTPClient(transport: transport)
        let directory = folder.file("queue-\(UUID().uuidString)")
        let queue = try await OfflineQueue(directory: directory, sender: client)
        let told = Notebook<String>()
        for var request in requests {
            request.method = .post
            do {
                try await queue.enqueue(QueuedRequest(request))
            } catch {
                told.add("\(error)")
            }
            // A field contains a URL as well.
            let field = HTTPRequest(
                .post,
                "https://api.example.com/y",
                headers: ["Referer": request.url.absoluteString]
            )
            if request.url.query() != nil { _ = try? await queue.enqueue(QueuedRequest(field)) }
        }
        await queue.close()
        await client.shutdown()
        try noteFiles(of: directory, told)
        return told.entries.joined(separator: "\n")
    }

    private func noteFiles(of directory: URL, _ told: Notebook<String>) throws {
        let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            if let data = try? Data(contentsOf: file) { told.add(String(decoding: data, as: UTF8.self)) }
        }
    }
}
