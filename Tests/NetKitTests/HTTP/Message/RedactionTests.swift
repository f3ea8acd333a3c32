import Foundation
import Testing

@testable import NetKit

struct RedactionTests {
    @Test(arguments: [
        ("https://me@a.example/", "https://***@a.example/"),
        ("https://me:s3cret@a.example/x", "https://***@a.example/x"),
        ("https://me:s3%40ret@a.example:81/x@y", "https://***@a.example:81/x@y"),
        ("https://:s3cret@a.example", "https://***@a.example"),
        ("https://a@b@c.example/", "https://***@c.example/"), ("https://me:s3cret@[::1]/", "https://***@[::1]/"),
        ("//me:s3cret@a.example/x", "//***@a.example/x"), ("https://a.example/me:pw@x", "https://a.example/me:pw@x"),
        ("https://me:s3cret@a.example?q=1", "https://***@a.example?q=1"), ("/x/y@z", "/x/y@z"),
    ])
    func masksUserInfo(_ url: String, _ text: String) {
        #expect(Redaction.standard.redacted(urlText: url) == text)
    }

    /// Such texts are no URLs, but messages about them show them.
    @Test(arguments: [
        ("https://me:s3/cret@a.example/x", "https://***@a.example/x"),
        ("https://me:s3#cret@a.example/x", "https://***@a.example/x"),
        ("https://me:s3?cret@a.example/x?q=1", "https://***@a.example/x?q=1"),
        ("https://me:123456/s3cret@a.example/x", "https://***@a.example/x"),
        ("https://a.example:81/x?q=me@b", "https://a.example:81/x?q=me@b"),
        ("https://a.example:/x@y", "https://a.example:/x@y"), ("https://[::a]/x@y", "https://[::a]/x@y"),
        ("https://[::a]:81/x@y", "https://[::a]:81/x@y"),
    ])
    func masksAPasswordThatEndsTheAuthority(_ url: String, _ text: String) {
        #expect(Redaction.standard.redacted(urlText: url) == text)
        #expect(Redaction.withoutQuery(url) == text.prefix { $0 != "?" })
    }

    @Test(arguments: [
        ("token=s3cret", "token=***"), ("TOKEN=s3cret", "TOKEN=***"),
        ("a=1&Access_Token=s3cret&b=2", "a=1&Access_Token=***&b=2"),
        ("token=s3cret&token=s3cret", "token=***&token=***"), ("%74oken=s3cret", "%74oken=***"),
        ("api%5Fkey=s3cret", "api%5Fkey=***"), ("%54%4F%4B%45%4E=s3cret", "%54%4F%4B%45%4E=***"),
        ("token=", "token=***"), ("token", "token"), ("token=a=b=c", "token=***"), ("=s", "=s"),
        ("tokens=1", "tokens=1"),
        ("a=token", "a=token"), ("X-Amz-Signature=s3cret", "X-Amz-Signature=***"), ("&&token=s3cret&", "&&token=***&"),
        ("a=%zz&token=s3cret", "a=%zz&token=***"), ("code=s3cret?token=x", "code=***"), ("q=a?token=b", "q=a?token=b"),
    ])
    func masksSecretQueryItems(_ query: String, _ text: String) {
        #expect(Redaction.standard.redacted(urlText: "https://a.example/x?\(query)") == "https://a.example/x?\(text)")
    }

    @Test(arguments: [
        "access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "key", "secret", "client_secret",
        "password", "passwd", "pwd", "sig", "signature", "code", "auth", "x-amz-signature", "x-amz-security-token",
        "x-amz-credential",
    ])
    func knowsTheUsualNamesOfKeys(_ name: String) throws {
        let url = try #require(URL(string: "https://a.example/?\(name.uppercased())=s3cret"))
        #expect(Redaction.standard.redacted(url) == "https://a.example/?\(name.uppercased())=***")
    }

