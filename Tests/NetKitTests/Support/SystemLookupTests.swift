import Foundation
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
        #expect(error?.isLocalShortage == false)
    }

    /// The name may be correct.
    @Test(
        arguments: [
            (EAI_SYSTEM, EMFILE, "the process has too many open files; raise the limit"),
            (EAI_SYSTEM, ENFILE, "the machine has too many open files; raise the limit"), (EAI_MEMORY, 0, ""),
            (EAI_SYSTEM, ENOMEM, "the system has no memory left; free some"),
            (EAI_SYSTEM, ENOBUFS, "the system has no memory left; free some"), (EAI_SYSTEM, EIO, nil),
            (EAI_NONAME, EMFILE, nil),
        ] as [(Int32, Int32, String?)]
    )
    func aLackOfResourcesSaysNothingAboutTheName(code: Int32, systemError: Int32, reason: String?) {
        let error = SystemLookup.error(of: "a.test", code, systemError)
        #expect(error.isLocalShortage == (reason != nil))
        #expect(error.reason.hasPrefix(reason ?? ""))
    }

    /// The code alone only says that there is an error of the system.
    @Test func namesTheErrorOfTheSystem() {
        #expect(SystemLookup.error(of: "a.test", EAI_SYSTEM, EACCES).reason == "Permission denied")
        #expect(!SystemLookup.error(of: "a.test", EAI_SYSTEM, 0).reason.isEmpty)
        #expect(SystemLookup.error(of: "a.test", EAI_NONAME, EACCES).reason != "Permission denied")
    }
}
