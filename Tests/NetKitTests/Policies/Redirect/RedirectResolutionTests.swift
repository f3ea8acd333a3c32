import Foundation
import Testing

@testable import NetKit

struct RedirectResolutionTests {
    private static let base = "http://a/b/c/d;p?q"

    private func resolve(_ location: String, against base: String) throws -> String? {
        RedirectPolicy.resolve(location, against: try #require(URL(string: base)))?.absoluteString
    }

    /// RFC 3986, section 5.4.1: the normal examples.
    @Test(
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"),
        ]
    )
    func resolvesTheNormalExamplesOfTheRFC(reference: String, expected: String) throws {
        #expect(try resolve(reference, against: Self.base) == expected)
    }

    /// RFC 3986, section 5.4.2: the abnormal examples, `http:g` as a strict parser reads it.
    @Test(
        arguments: [
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
        ]
    )
    func resolvesTheAbnormalExamplesOfTheRFC(reference: String, expected: String) throws {
        #expect(try resolve(reference, against: Self.base) == expected)
    }

    /// References of both tables, cut at every byte: the rest is a URL of the same scheme or none.
    @Test(arguments: ["../../../g", "g;x=1/../y", "g?y/../x", "g#s/../x", "//g", "http:g", "/./g", "g:h"])
    func survivesEveryCut(_ reference: String) throws {
        for cut in 0...reference.utf8.count {
            let part = String(decoding: reference.utf8.prefix(cut), as: UTF8.self)
            let resolved = try resolve(part, against: Self.base)
            #expect(resolved == nil || resolved?.contains(":") == true)
        }
    }

    /// RFC 9110, section 10.2.2: a Location without a fragment inherits that of the request.
    @Test(
        arguments: [
            ("/g", "http://a/g#f"), ("/g#s", "http://a/g#s"), ("/g#", "http://a/g#"), ("?y", "http://a/b?y#f"),
            ("https://other/x", "https://other/x#f"), ("/g?y#a%20b", "http://a/g?y#a%20b"),
        ]
    )
    func inheritsTheFragment(location: String, expected: String) throws {
        #expect(try resolve(location, against: "http://a/b?q#f") == expected)
    }

    @Test(
        arguments: [
            ("/g?a[b]=c%20d", "http://a/g?a%5Bb%5D=c%20d"), ("g[1]%2F", "http://a/b/c/g%5B1%5D%2F"),
            ("/ü?x=%2B", "http://a/%C3%BC?x=%2B"), ("//[::1]:8/[%20", "http://[::1]:8/%5B%20"),
            ("//bücher.example/%20[", "http://xn--bcher-kva.example/%20%5B"), ("#[%20", "http://a/b/c/d;p?q#%5B%20"),
        ]
    )
    func encodesNothingTwice(location: String, expected: String) throws {
        #expect(try resolve(location, against: Self.base) == expected)
    }

    @Test(
        arguments: [
            ("//user:secret@other/x", "http://other/x"), ("https://user@other:8443/x", "https://other:8443/x"),
            ("http://user:@a/x?y@z", "http://a/x?y@z"),
        ]
    )
    func dropsUserAndPasswordOfTheServersChoice(location: String, expected: String) throws {
        #expect(try resolve(location, against: Self.base) == expected)
    }

    @Test(
        arguments: [
            ("  /g\t", "http://a/g"), ("/a b", "http://a/a%20b"), ("/über?ö=ü", "http://a/%C3%BCber?%C3%B6=%C3%BC"),
            ("/a%20b", "http://a/a%20b"), ("/a|b", "http://a/a%7Cb"), ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ]
    )
    func readsLocationsThatServersReallySend(location: String, expected: String) throws {
        #expect(try resolve(location, against: Self.base) == expected)
    }

    @Test(
        arguments: [
            "/a\r\nX-Injected: 1", "/a\nb", "/a\tb", "/a\u{0}b", "/a\u{7F}", "http://[::1", "http://a:port/",
            "http://a b/",
        ]
    )
    func refusesLocationsThatAreNotURLs(location: String) throws {
        #expect(try resolve(location, against: Self.base) == nil)
    }
}
