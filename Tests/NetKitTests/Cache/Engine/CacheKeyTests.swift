import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct CacheKeyTests {
    private let secret = CacheHashKey(bytes: (0..<16).map { UInt8($0) }) ?? CacheHashKey()

    /// The first two of the authors' own vectors for 128 bits.
    @Test(arguments: [
        (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
    ])
    func hashesAsItsAuthorsDo(count: Int, hash: String) {
        let bytes = (0..<count).map { UInt8($0) }
        let (first, second) = bytes.withUnsafeBytes { SipHash.hash($0, key: secret) }
        let text = [first, second].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        #expect(text.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() == hash)
    }

    private func partition(
        of request: HTTPRequest,
        principal: String? = nil,
        identity: String? = nil,
        scope: String? = nil
    ) throws -> CachePartition {
        let principal = principal.map { Principal($0) }
        return try CachePartition(request, context: .test(), principal: principal, identity: identity, scope: scope)
    }

    @Test func isTheSameInEveryProcess() throws {
        // Numbers that another process computed, so that a change of the key is noticed.
        #expect(CacheKey(["GET", "https://a/"], secret: secret).description == "ee9d7967315738da1080ccc5e044ae6c")
        let url = try #require(URL(string: "https://a/b?c=d"))
        var request = HTTPRequest(.get, url)
        #expect(
            try partition(of: request).key(of: url, secret: secret).description == "c8bdd9714022906594753f322033d48a"
        )
        request.headers["Authorization"] = "me"
        #expect(
            try partition(of: request, principal: "you").key(of: url, secret: secret).description
                == "c8bdd97172be28cc94c77edc28faac50"
        )
        let copy = CacheHashKey(bytes: secret.bytes)
        #expect(copy == secret)
        #expect(CacheHashKey(bytes: [1, 2, 3]) == nil)
        #expect(CacheKey(["a"], secret: secret) != CacheKey(["a"], secret: CacheHashKey()))
    }

    @Test func partsDoNotRunIntoEachOther() {
        let keys = [["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"]].map { CacheKey($0, secret: secret) }
        #expect(Set(keys).count == keys.count)
    }

    @Test func theSameTextInAnotherPartMakesAnotherKey() throws {
        var keys: Set<CacheKey> = []
        for text in ["https://a/", "https://a/x", "https://a/x?y"] {
            let url = try #require(URL(string: text))
            var requests = [HTTPRequest(.get, url), HTTPRequest(.get, url, headers: ["Cookie": "x"])]
            requests.append(HTTPRequest(.get, url, headers: ["Authorization": "x"]))
            requests.append(HTTPRequest(.get, url, headers: ["Cookie": "", "Authorization": "x"]))
            var free = HTTPRequest(.get, url)
            free.requiresAuth = false
            requests.append(free)
            for request in requests {
                for (principal, identity, scope) in [
                    (nil, nil, nil), ("x", nil, nil), (nil, "x", nil), (nil, nil, "x"), ("", nil, nil), (nil, nil, ""),
                    ("x", "x", nil), (nil, "x", "x"), ("x", nil, "x"), ("xx", nil, nil),
                ] as [(String?, String?, String?)] {
                    let whose = try partition(of: request, principal: principal, identity: identity, scope: scope)
                    #expect(keys.insert(whose.key(of: url, secret: secret)).inserted)
                }
            }
        }
        #expect(keys.count == 150)
    }

    @Test func isAText() {
        let key = CacheKey(["a"], secret: secret)
        #expect(CacheKey(key.description) == key)
        #expect(key.description.count == 32)
        #expect(["", "x", String(repeating: "g", count: 32), key.description + "0"].allSatisfy { CacheKey($0) == nil })
    }

    @Test(arguments: [
        ("HTTPS://API.Example.com:443/A?b=C#d", "https://api.example.com/A?b=C"), ("http://a:80", "http://a/"),
        ("http://a?q=1", "http://a/?q=1"), ("http://a:8080/x", "http://a:8080/x"), ("http://a:/x", "http://a/x"),
        ("http://User:Pa@A/x", "http://User:Pa@a/x"), ("https://a:80/x", "https://a:80/x"),
        ("http://[::1]:80/", "http://[::1]/"), ("http://a/x@B:80", "http://a/x@B:80"), ("http://a/%7Eb", "http://a/~b"),
        ("http://a/%c3%bc%2f?%3d%41", "http://a/%C3%BC%2F?%3DA"), ("http://%41b/", "http://ab/"),
        ("http://a/b/../c/./d", "http://a/c/d"), ("http://a/../..", "http://a/"), ("http://a/b/..", "http://a/"),
        ("http://a/b/.", "http://a/b/"), ("http://a/b//../c", "http://a/b/c"), ("http://a:80/b/../c", "http://a/c"),
        ("http://a/.b/..c", "http://a/.b/..c"), ("http://a/%2E%2e/b", "http://a/b"),
        ("http://a?x=/../y", "http://a/?x=/../y"),
    ])
    func writesURLsOneWay(url: String, text: String) throws {
        #expect(NormalizedURL.text(of: try #require(URL(string: url))) == text)
    }

    /// RFC 3986, section 6.2.2: normalizing again changes nothing.
    @Test func normalizingTwiceChangesNothing() throws {
        var random = RandomSource.seeded(3)
        let parts = ["/", "//", ".", "..", "%2e", "%2F", "%7E", "%25", "a", "?", "%", "~", "=", "%c3"]
        for _ in 0..<2000 {
            let text = (0..<8).map { _ in parts[Int.random(in: 0..<parts.count, using: &random)] }.joined()
            guard let url = URL(string: "http://h/" + text) else { continue }
            let once = NormalizedURL.text(of: url)
            let again = try #require(URL(string: once))
            #expect(NormalizedURL.text(of: again) == once, "\(text)")
        }
    }

    @Test func allEntriesOfAURLBeginAlike() throws {
        let url = try #require(URL(string: "https://a/b"))
        let request = HTTPRequest(.get, url)
        let keys = try [nil, "x", "y"].map { try partition(of: request, principal: $0).key(of: url, secret: secret) }
        let sets = VariantSets(generation: 1, sets: [["a"]])
        let variant = sets.key(for: ["a"], in: ["A": "1"], of: keys[0], secret: secret)
        let resource = CacheResource(of: url, secret: secret)
        #expect(Set((keys + [variant]).map(\.resource)) == [resource])
        #expect(Set(keys + [variant]).count == 4)
        #expect(keys[0].description.hasPrefix(resource.description))
        #expect(CacheResource(of: url, host: "c", secret: secret) != resource)
        #expect(CacheResource(of: url, host: "A:443", secret: secret) == resource)
    }

    @Test func headsComeBackFromBytes() throws {
        let response = StoredResponse.test(
            ["A": "1", "B": "", "Set-Cookie": "s", "Cache-Control": "max-age=60"],
            age: 5,
            delay: 1,
            ttl: 9
        )
        let head = try #require(CacheHead(encoded: CacheHead(.response(response)).encoded)?.response)
        #expect(head.headers == response.headers && head.status == response.status && head.life == response.life)
        #expect(head.initialAge == response.initialAge && head.ttl == 9 && head.bodyID == response.bodyID)
        let sets = VariantSets(generation: 9, sets: [["a", "b"], []])
        guard case .variants(sets)? = CacheHead(encoded: CacheHead(.variants(sets)).encoded)?.content else {
            Issue.record("the sets are lost")
            return
        }
        let value = CacheHead(.value(from: cacheStart, until: cacheStart.addingTimeInterval(9)))
        #expect(CacheHead(encoded: value.encoded)?.deadline == cacheStart.addingTimeInterval(9))
    }

    @Test func aValueOfAnEarlierVersionIsReadUntilItsEnd() {
        let end = cacheStart.addingTimeInterval(9)
        let bytes = CacheHead(.value(from: cacheStart, until: end)).encoded
        // Earlier versions of the library wrote only the end.
        guard case .value(.distantPast, end)? = CacheHead(encoded: bytes.prefix(2) + bytes.suffix(8))?.content else {
            Issue.record("the value is lost")
            return
        }
        for count in [0, 1, 9, 11, 17] { #expect(CacheHead(encoded: bytes.prefix(count)) == nil) }
    }

    @Test func secretFieldsAreNotAmongTheBytes() throws {
        let exchange = CacheEngine.Exchange.test(["Cache-Control": "max-age=60", "Set-Cookie": "s3cret"])
        var secretive = exchange
        secretive.secretNames = ["set-cookie"]
        let response = try #require(CacheEngine.judge(secretive).response)
        #expect(response.headers["Set-Cookie"] == "s3cret")
        let bytes = CacheHead(.response(response)).encoded
        #expect(bytes.range(of: Data("s3cret".utf8)) == nil)
        #expect(CacheHead(encoded: bytes)?.response?.headers["Set-Cookie"] == nil)
    }

    /// After any damage by a disk, the bytes are a head or are refused.
    @Test func damagedBytesAreNoHead() {
        let whole = CacheHead(.response(.test(["A": "1", "Cache-Control": "max-age=60"]))).encoded
        for count in 0..<whole.count { #expect(CacheHead(encoded: whole.prefix(count)) == nil) }
        #expect(CacheHead(encoded: whole + [0]) == nil)
        for index in whole.indices {
            for bit in 0..<8 {
                var damaged = whole
                damaged[index] ^= 1 << bit
                _ = CacheHead(encoded: damaged)
            }
        }
    }
}
