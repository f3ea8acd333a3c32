import Foundation
import NetKit
import Testing

/// A way to use the library wrongly, or a failure of a server, and the message about it.
struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let message: String
    private let attempt: @Sendable () async throws -> Void

    init(_ name: String, _ message: String, _ attempt: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.message = message
        self.attempt = attempt
    }

    var testDescription: String { name }

    /// Makes the mistake, and returns its message.
    func make() async -> String {
        do {
            try await attempt()
            return "nothing was thrown"
        } catch let error as NetKitError {
            return error.message.replacing(#/\/[^"]*netkit-[0-9A-F-]+\//#, with: "/folder/")
        } catch {
            return "\(type(of: error))"
        }
    }
}

/// Tests of the messages about the most likely mistakes, word for word.
struct MistakeTests {
    @Test(
        arguments: Mistake.inRequests + Mistake.inResponses + Mistake.ofWholePaths + Mistake.inPolicies
            + Mistake.inStores
    )
    func saysWhatToDo(_ mistake: Mistake) async {
        let message = await mistake.make()
        #expect(message == mistake.message)
    }

    @Test func thereAreSixty() {
        let all = Mistake.inRequests + Mistake.inResponses + Mistake.inPolicies + Mistake.inStores
        #expect(all.count >= 60)
        #expect(Set(all.map(\.name)).count == all.count)
    }
}
