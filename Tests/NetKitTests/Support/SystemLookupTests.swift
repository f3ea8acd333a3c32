import Testing

@testable import NetKit

/// Tests of names that the system resolves without a server.
struct SystemLookupTests {
    @Test(arguments: [("127.0.0.1", ["127.0.0.1"]), ("::1", ["::1"]), ("127.1", ["127.0.0.1"])])
    func givesAnAddressOnce(_ host: String, _ addresses: [String]) throws {
        #expect(try SystemLookup.addresses(of: host) == addresses)
    }

    @Test func saysWhichNameItCouldNotResolve() {
        let name = String(repeating: "a", count: 300)
        let error = #expect(throws: ResolverError.self) { try SystemLookup.addresses(of: name) }
        #expect(error?.host == name)
        #expect(error?.reason.isEmpty == false)
    }
}
