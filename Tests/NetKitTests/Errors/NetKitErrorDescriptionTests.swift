import Foundation
import Testing

@testable import NetKit

struct NetKitErrorDescriptionTests {
    @Test func describesTheKnownFactsInOneLine() {
        let error = NetKitError(.connect, "No connection could be made.")
        #expect(error.description == "No connection could be made. [connect, not sent]")
        #expect("\(error)" == error.description)
        #expect((error as any Error).localizedDescription == error.description)
    }

    @Test func namesRequestLimitAndAttempts() {
        let error = NetKitError(.timeout, "Slow.", outcome: .unknown, timeoutPhase: .idle)
            .attaching(requestLine: "GET https://a.example/", attempts: 3)
        #expect(error.description == "GET https://a.example/: Slow. [timeout, idle limit, outcome unknown, 3 attempts]")
    }

    @Test func doesNotCountASingleAttempt() {
        let error = NetKitError(.dns, "No.").attaching(requestLine: "GET https://a/", attempts: 1)
        #expect(error.description == "GET https://a/: No. [dns, not sent]")
    }

    @Test func showsTheStatusAndNeverTheBody() {
        let response = NetKitError.Response(status: 404, headers: ["X-Secret": "s3cret"], body: Data("s3cret".utf8))
        let error = NetKitError(.server, "The server said no.", outcome: .answered, response: response)
        #expect(error.description == "The server said no. [server, status 404, answered]")
    }

    @Test func doesNotShowTheCause() {
        struct Cause: Error, CustomStringConvertible { let description = "s3cret" }
        let error = NetKitError(.custom, "An interceptor failed.", outcome: .unknown, cause: Cause())
        #expect(error.description == "An interceptor failed. [custom, outcome unknown]")
    }

    /// Every control character, the two separators that break lines, and characters that reorder the text of a
    /// terminal.
    @Test func replacesCharactersThatBreakOrReorderALine() {
        let values =
            Array(0...0x1F) + Array(0x7F...0x9F) + [0x061C, 0x200B, 0x200E, 0x200F] + Array(0x2028...0x202E)
            + Array(0x2066...0x2069) + [0xFEFF, 0xE0041]
        for value in values.compactMap({ Unicode.Scalar(UInt32($0)) }) {
            let error = NetKitError(.server, "a\(Character(value))b").attaching(
                requestLine: "GET \(value)",
                attempts: 1
            )
            #expect(error.description == "GET \u{FFFD}: a\u{FFFD}b [server, not sent]")
        }
        #expect(NetKitError(.server, "a\r\nb").description == "a\u{FFFD}\u{FFFD}b [server, not sent]")
    }

    @Test func leavesOtherTextAsItIs() {
        #expect(NetKitError(.server, "Größe 多 👩‍👩‍👧 العربية").description == "Größe 多 👩‍👩‍👧 العربية [server, not sent]")
    }

    @Test func isBoundedAndKeepsTheKnownFacts() {
        let long = String(repeating: "x", count: 5000)
        let text = NetKitError(.server, long).attaching(requestLine: long, attempts: 1).description
        #expect(text == String(repeating: "x", count: 900) + "… [server, not sent]")
    }

    @Test(arguments: [(4, "abcd…"), (5, "abcde"), (6, "abcde"), (0, "…")])
    func cutsOnlyTextBeyondTheLimit(_ limit: Int, _ text: String) {
        #expect(NetKitError.oneLine("abcde", limit: limit) == text)
    }
}
