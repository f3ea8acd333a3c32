import NetKit
import Service

struct ServiceChecks {
    let checks: Checks
    private let base = URL(string: "https://api.example.com/v1")!
    private let ada = User(id: 1, name: "Ada")

    init(checks: Checks) {
        self.checks = checks
    }

    func run() async throws {
        try await endpoints()
        try await errors()
        try await shapes()
        try await interceptors()
        try await environment()
        try await echo()
        try await standIn()
        try await streams()
        try await cancellation()
        try await lifeCycle()
    }

    private func endpoints() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/a%2F..%2Fb", .json(ada))
        transport.stub(.post, "/users", .json(ada, status: .created))
        transport.stub(.patch, "/users/1", .json(ada))
        transport.stub(.get, "/users", query: ["q": "a&b", "limit": "5"], .json([ada]))
        transport.stub(.delete, "/users/1", .status(.noContent))
        transport.stub(.post, "/login", .status(.noContent))
        let client = HTTPClient(baseURL: base, transport: transport)
        let service = UserService(client)
        checks.equal("a value in a path stays one segment", try await service.user("a/../b"), ada)
        checks.equal("a value goes out as JSON", try await service.create("Ada"), ada)
        checks.equal("its body", try transport.requests[1].json(NewUser.self), NewUser(name: "Ada"))
        checks.equal("its content type", transport.requests[1].headers["content-type"], "application/json")
        checks.equal("a dictionary goes out as JSON", try await client.send(.rename(1, to: "Ada")), ada)
        checks.equal("query items", try await client.send(.users(matching: "a&b", limit: 5)), [ada])
        try await service.remove(1)
        checks.equal("a call without a result", transport.requests[4].method, .delete)
        try await client.send(.login("ada"))
        checks.equal("an automatic key", transport.requests[5].headers["Idempotency-Key"]?.count, 36)
    }

    private func errors() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/404", .status(404))
        transport.stub(.get, "/users/503", .text("busy", status: 503))
        transport.stub(.get, "/users/shape", .json(["id": "one", "name": "Ada"]))
        transport.stub(.get, "/users/late", .failure(URLError(.timedOut)))
        transport.stub(.get, "/users/nowhere", .failure(URLError(.cannotFindHost)))
        let service = UserService(HTTPClient(baseURL: base, transport: transport))
        checks.equal("a status can be a value", try await service.find("404"), nil)
        let expected = [
            "503": "responded with 503", "shape": "wrong at id", "late": "look first", "nowhere": "send again",
            "none": "noStub", "..": "invalidURL",
        ]
        for (id, advice) in expected.sorted(by: { $0.key < $1.key }) {
            do {
                checks.fail("the error of \(id)", "got \(try await service.user(id))")
            } catch {
                checks.equal("the error of \(id)", UserService.advice(for: error), advice)
            }
        }
    }

    private func shapes() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/1", .json(ada))
        transport.stub(.get, "/users", .json([ada, ada]))
        transport.stub(.get, "/names", .json(["a": "b"]))
        transport.stub(.get, "/text", .text("text"))
        transport.stub(.head, "/text", .status(200))
        transport.stub(.post, "/users", .json(ada))
        transport.stub(.delete, "/users/1", .status(204))
        transport.stub("PURGE", "/text", .status(202))
        let shapes = Shapes(HTTPClient(baseURL: base, transport: transport))
        checks.equal(
            "results by context",
            try await shapes.byContext(),
            ["Ada", "2", "Ada", "b", "text", "4", "()", "200 OK", "Ada", "()", "()", "200 OK"]
        )
        checks.equal("results by type", try await shapes.byType(), ["Ada", "2"])
        checks.equal("plain requests", try await shapes.plain(), [200, 200, 200, 200, 202, 200, 200])
        let (count, status) = try await shapes.asURLSession(base.appending(path: "text"))
        checks.equal("as URLSession", [count, status], [4, 200])
    }

    private func interceptors() async throws {
        let transport = MockTransport()
        transport.stub(
            .get,
            "/users/1",
            headers: ["X-Version": "2", "X-Signature": "signed /v1/users/1"],
            .json(["data": ada]).header("X-Envelope", "1")
        )
        let measurements = Measurements()
        let client = HTTPClient(
            baseURL: base,
            transport: transport,
            interceptors: [Signature(), Envelope(version: "2"), Timing(measurements)]
        )
        var options = CallOptions()
        options.tags[Feature.self] = Feature(name: "checkout")
        checks.equal("an envelope is unwrapped", try await client.send(.user("1"), options: options), ada)
        let line = await measurements.lines.first ?? ""
        checks.equal("a call is timed", line.hasPrefix("checkout GET /v1/users/1 200 "), true)
        let order = client.pipeline.interceptors.map(\.summary)
        checks.equal("the client sorts", order.firstIndex(of: "Timing"), 0)
        checks.equal("explain names the order", client.explain().contains("Signature"), true)
        await checks.throwing("a both-sides interceptor refuses a stream by name", "invalidRequest, not sent") {
            try await client.send(HTTPRequest(.get, "/users/1"))
        }
        let next = Next { request, _ in
            HTTPResponse(status: .ok, body: ResponseBody(Data((request.headers["X-Version"] ?? "none").utf8)))
        }
        let alone = try await Envelope(version: "3").intercept(HTTPRequest(.get, base), context: .test(), next: next)
        checks.equal("an interceptor runs alone", try await alone.body.text(upTo: 10), "3")
    }

    private func environment() async throws {
        let transport = MockTransport()
        let joined = Date(timeIntervalSince1970: 1000)
        transport.stub(.get, "/users/1", .text(#"{"id": 1, "name": "Ada", "joined": 1000}"#))
        let client = try Clients.make(
            baseURL: base,
            transport: transport,
            environment: ["NETKIT_TOTAL_TIMEOUT": "2m", "NETKIT_BUFFER_LIMIT": "64KiB"]
        )
        checks.equal("a limit from the environment", client.configuration.timeouts.total, .seconds(120))
        checks.equal("a bound from the environment", client.configuration.maxBufferedBytes, 65_536)
        checks.equal("a coder of one's own", try await client.send(.user("1")).joined, joined)
        let isSigned = transport.requests[0].headers.contains("X-Signature")
        checks.equal("an interceptor beside the standard ones", isSigned, true)
        await checks.throwing("a wrong variable", "invalidConfiguration, not sent") {
            try Clients.make(baseURL: base, environment: ["NETKIT_IDLE_TIMEOUT": "soon"])
        }
        let process = try HTTPClient.Configuration(environment: ProcessInfo.processInfo.environment)
        checks.equal("this process's environment", try Clients.fromProcess().configuration.timeouts, process.timeouts)
    }

    private func echo() async throws {
        let client = HTTPClient(baseURL: base, transport: EchoTransport())
        let text: String = try await client.send(.post("/echo", body: .text("hello")))
        checks.equal("an own transport, buffered", text, "POST /v1/echo hello")
        let response = try await client.send(HTTPRequest(.post, "/echo", body: .text("hello")))
        checks.equal("its length", response.body.length, 19)
        checks.equal("an own transport, streamed", try await response.body.text(upTo: 100), "POST /v1/echo hello")
        checks.equal("trailers", response.trailers?["X-Pieces"], "5")
        checks.equal("its name", client.explain().contains("echo"), true)
    }

    private func standIn() async throws {
        let standIn = CountingSender(response: ada)
        checks.equal("a stand-in makes typed calls", try await UserService(standIn).user("7"), ada)
        checks.equal("and sees them", await standIn.seen, ["GET /users/7"])
    }

    private func streams() async throws {
        let transport = MockTransport()
        let pieces = ["{\"amount\": 1}\n{\"am", "ount\": 20}\r\n", "{\"amount\": 300}"]
        transport.stub(.get, "/export", .stream(pieces.map { Data($0.utf8) }))
        transport.stub(.get, "/cut", .stream([Data("a\nb".utf8)], failingWith: URLError(.networkConnectionLost)))
        let reports = Reports(HTTPClient(baseURL: base, transport: transport))
        checks.equal("lines across pieces", try await reports.total(of: "/export"), 321)
        checks.equal("only the first line", try await reports.first(1, of: "/export"), ["{\"amount\": 1}"])
        await checks.throwing("a body that is cut short", "connectionLost, answered") {
            try await reports.first(5, of: "/cut")
        }
    }

    private func cancellation() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/1", .stalled)
        let client = HTTPClient(baseURL: base, transport: transport)
        let reports = Reports(client)
        let (id, task) = reports.startUser("1")
        await transport.waitForRequests(1)
        checks.equal("a call is found by its id", client.activeCalls.map(\.id), [id])
        checks.equal("and cancelled by it", client.cancel(id), true)
        await checks.throwing("its caller learns it", "CancellationError") { try await task.value }
        checks.equal("and it is gone", client.activeCallCount, 0)
        await checks.throwing("a deadline ends a call", "timeout, outcome unknown") {
            try await reports.user("1", within: .milliseconds(20))
        }
    }

    private func lifeCycle() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/1", .json(ada))
        let client = HTTPClient(baseURL: base, transport: transport)
        checks.equal("a call before the end", try await client.send(.user("1")), ada)
        checks.equal("shutting down an idle client", await client.shutdown(within: .seconds(1)), true)
        await checks.throwing("a call after it", "closed, not sent") { try await client.send(.user("1")) }
    }
}

/// A stand-in with state, as an actor.
private actor CountingSender: RequestSending {
    private let response: User
    private(set) var seen: [String] = []

    init(response: User) {
        self.response = response
    }

    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        seen.append("\(request.method) \(request.url.path())")
        return HTTPResponse(status: .ok, body: ResponseBody(try JSONEncoder().encode(response)))
    }
}