    @Test(arguments: [
        ("https://a.example/x#s3cret", "https://a.example/x"),
        ("https://a.example/#access_token=s3cret", "https://a.example/"),
        ("https://a.example/?a=1#?token=s3cret", "https://a.example/?a=1"),
        ("https://a.example#@s3cret", "https://a.example"),
    ])
    func dropsFragments(_ url: String, _ text: String) {
        #expect(Redaction.standard.redacted(urlText: url) == text)
    }

    @Test(arguments: [
        ("Location", "https://me:s3cret@a.example/x?code=s3cret#s3cret", "https://***@a.example/x?code=***"),
        ("location", "/x?a=1&token=s3cret", "/x?a=1&token=***"), ("Location", "//me:s3cret@b/", "//***@b/"),
        (
            "Link", "</a?b=1,2&token=s3cret>; rel=\"next\", <https://me:s3cret@b/?key=s3cret>; rel=last",
            "</a?b=1,2&token=***>; rel=\"next\", <https://***@b/?key=***>; rel=last"
        ),
        ("Refresh", "5; url=/x?token=s3cret", "5; url=/x?token=***"), ("Referer", "/x", "/x"),
        ("X-Plain", "token=plain", "token=plain"),
        ("X-Next", "https://a.example/x?page=2&access_token=s3cret", "https://a.example/x?page=2&access_token=***"),
        ("X-Next", "https://a.example/x?page_token=2#a", "https://a.example/x?page_token=2#a"),
        ("X-Done", "https://a.example/#id_token=s3cret&state=1", "https://a.example/#id_token=***&state=1"),
        (
            "X-Mirrors", "https://a.example,https://me:s3cret@b.example/?sig=s3cret,https://c.example",
            "https://a.example,https://***@b.example/?sig=***,https://c.example"
        ),
        ("Report-To", "{\"url\":\"https://a.example/?jwt=s3cret\"}", "{\"url\":\"https://a.example/?jwt=***\"}"),
        ("Location", "https://me:it's3cret@a.example/x?token='s3cret'", "https://***@a.example/x?token=***"),
        (
            "X-Both", "'https://a.example/','https://me:s3cret@b.example/?key=s3cret'",
            "'https://a.example/','https://***@b.example/?key=***"
        ),
        ("From", "me@a.example", "me@a.example"), ("X-Color", "#fff", "#fff"),
    ])
    func masksSecretsInTheURLsOfFields(_ name: String, _ value: String, _ text: String) {
        let headers = Redaction.standard.redacted(HTTPHeaders([.init(name, value)]))
        #expect(headers.fields.map(\.name) == [name])
        #expect(headers.fields.map(\.value) == [text])
    }

    /// With a combining accent after it, a mark is another character, but the same byte.
    @Test(arguments: [
        ("/x?\u{301}a=1&token=s3cret", "/x?\u{301}a=1&token=***"),
        ("/x?a=1&\u{301}&token=s3cret", "/x?a=1&\u{301}&token=***"),
        ("/x?token=\u{301}s3cret", "/x?token=***"), ("//me:s3cret@\u{301}a/", "//***@\u{301}a/"),
        ("/x#\u{301}?token=s3cret", "/x"),
    ])
    func anAccentHidesNoMark(_ url: String, _ text: String) {
        #expect(Redaction.standard.redacted(urlText: url) == text)
    }

    @Test(arguments: [
        "Authorization", "proxy-authorization", "COOKIE", "Cookie2", "Set-Cookie", "X-API-Key", "api-key",
        "X-Auth-Token",
        "X-Amz-Security-Token", "X-CSRF-Token",
    ])
    func masksSecretHeadersInAnyCase(_ name: String) {
        let headers: HTTPHeaders = [name: "s3cret", "Accept": "a/b", name.lowercased(): "s3cret"]
        #expect(Redaction.standard.isSensitive(header: name))
        #expect(Redaction.standard.redacted(headers) == [name: "***", "Accept": "a/b", name.lowercased(): "***"])
    }

    @Test func leavesOtherHeadersAlone() {
        #expect(!Redaction.standard.isSensitive(header: "Accept"))
        #expect(!Redaction.standard.isSensitive(header: "Author"))
    }

