import Foundation
import NetKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests that the guard checks the first request, every redirect, and the address of each connection.
struct RedirectAddressGuardTests {
    private let transport = MockTransport()
    private let asked = EventLog()

    private func client(
        except hosts: Set<String> = [],
        interceptors: InterceptorList = .standard
    ) -> HTTPClient {
        let addresses = [
            "api.example.com": ["93.184.216.34"], "cdn.example.com": ["93.184.216.35", "2606:2800:220:1::1"],
            "internal.example.com": ["93.184.216.36", "10.0.0.7"],
        ]
        let asked = asked
        var configuration = HTTPClient.Configuration()
        configuration.addressGuard = AddressGuard(
            exceptHosts: hosts,
            resolve: { host in
                asked.add(host)
                return addresses[host] ?? []
            }
        )
        return HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: interceptors,
            configuration: configuration
        )
    }

    @Test func judgesTheFirstRequest() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await client().send(HTTPRequest(.get, "https://internal.example.com/a"))
        }
        #expect(error?.code == .addressRefused)
        #expect(
            error?.message == "The address guard refuses \"internal.example.com\" (10.0.0.7). "
                + "Add it to `exceptHosts` if it is meant to be called."
        )
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
    }

    @Test func judgesTheTargetThatAnInterceptorHasChosen() async throws {
        struct Detour: RequestInterceptor {
            let stage = Stage.attempt

            func intercept(_ request: URLRequest) async throws -> URLRequest {
                var request = request
                request.url = URL(string: "https://internal.example.com/a")
                return request
            }
        }
        let client = client(interceptors: [Detour()])
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/a")) }
        #expect(error?.code == .addressRefused)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
    }

    @Test(
        arguments: [
            "https://internal.example.com/b", "https://169.254.169.254/latest/meta-data/", "https://[::1]/b",
            "https://localhost/b", "https://2130706433/b", "https://[::ffff:10.0.0.1]/b",
        ]
    )
    func judgesEveryHop(location: String) async throws {
        transport.stub(.post, "/a", .redirect(to: "https://cdn.example.com/b", status: 307))
        transport.stub(.post, "https://cdn.example.com/b", .redirect(to: location, status: 307))
        let error = await #expect(throws: NetKitError.self) {
            try await client().send(HTTPRequest(.post, "/a", body: .text("order")))
        }
        #expect(error?.code == .addressRefused)
        #expect(error?.outcome == .answered, "two servers have seen the request")
        #expect(error?.attempts == 3, "the one that was refused counts")
        #expect(transport.requests.map { $0.url.host() } == ["api.example.com", "cdn.example.com"])
        #expect(asked.all.prefix(2) == ["api.example.com", "cdn.example.com"])
    }

    @Test func aHopsRefusalDoesNotPassForNotSent() async throws {
        transport.stub(.post, "/a", .redirect(to: "https://10.0.0.1/", status: 307))
        let error = await #expect(throws: NetKitError.self) {
            try await client().send(HTTPRequest(.post, "/a", body: .text("order")))
        }
        #expect(error?.code == .addressRefused)
        #expect(error?.outcome == .answered)
        #expect(error?.attempts == 2, "the one that was refused counts")
    }

    @Test func anAllowedAddressMayBeCalled() async throws {
        transport.stub(.get, "/a", .redirect(to: "https://internal.example.com/b"))
        transport.stub(.get, "https://internal.example.com/b", .status(200))
        let response = try await client(except: ["internal.example.com"]).send(HTTPRequest(.get, "/a"))
        #expect(response.status == 200)
        #expect(asked.all == ["api.example.com"])
    }

    @Test func judgesTheAddressAConnectionGoesTo() async throws {
        transport.stub(.get, "/a", .status(200).connected(to: "10.0.0.1"))
        let error = await #expect(throws: NetKitError.self) { try await client().send(HTTPRequest(.get, "/a")) }
        #expect(error?.code == .addressRefused)
        #expect(error?.outcome == .notSent)
        #expect(error?.attempts == 1)
    }

    @Test func judgesTheAddressOfALaterHopsConnection() async throws {
        transport.stub(.get, "/a", .redirect(to: "https://cdn.example.com/b").connected(to: "93.184.216.34"))
        transport.stub(.get, "https://cdn.example.com/b", .status(200).connected(to: "::ffff:127.0.0.1"))
        let error = await #expect(throws: NetKitError.self) { try await client().send(HTTPRequest(.get, "/a")) }
        #expect(error?.code == .addressRefused)
        #expect(error?.outcome == .answered)
        #expect(error?.attempts == 2)
    }

    @Test func aConnectionToAPublicAddressIsSeenInTheTimings() async throws {
        transport.stub(.get, "/a", .status(200).connected(to: "93.184.216.34"))
        let response = try await client().send(HTTPRequest(.get, "/a"))
        #expect(response.timings.remoteAddress == "93.184.216.34")
    }
}
