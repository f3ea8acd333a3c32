import Foundation
public import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

// The tutorial, compiled and run.

// GUIDE: begin
public struct StockItem: Codable, Sendable, Equatable {
    public var name: String
    public var count: Int
}

public struct StockService: Sendable {
    private let client: HTTPClient

    public init(client: HTTPClient) {
        self.client = client
    }

    /// Returns an item, or `nil` if there is none of that name.
    public func item(_ name: String) async throws -> StockItem? {
        try await client.send(Endpoint<StockItem>.get("/items/\(name)"), nilFor: .notFound)
    }

    /// Adds a delivery, and returns the item with its new count.
    public func deliver(_ count: Int, of name: String) async throws -> StockItem {
        let once = CallOptions(idempotencyKey: .automatic)
        return try await client.post("/items/\(name)/deliveries", json: ["count": count], options: once)
    }
}
// GUIDE: end

// GUIDE: begin
@Suite struct StockServiceTests {
    let transport = MockTransport()

    /// A service whose retries do not wait.
    var service: StockService {
        var configuration = HTTPClient.Configuration()
        configuration.clock = TestClock(skipsSleeps: true).clock
        return StockService(
            client: HTTPClient(
                baseURL: URL(string: "https://stock.example.com/v1"),
                transport: transport,
                configuration: configuration
            )
        )
    }

    @Test func findsAnItem() async throws {
        transport.stub(.get, "/items/pears", .json(["name": "pears", "count": 3] as JSONValue))
        #expect(try await service.item("pears")?.count == 3)
    }

    @Test func anUnknownItemIsNil() async throws {
        transport.stub(.get, "/items/*", .status(404))
        #expect(try await service.item("plums") == nil)
    }

    @Test func aDeliveryIsSentAgainUnderTheSameKey() async throws {
        let pears: JSONValue = ["name": "pears", "count": 5]
        transport.stub(.post, "/items/pears/deliveries", .status(503), .json(pears))
        #expect(try await service.deliver(2, of: "pears").count == 5)
        let keys = transport.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2)
        #expect(keys[0] != nil && keys[0] == keys[1])
    }

    @Test func anErrorSaysWhetherTheServerMayHaveActed() async throws {
        transport.stub(.post, "/items/pears/deliveries", .failure(URLError(.cannotConnectToHost)))
        let error = await #expect(throws: NetKitError.self) { try await service.deliver(2, of: "pears") }
        #expect(error?.code == .connect)
        #expect(error?.outcome == .notSent)
    }
}
// GUIDE: end

@Suite(.needsTheMachine)
struct TutorialGuideTests {
    /// Compiled only, because it would use the network.
    private func program() async {
        // GUIDE: begin
        let client = HTTPClient(
            baseURL: URL(string: "http://127.0.0.1:8080/v1"),
            interceptors: .standard + [LoggingInterceptor(.standardError)]
        )
        do {
            let item = try await StockService(client: client).item("pears")
            print(item.map { "\($0.count) \($0.name)" } ?? "no pears")
        } catch {
            print(error)
        }
        await client.shutdown(within: .seconds(1))
        // GUIDE: end
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Tutorial").shows(#filePath))
    }
}