    @Test func takesNamesOfYourOwnInAnyCase() {
        let redaction = Redaction(headerNames: ["X-Signature"], queryItems: ["Nonce"])
        #expect(!redaction.usesPatterns)
        #expect(
            redaction.redacted(["x-signature": "s3cret", "Authorization": "a"]) == [
                "x-signature": "***", "Authorization": "a",
            ]
        )
        #expect(redaction.redacted(urlText: "/?nonce=s3cret&token=a") == "/?nonce=***&token=a")
    }

    @Test func takesNamesAddedLaterInAnyCase() {
        var redaction = Redaction.standard
        redaction.headerNames.insert("X-Account")
        redaction.queryItems.insert("Nonce")
        #expect(redaction.isSensitive(header: "x-account"))
        #expect(redaction.isSensitive(header: "X-Account"))
        #expect(redaction.isSensitive(header: "Authorization"))
        #expect(redaction.redacted(urlText: "/?NONCE=s3cret") == "/?NONCE=***")
        redaction.headerNames = ["Only-This"]
        #expect(redaction.isSensitive(header: "only-this"))
        #expect(!redaction.isSensitive(header: "X-Account"))
        #expect(redaction.isSensitive(header: "Authorization"))
        redaction.usesPatterns = false
        #expect(!redaction.isSensitive(header: "Authorization"))
    }

    @Test func publicNamesTakePrecedenceOverThePattern() {
        var redaction = Redaction.standard
        redaction.publicHeaderNames = ["X-Layout-Token"]
        redaction.publicQueryItems = ["Design_Token"]
        #expect(redaction.publicHeaderNames == ["x-layout-token"])
        #expect(!redaction.isSensitive(header: "X-LAYOUT-Token"))
        #expect(redaction.isSensitive(header: "X-Page-Layout-Token"))
        #expect(!redaction.isSensitive(queryItem: "design_token"))
        #expect(redaction.isSensitive(queryItem: "my_design_token"))
        // Names that are listed as secret stay secret.
        redaction.headerNames.insert("X-Layout-Token")
        redaction.queryItems.insert("design_token")
        #expect(redaction.isSensitive(header: "x-layout-token"))
        #expect(redaction.isSensitive(queryItem: "design_token"))
    }

    @Test(arguments: ["access_token", "accessToken", "ACCESS-TOKEN", "user[access_token]", "oauth.token", "token"])
    func wordsMayBeJoinedInAnyWay(_ name: String) {
        #expect(Redaction.standard.isSensitive(queryItem: name))
        #expect(Redaction.standard.isSensitive(header: name))
    }

    @Test(arguments: ["", "-", "[]", "n", "tok", "tokens", "Tokenizer", "key", "monkey", "ken", "\u{e9}\u{e9}", "Key"])
    func otherWordsAreNotSecret(_ name: String) {
        #expect(!Redaction.standard.isSensitive(header: name))
        #expect(!Redaction(headerNames: [], queryItems: []).isSensitive(header: name))
    }

    @Test func namesBeyondASCIIHaveCasesToo() {
        let redaction = Redaction(headerNames: [], queryItems: ["\u{dc}ber"])
        #expect(redaction.isSensitive(queryItem: "\u{fc}BER"))
        #expect(redaction.redacted(urlText: "/?%C3%BCber=s3cret") == "/?%C3%BCber=***")
    }

    @Test func writesARequestLineOnOneLine() throws {
        let url = try #require(URL(string: "https://me:s3cret@a.example/x?key=s3cret"))
        #expect(Redaction.standard.requestLine(for: HTTPRequest(.get, url)) == "GET https://***@a.example/x?key=***")
        let odd = HTTPRequest(HTTPMethod("GET\r\nX"), url)
        #expect(Redaction.standard.requestLine(for: odd) == "GET\u{FFFD}\u{FFFD}X https://***@a.example/x?key=***")
    }

    @Test func boundsARequestLine() throws {
        let url = try #require(URL(string: "https://a.example/" + String(repeating: "x", count: 1000)))
        #expect(Redaction.standard.requestLine(for: HTTPRequest(.get, url)).count == 401)
    }
}
