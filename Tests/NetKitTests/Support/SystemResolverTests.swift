import Testing

@testable import NetKit

/// Only what the system answers without asking a server.
struct SystemResolverTests {
    @Test(arguments: [("127.0.0.1", ["127.0.0.1"]), ("::1", ["::1"]), ("127.1", ["127.0.0.1"])])
    func givesAnAddressOnce(_ host: String, _ addresses: [String]) async throws {
        #expect(try await SystemResolver.addresses(of: host) == addresses)
    }

    @Test func saysWhichNameItCouldNotResolve() async {
        let name = String(repeating: "a", count: 300)
        let error = await #expect(throws: ResolverError.self) { try await SystemResolver.addresses(of: name) }
        #expect(error?.host == name)
        #expect(error?.reason.isEmpty == false)
    }
}
