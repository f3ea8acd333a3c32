import Testing

@testable import NetKit

struct AddressGuardTests {
    private struct Odd: Error {}

    private let asked = Notebook<String>()

    private func makeGuard(_ names: [String: [String]] = [:], exceptHosts: Set<String> = []) -> AddressGuard {
        AddressGuard(exceptHosts: exceptHosts) { [asked] host in
            asked.add(host)
            guard let addresses = names[host] else { throw Odd() }
            return addresses
        }
    }

    private func refusal(of host: String, by addressGuard: AddressGuard) async throws -> NetKitError {
        let error = try await #require(throws: NetKitError.self) { try await addressGuard.judge(host: host) }
        #expect(error.outcome == .notSent)
        return error
    }

    @Test(arguments: [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.1", "10.0.0.1", "169.254.169.254", "[::1]", "::1",
        "[::ffff:127.0.0.1]",
        "[fe80::1%25eth0]", "0", "127.0.0.1.",
    ])
    func refusesAnAddressInAnyNotationWithoutAsking(_ host: String) async throws {
        let error = try await refusal(of: host, by: makeGuard())
        #expect(error.code == .addressRefused)
        #expect(asked.count == 0)
    }

    @Test(arguments: ["8.8.8.8", "[2606:4700::1111]", "2606:4700::1111"])
    func allowsAPublicAddressWithoutAsking(_ host: String) async throws {
        try await makeGuard().judge(host: host)
        #expect(asked.count == 0)
    }

    @Test(arguments: ["localhost", "LOCALHOST", "a.localhost", "A.B.LocalHost"])
    func refusesTheNamesOfThisMachineWithoutAsking(_ host: String) async throws {
        let error = try await refusal(of: host, by: makeGuard([host: ["8.8.8.8"]]))
        #expect(error.code == .addressRefused)
        #expect(asked.count == 0)
    }

