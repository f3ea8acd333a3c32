import Foundation
import Testing

@testable import NetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct SessionRequestTests {
    static let texts = [
        "http://user:secret@127.0.0.1:8080/a%2Fb?c=d%20e", "http://user@127.0.0.1:8080/a%2Fb?c=d%20e",
        "http://127.0.0.1:8080/a%2Fb?c=d%20e",
    ]

    @Test(arguments: texts)
    func aUserAndAPasswordInTheURLAreNotGivenToTheSession(text: String) throws {
        let url = try #require(URL(string: text))
        let request = SessionRequest(HTTPRequest(.get, url), body: nil, additional: [])
        #expect(try request.urlRequest().url?.absoluteString == "http://127.0.0.1:8080/a%2Fb?c=d%20e")
    }
}
