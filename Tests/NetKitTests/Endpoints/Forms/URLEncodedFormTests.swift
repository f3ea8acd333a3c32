import Foundation
import Testing

@testable import NetKit

struct URLEncodedFormTests {
    private struct Login: Encodable, Sendable {
        var user: String
        var scopes: [String]
        var limit: Double
    }

    @Test func isWrittenAsBrowsersDo() throws {
        let body = try HTTPBody.form(["a b": "c+d&e=é", "*-._~": "\r\n", "n": nil, "l": [1, 2]]).prepared()
        #expect(body.bytes == Data("a+b=c%2Bd%26e%3D%C3%A9&*-._%7E=%0D%0A&l=1&l=2".utf8))
        #expect(body.contentType == "application/x-www-form-urlencoded")
        #expect(try HTTPBody.form([:]).prepared().bytes == Data())
    }

    @Test func membersOfAValueAreFields() throws {
        let login = Login(user: "Ada L", scopes: ["r", "w"], limit: 1)
        #expect(
            try HTTPBody.form(encoding: login).prepared().bytes == Data("user=Ada+L&scopes=r&scopes=w&limit=1".utf8)
        )
        let comma = try HTTPBody.form(encoding: login, format: .init(lists: .comma)).prepared()
        #expect(comma.bytes == Data("user=Ada+L&scopes=r%2Cw&limit=1".utf8))
    }

    @Test func aFormThatCannotBeWrittenFailsInSend() {
        let error = #expect(throws: NetKitError.self) { try HTTPBody.form(["a": Double.nan]).prepared() }
        #expect(error?.code == .encoding)
        #expect(throws: NetKitError.self) { try HTTPBody.form(encoding: [1, 2]).prepared() }
    }
}