    @Test func judgesANameByAllOfItsAddresses() async throws {
        let addressGuard = makeGuard([
            "good.example": ["8.8.8.8", "2606:4700::1111"], "bad.example": ["8.8.8.8", "10.0.0.1"],
            "worse.example": ["2606:4700::1111", "::1", "8.8.8.8"],
        ])
        try await addressGuard.judge(host: "good.example")
        try await addressGuard.judge(host: "GOOD.example")
        let bad = try await refusal(of: "bad.example", by: addressGuard)
        #expect(bad.code == .addressRefused)
        #expect(
            bad.message == "The address guard refuses \"bad.example\" (10.0.0.1). "
                + "Add it to `exceptHosts` if it is meant to be called."
        )
        #expect(try await refusal(of: "worse.example", by: addressGuard).code == .addressRefused)
        #expect(asked.entries == ["good.example", "good.example", "bad.example", "worse.example"])
    }

    @Test func refusesAnAddressThatItCannotRead() async throws {
        let error = try await refusal(of: "odd.example", by: makeGuard(["odd.example": ["8.8.8.8", "not an address"]]))
        #expect(error.code == .addressRefused)
    }

    @Test func doesNotGuessIfTheNameCannotBeResolved() async throws {
        let error = try await refusal(of: "missing.example", by: makeGuard())
        #expect(error.code == .dns)
        #expect(error.cause is Odd)
        #expect(error.message == "The name \"missing.example\" could not be resolved for the address guard.")
    }

    @Test func doesNotGuessIfTheNameHasNoAddress() async throws {
        let error = try await refusal(of: "empty.example", by: makeGuard(["empty.example": []]))
        #expect(error.code == .dns)
        #expect(error.message == "The name \"empty.example\" has no address.")
    }

    @Test func passesCancellationOn() async {
        let addressGuard = AddressGuard(resolve: { _ in throw CancellationError() })
        let judging = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await addressGuard.judge(host: "a.example")
        }
        await #expect(throws: CancellationError.self) { try await judging.value }
    }

    /// Its caller has cancelled nothing.
    @Test func aResolverThatGivesUpByItselfHasFailed() async throws {
        let addressGuard = AddressGuard(resolve: { _ in throw CancellationError() })
        let error = try await refusal(of: "a.example", by: addressGuard)
        #expect(error.code == .dns)
        #expect(error.cause is CancellationError)
    }

    @Test func aLackOfResourcesForALookupIsNoFailureOfTheNetwork() async throws {
        let shortage = ResolverError(host: "a.example", reason: "no thread", isLocalShortage: true)
        let addressGuard = AddressGuard(resolve: { _ in throw shortage })
        #expect(try await refusal(of: "a.example", by: addressGuard).isLocalShortage)
        #expect(try await !refusal(of: "b.example", by: makeGuard()).isLocalShortage)
    }

    @Test(arguments: [
        "billing.internal", "BILLING.internal", "127.0.0.1", "127.1", "[::1]", "::1", "0:0:0:0:0:0:0:1", "localhost",
    ])
    func allowsItsExceptions(_ host: String) async throws {
        let exceptions: Set<String> = ["Billing.Internal", "127.0.0.1", "::1", "localhost"]
        try await makeGuard(["billing.internal": ["10.0.0.1"]], exceptHosts: exceptions).judge(host: host)
        #expect(asked.count == 0)
    }

    @Test func allowsANameThatLeadsToExceptedAddressesOnly() async throws {
        let names = ["here.example": ["127.0.0.1", "::1"], "there.example": ["127.0.0.1", "10.0.0.1"]]
        let addressGuard = makeGuard(names, exceptHosts: ["127.0.0.1", "[::1]"])
        try await addressGuard.judge(host: "here.example")
        #expect(try await refusal(of: "there.example", by: addressGuard).code == .addressRefused)
    }

    @Test(arguments: ["sub.billing.internal", "billing.internal.evil.example", "xbilling.internal"])
    func allowsNoNamesThatOnlyLookLikeAnException(_ host: String) async throws {
        let addressGuard = makeGuard([host: ["10.0.0.1"]], exceptHosts: ["billing.internal"])
        #expect(try await refusal(of: host, by: addressGuard).code == .addressRefused)
    }

    @Test func judgesByAFunctionOfYourOwn() async throws {
        let addressGuard = AddressGuard(resolve: { _ in ["10.1.2.3"] }, isAllowed: { $0.bytes.first == 10 })
        try await addressGuard.judge(host: "a.example")
        try addressGuard.judge(connectedAddress: "10.9.9.9")
        #expect(try await refusal(of: "8.8.8.8", by: addressGuard).code == .addressRefused)
    }

    @Test(arguments: ["8.8.8.8", "2606:4700::1111"])
    func allowsAConnectionToAPublicAddress(_ address: String) throws {
        try AddressGuard.publicOnly.judge(connectedAddress: address)
    }

    @Test(arguments: ["10.0.0.1", "::1", "fe80::1%eth0", "::ffff:10.0.0.1", "", "a.example"])
    func refusesAConnectionToAnyOther(_ address: String) throws {
        let error = try #require(throws: NetKitError.self) {
            try AddressGuard.publicOnly.judge(connectedAddress: address)
        }
        #expect(error.code == .addressRefused)
        #expect(error.outcome == .notSent)
    }

    @Test func allowsAConnectionToAnException() throws {
        let addressGuard = makeGuard(exceptHosts: ["billing.internal", "127.0.0.1", "::1"])
        try addressGuard.judge(connectedAddress: "127.0.0.1")
        try addressGuard.judge(connectedAddress: "::1")
        try addressGuard.judge(connectedAddress: "0:0:0:0:0:0:0:1")
        #expect(throws: NetKitError.self) { try addressGuard.judge(connectedAddress: "10.0.0.1") }
    }

    @Test func allowsAConnectionOfAnExceptedHostWhereverItLeads() throws {
        let addressGuard = makeGuard(exceptHosts: ["billing.internal"])
        try addressGuard.judge(connectedAddress: "10.0.0.1", for: "Billing.internal")
        let error = try #require(throws: NetKitError.self) {
            try addressGuard.judge(connectedAddress: "10.0.0.1", for: "rebound.example")
        }
        #expect(error.code == .addressRefused)
        #expect(error.message.contains("10.0.0.1"))
    }
}
