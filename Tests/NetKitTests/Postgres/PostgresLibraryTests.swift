import Foundation
import NetKit
import Testing

@testable import NetKitPostgres

struct PostgresLibraryTests {
    @Test func aLackOfDescriptorsIsNotAMissingLibrary() {
        // The reason of the system names the file, so that this one is taken for a lack of descriptors.
        let lacking = #expect(throws: NetKitError.self) {
            try PostgresLibrary.load(path: String(cString: strerror(EMFILE)))
        }
        #expect(lacking?.code == .storeUnavailable)
        #expect(lacking?.message.contains("Raise the limit of open files") == true)
        let missing = #expect(throws: NetKitError.self) { try PostgresLibrary.load(path: "libnetkit-has-no-such.so.5") }
        #expect(missing?.code == .unsupported)
        #expect(missing?.message.contains("Install the package") == true)
    }
}
