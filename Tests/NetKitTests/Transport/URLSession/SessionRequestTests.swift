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
        let request = SessionRequest(request: HTTPRequest(.get, url), body: nil, additional: [])
        #expect(try request.urlRequest().url?.absoluteString == "http://127.0.0.1:8080/a%2Fb?c=d%20e")
    }

    /// FoundationNetworking would refuse the URL as unsupported.
    @Test(arguments: ["HTTP", "hTTp", "http"]) func theSchemeIsGivenInLowerCase(_ scheme: String) throws {
        let url = try #require(URL(string: "\(scheme)://127.0.0.1:8080/A%2Fb?c=d%20e#F"))
        let request = SessionRequest(request: HTTPRequest(.get, url), body: nil, additional: [])
        #expect(try request.urlRequest().url?.absoluteString == "http://127.0.0.1:8080/A%2Fb?c=d%20e#F")
    }

    @Test(arguments: ["get", "Post", "hEAD"] as [HTTPMethod])
    func aMethodThatFoundationWouldChangeIsRefused(_ method: HTTPMethod) throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let request = SessionRequest(request: HTTPRequest(method, url), body: nil, additional: [])
        let error = #expect(throws: NetKitError.self) { try request.urlRequest() }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("\"\(method)\"") == true)
    }

    #if canImport(FoundationNetworking)
        /// libcurl would omit a field whose value is a blank.
        @Test(arguments: ["", " ", " \t "]) func aBlankValueIsSentEmpty(_ value: String) throws {
            let url = try #require(URL(string: "http://127.0.0.1/"))
            let given = HTTPRequest(.get, url, headers: ["X-Blank": value, "User-Agent": value, "X-B": "b"])
            let made = try SessionRequest(request: given, body: nil, additional: []).urlRequest()
            #expect(made.value(forHTTPHeaderField: "X-Blank")?.isEmpty == true)
            #expect(made.value(forHTTPHeaderField: "User-Agent")?.isEmpty == true)
            #expect(made.value(forHTTPHeaderField: "X-B") == "b")
            #expect(made.value(forHTTPHeaderField: "Accept-Language") == " ")
        }

        /// libcurl would repeat a request with this field by itself after a 417; a blank makes it omit the field.
        @Test(arguments: [[:], ["Expect": "100-continue"], ["expect": "x", "Expect": "y"]] as [HTTPHeaders])
        func noExpectationIsSent(_ headers: HTTPHeaders) throws {
            let url = try #require(URL(string: "http://127.0.0.1/"))
            let given = HTTPRequest(.post, url, headers: headers)
            for additional in [[], ["expect"]] as [Set<String>] {
                let made = try SessionRequest(request: given, body: nil, additional: additional).urlRequest()
                #expect(made.value(forHTTPHeaderField: "Expect") == " ")
            }
        }
    #endif
}
