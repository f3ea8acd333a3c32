import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct URLTextTests {
    @Test(arguments: [
        ("https://a.example/items?filter[name]=a%20b", "https://a.example/items?filter%5Bname%5D=a%20b"),
        ("https://a.example/x[1]/%2F?[a]=%5B#[b]%20", "https://a.example/x%5B1%5D/%2F?%5Ba%5D=%5B#%5Bb%5D%20"),
        ("/x?page[size]=10&cursor=ab%3D%3D", "/x?page%5Bsize%5D=10&cursor=ab%3D%3D"),
        ("//a.example/x[1]%20", "//a.example/x%5B1%5D%20"), ("?a[b]=%20", "?a%5Bb%5D=%20"),
        ("items[1]:%20", "items%5B1%5D%3A%20"), ("mailto:a[b]%20", "mailto:a%5Bb%5D%20"),
        ("https://a.example/a b%20c", "https://a.example/a%20b%20c"), ("/ü%20", "/%C3%BC%20"),
        ("/\"<>\\^`{|}%20", "/%22%3C%3E%5C%5E%60%7B%7C%7D%20"), ("/100%?a%20=%zz", "/100%25?a%20=%25zz"),
        ("/x#a#b%20", "/x#a%23b%20"), ("/%5b%5D", "/%5b%5D"),
        ("https://[::1]:8080/x[1]%20", "https://[::1]:8080/x%5B1%5D%20"),
        ("https://[fe80::1%25eth0]/[%20", "https://[fe80::1%25eth0]/%5B%20"),
        ("https://u%20[:p@a.example/%20", "https://u%20%5B:p@a.example/%20"),
        ("https://bücher.example/ü%20", "https://xn--bcher-kva.example/%C3%BC%20"),
    ])
    func isEncodedOnce(_ text: String, _ expected: String) throws {
        let url = try #require(URL(text: text))
        #expect(url.absoluteString == expected)
        #expect(URL(text: expected)?.absoluteString == expected)
    }

    @Test func anInternationalNameIsOneThatCanBeCalled() throws {
        let url = try #require(URL(text: "https://bücher.example/x"))
        #expect(RequestValidation.problem(ofURL: url) == nil)
        #expect(Origin(url)?.host == "xn--bcher-kva.example")
        let request = try HTTPRequest(.get, "https://bücher.example/ü\("%")").resolved(against: nil)
        #expect(request.url.absoluteString == "https://xn--bcher-kva.example/%C3%BC%25")
        let link = "https://bücher.example/ü?a b"
        let path: RequestPath = "\(raw: link)"
        let linked = try HTTPRequest(.get, path).resolved(against: nil)
        #expect(linked.url.absoluteString == "https://xn--bcher-kva.example/%C3%BC?a%20b")
    }

    @Test func anInternationalNameInAURLOfFoundationIsOneThatCanBeCalled() throws {
        let url = try #require(URL(string: "https://bücher.example/v1"))
        let request = HTTPRequest(.get, url)
        let sent = try request.resolved(against: nil).url
        #expect(sent.absoluteString == "https://xn--bcher-kva.example/v1")
        #expect(sent.host(percentEncoded: true) == "xn--bcher-kva.example")
        #expect(try request.targetText() == "https://xn--bcher-kva.example/v1")
        #expect(try BaseURL(url).joined(with: "/a") == "https://xn--bcher-kva.example/v1/a")
        let origins: AuthOrigins = ["https://bücher.example"]
        #expect(origins.contains(sent, baseURL: nil))
        #expect(origins.warnings(baseURL: nil).isEmpty)
        #expect(AuthOrigins.baseURL.contains(sent, baseURL: url))
    }

    @Test(arguments: ["https://[::1", "https://a b/", "https://a.example:port/", "1a:b"])
    func whatIsNoURLForFoundationIsNone(_ text: String) {
        #expect(URL(text: text) == nil)
    }

    @Test func aTextWithoutEscapesIsReadAsByFoundation() throws {
        let pieces = [
            "https://", "http://a.example", "//", "/", "?", "#", "[", "]", ":", "@", "a", "é", " ", "\\", "\"", "b=c",
            "&", "[::1]", "1",
        ]
        try ParserFuzz.texts(pieces) { text in
            if let url = URL(text: text) {
                #expect(URL(text: url.absoluteString)?.absoluteString == url.absoluteString, "\(text)")
            }
            let whole = "https://a.example/\(text)".replacing("%", with: "")
            let known = try #require(URL(string: whole))
            #expect(URL(text: whole)?.absoluteString == known.absoluteString, "\(whole)")
        }
        #expect(
            ParserFuzz.isLinear(["[", "%20", "a", "é", "%", "#", "/"], prefix: "https://a.example/") {
                _ = URL(text: $0)
            }
        )
    }
}
