import Foundation
import NetKit
import NetKitTesting

extension Tour {
    private struct Article: Decodable {
        let id: Int
        let title: String
    }

    private struct Inbox: Decodable {
        let unread: Int
    }

    private struct Token: Decodable {
        let token: String
    }

    func typedCall() async throws {
        title("1. A typed call")
        let id = 7
        let article: Article = try await client.send(.get("/articles/\(id)"))
        success("GET /articles/7 is an Article: number \(article.id), \"\(article.title)\"")
        do {
            let _: Inbox = try await client.send(.get("/articles/\(id)"))
        } catch let error as NetKitError {
            warning("Decoding it as another type explains what is wrong: \(error.message)")
        }
    }

    func retry() async throws {
        title("2. A server that returns 503 twice")
        let events = client.events
        let id = CallID()
        let options = CallOptions(id: id)
        async let told: Void = tell(events, of: id)
        let text = try await client.send(HTTPRequest(.get, "/flaky"), options: options).body.text(upTo: 1000)
        await told
        success("The caller got one response: \"\(text)\"")
    }

    private func tell(_ events: ClientEvents, of call: CallID) async {
        var start: NetKitClock.Instant?
        for await event in events where event.callID == call {
            let begin = start ?? event.instant
            start = begin
            let time = begin.duration(to: event.instant).millisecondsText
            let column = time + String(repeating: " ", count: max(1, 11 - time.count))
            let status = event.status?.description ?? "failed"
            if event.kind == .retry, let delay = event.delay {
                text("\(column)attempt \(event.attempt ?? 0) -> \(status), again in \(delay.millisecondsText)")
            }
            if event.kind == .attemptEnded, event.status?.isSuccess == true {
                text("\(column)attempt \(event.attempt ?? 0) -> \(status)")
            }
            if event.kind == .callEnded { return }
        }
    }

    func oneRefreshForTen() async throws {
        title("3. Ten callers with an expired token")
        server.removeAllRequests()
        let login = client
        let tokens = TokenStore(initial: AccessToken("stale")) { _ in
            let response: Token = try await login.send(.post("/token", json: ["user": "ada"]))
            return AccessToken(response.token)
        }
        let client = client([AuthInterceptor(tokens)])
        let unread = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { (try await client.send(.get("/inbox")) as Inbox).unread } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        let refused = server.requests.filter { $0.path == "/inbox" && $0.headers["Authorization"] == "Bearer stale" }
        let refreshes = server.requests.filter { $0.path == "/token" }
        text("\(refused.count) requests were rejected with 401")
        success("\(refreshes.count) refresh, and \(unread.count) callers have their response")
        await client.shutdown(within: .seconds(1))
    }

    func cache() async throws {
        title("6. The cache")
        server.removeAllRequests()
        for path: RequestPath in ["/prices", "/prices", "/stock", "/stock"] {
            let response = try await client.send(HTTPRequest(.get, path))
            _ = try await response.body.collect(upTo: 1000)
            text("GET \(path.encoded)  \(response.status)  \(response.headers["Cache-Status"] ?? "")")
        }
        let sent = server.requests.map { $0.headers["If-None-Match"] == nil ? $0.path : "\($0.path) (still the same?)" }
        success("Four calls, of which the server saw \(sent.joined(separator: ", "))")
    }
}

extension Tour {
    func upload() async throws {
        title("4. An upload from a file over a slow connection")
        let file = try write(Data(count: 3_000_000), to: "photo.bin")
        server.throttle(bytesPerSecond: 3_000_000)
        defer { server.throttle(bytesPerSecond: nil) }
        let form = MultipartForm { form in
            form.field("title", "Holiday")
            form.file("photo", at: file)
        }
        let response = try await client.upload(form, to: "/photos") { progress($0) }
        success("The server received it: \(response.status)")
        try FileManager.default.removeItem(at: file)
    }

    func download() async throws {
        title("5. A download that breaks off in the middle")
        server.removeAllRequests()
        let saved = try await client.download(
            "/export",
            to: folder.appending(path: "export.bin"),
            rules: DownloadRules(isResumable: true)
        ) { progress($0) }
        let ranges = server.requests.compactMap { $0.headers["Range"] }.joined(separator: ", ")
        success("\(saved.byteCount) bytes were saved; after the break, only \(ranges) was requested")
        try FileManager.default.removeItem(at: saved.url)
    }
}
