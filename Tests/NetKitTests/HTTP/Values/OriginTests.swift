import Foundation
import NetKit
import NetKitTesting
import Testing

struct OriginTests {
    private func origin(_ text: String) throws -> Origin? {
        Origin(try #require(URL(string: text)))
    }

    @Test(arguments: [
        ("https://a.example/x?y#z", "https://a.example:443"), ("http://a.example", "http://a.example:80"),
        ("HTTPS://A.Example:443/", "https://a.example:443"), ("http://a.example:443", "http://a.example:443"),
        ("https://user:pw@a.example:8443", "https://a.example:8443"), ("http://[::1]/", "http://[::1]:80"),
        ("https://[FE80::A]:1/", "https://[fe80::a]:1"), ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example:443"),
    ])
    func isSchemeHostAndPort(_ url: String, _ text: String) throws {
        #expect(try origin(url)?.description == text)
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example:443/other"), ("HTTP://A.EXAMPLE", "http://a.example:80"),
        ("https://a.example", "https://user:pw@a.example"),
    ])
    func isEqualForTheSameServer(_ left: String, _ right: String) throws {
        #expect(try origin(left) == origin(right))
        #expect(try Set([origin(left), origin(right)]).count == 1)
    }

    @Test(arguments: [
        "http://a.example", "https://a.example:8443", "https://b.example", "https://sub.a.example",
        "https://a.example.evil.example",
        "https://a.example.",
    ])
    func differsForAnotherServer(_ other: String) throws {
        #expect(try origin("https://a.example") != origin(other))
    }

    @Test(arguments: ["/x", "a.example", "mailto:a@b.example", "https:///x"])
    func isNotThereWithoutSchemeAndHost(_ url: String) throws {
        #expect(try origin(url) == nil)
    }

    @Test func givesItsParts() throws {
        let origin = try #require(try origin("https://[::1]:8443"))
        #expect(origin.scheme == "https")
        #expect(origin.host == "::1")
        #expect(origin.port == 8443)
    }

    /// The origin from the URL's text is the one that Foundation finds when it parses that text.
    @Test func isWhatFoundationSaysForAnyURL() throws {
        let pieces = [
            "http", "https", "HTTPS", "ftp", "://", ":", "/", "//", "?", "#", "@", "a", "B", "example", ".", "-", "--",
            "xn--", "0", "80", "65535", "65536", "99999999999999999999", "[::1]", "%41", "_", "~", "ü", " ", "\\",
            "user:pw@",
        ]
        var random = RandomSource.seeded(7)
        var seen = 0
        for number in 0..<20_000 {
            let start = number.isMultiple(of: 4) ? "" : number.isMultiple(of: 2) ? "https://" : "http://"
            let rest = (0..<Int.random(in: 1...6, using: &random)).compactMap { _ in
                pieces.randomElement(using: &random)
            }
            let text = start + rest.joined()
            guard let given = URL(string: text) else { continue }
            seen += 1
            // Only a URL from the text with the encoded name gives that name as its host.
            let isEscaped = given.host(percentEncoded: true)?.contains("%") ?? false
            let url = isEscaped ? URL(string: given.absoluteString) ?? given : given
            let host = url.host(percentEncoded: true)?.lowercased()
            var expected: String?
            if let scheme = url.scheme?.lowercased(), let host, !host.isEmpty {
                expected = "\(scheme) \(host) \(url.port ?? (scheme == "https" ? 443 : 80))"
            }
            let found = Origin(given).map { "\($0.scheme) \($0.host) \($0.port)" }
            #expect(found == expected, "\(text)")
        }
        #expect(seen > 10_000)
    }
}
