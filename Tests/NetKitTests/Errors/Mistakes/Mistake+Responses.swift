import Foundation
import NetKit
import NetKitTesting
import Testing

extension Mistake {
    private struct User: Decodable, Sendable {
        var id: Int
        var name: String
    }

    private static func response(
        _ name: String,
        _ message: String,
        _ response: MockResponse,
        _ send: @escaping @Sendable (HTTPClient) async throws -> Void = {
            _ = try await $0.get("/users/42", as: User.self)
        }
    ) -> Mistake {
        Mistake(name, message) {
            let transport = MockTransport()
            transport.stub(nil, "**", response)
            var configuration = HTTPClient.Configuration()
            configuration.clock = TestClock(skipsSleeps: true).clock
            try await send(HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration))
        }
    }

    private static let hint =
        "The server responded with 404 Not Found. The path is one value, and its slashes were sent as %2F. Write \"\\(raw: path)\" for a whole path."

    private typealias WholePath = (text: String, path: @Sendable (String) -> RequestPath, message: String)

    /// Paths that were interpolated as a whole. The last three may be names with slashes, or are not values.
    private static let wholePaths: [WholePath] = [
        ("/users/42", { "\($0)" }, hint), ("users/42", { "\($0)" }, hint),
        ("/users/42", { "/\($0)?full=true" }, hint),
        ("users/42", { "/\($0)" }, "The server responded with 404 Not Found."),
        ("/42", { "/users/\($0)" }, "The server responded with 404 Not Found."),
        ("/users/42", { "\(raw: $0)" }, "The server responded with 404 Not Found."),
    ]

    static let ofWholePaths: [Mistake] = wholePaths.map { text, path, message in
        response("a path in a value: \(path(text))", message, .status(404)) { _ = try await $0.get(path(text)) }
    }

    private static let page = "<!doctype html>\n<html><title>Log in</title></html>"

    /// Unexpected responses, and connections that fail.
    static let inResponses: [Mistake] = [
        response(
            "a page in place of JSON",
            "The body is not the expected User, but text/html with status 200: “<!doctype html> <html><title>Log in</title></html>”. A proxy, a login page or a wrong base URL may have responded.",
            .data(Data(page.utf8), contentType: "text/html")
        ),
        response(
            "a page with an error",
            "The server responded with 404 Not Found.",
            .data(Data(page.utf8), status: .notFound, contentType: "text/html")
        ),
        response(
            "text in place of JSON",
            "The body is not the expected User, but text/plain; charset=utf-8 with status 200. Check the URL.",
            .text("hello")
        ),
        response(
            "no body in place of JSON",
            "The body is not the expected User: it is empty; if that is allowed, name an optional type or Void.",
            .status(.ok)
        ),
        response(
            "JSON that ends too early",
            "The body is not the expected User: it is not JSON.",
            .jsonText(#"{"id": 42, "na"#)
        ),
        response(
            "a field of another type",
            "The body is not the expected User: id: expected Int, found a string.",
            .jsonText(#"{"id": "42", "name": "Ada"}"#)
        ),
        response(
            "a field that is missing",
            "The body is not the expected User: name: the key is missing.",
            .jsonText(#"{"id": 42}"#)
        ),
        response(
            "a field that is null",
            "The body is not the expected User: name: expected String, found null.",
            .jsonText(#"{"id": 42, "name": null}"#)
        ),
        response(
            "a list in place of a value",
            "The body is not the expected User: expected an object, found an array.",
            .jsonText("[]")
        ),
        response("a status of a client's error", "The server responded with 404 Not Found.", .status(.notFound)),
        response(
            "a status of a server's error",
            "The server responded with 503 Service Unavailable.",
            .text("out of order", status: .serviceUnavailable)
        ),
        response(
            "a status of a refused credential",
            "The server responded with 401 Unauthorized.",
            .status(.unauthorized)
        ),
        response(
            "a problem with a title and a detail",
            "The server responded with 403 Forbidden: Out of credit – The balance is 30, the price 50.",
            .data(
                Data(#"{"title": "Out of credit", "detail": "The balance is 30, the price 50."}"#.utf8),
                status: .forbidden,
                contentType: "application/problem+json"
            )
        ),
        response(
            "a redirect without end",
            "The redirects form a loop at https://api.example.com/users/42.",
            .redirect(to: "/users/42")
        ),
        response(
            "a redirect to another scheme",
            "The redirect cannot be followed: The scheme of \"ftp://example.com/users\" is neither http nor https.",
            .redirect(to: "ftp://example.com/users")
        ),
        response(
            "a redirect to plain text",
            "The redirect leads from https to http (http://api.example.com/users). Set `redirects.allowsDowngrade` to allow it.",
            .redirect(to: "http://api.example.com/users")
        ),
        response(
            "a redirect without a place",
            "The server responded with 302 Found, but the response has no Location to go to.",
            .status(.found)
        ),
        response(
            "a line that is not JSON",
            "Line 2: The body is not the expected User: it is not JSON.",
            .text("{\"id\": 1, \"name\": \"Ada\"}\nhello\n")
        ) { client in
            for try await _ in client.stream(.get("/users"), of: User.self) {}
        },
        response(
            "no events in a stream of events",
            "The response is not an event stream: its content type is application/json.",
            .jsonText("{}")
        ) { client in
            for try await _ in client.eventStream(.get("/events")) {}
        },
        response(
            "a body beyond its bound",
            "The body has 11 bytes, and the limit is 5 bytes. Raise the limit, or stream the body.",
            .text("hello world")
        ) { client in
            _ = try await client.send(
                HTTPRequest(.get, "/"),
                options: CallOptions(delivery: .buffered(upTo: 5))
            )
        },
        response(
            "a stream beyond the bound of its reader",
            "The body has 11 bytes, and the limit is 5 bytes. Raise the limit, or stream the body.",
            .text("hello world")
        ) { client in
            _ = try await client.send(HTTPRequest(.get, "/")).body.collect(upTo: 5)
        },
        response(
            "a download of another digest",
            "The file's SHA-256 is 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824, and 0000000000000000000000000000000000000000000000000000000000000000 is expected.",
            .text("hello")
        ) { client in
            let folder = try TemporaryFolder()
            let rules = DownloadRules(expectedSHA256: String(repeating: "0", count: 64))
            _ = try await client.download("/report", to: folder.url, rules: rules)
        },
        response("a download of another size", "The server's file has 5 bytes, and 6 are expected.", .text("hello")) {
            client in
            let folder = try TemporaryFolder()
            _ = try await client.download("/report", to: folder.url, rules: DownloadRules(expectedSize: 6))
        },
        response(
            "a download beyond its bound",
            "The body has 5 bytes, and the limit is 4 bytes. Raise the limit, or stream the body.",
            .text("hello")
        ) { client in
            let folder = try TemporaryFolder()
            _ = try await client.download("/report", to: folder.url, upTo: 4)
        },
        response(
            "a download to no file",
            "The body can only be saved to a file URL, not to \"https://api.example.com/v1\". Create one with URL(fileURLWithPath:).",
            .text("hello")
        ) { client in
            _ = try await client.download("/report", to: try #require(exampleBase))
        },
        response(
            "a name without an address",
            "The host's name could not be resolved. Check the spelling and the DNS settings.",
            .failure(URLError(.cannotFindHost))
        ),
        response(
            "a refused connection",
            "No connection could be made. Check that the server runs and listens there.",
            .failure(URLError(.cannotConnectToHost))
        ),
        response(
            "a lost connection",
            "The connection was lost before the response was complete.",
            .failure(URLError(.networkConnectionLost))
        ),
        response(
            "a certificate that nobody vouches for",
            "The server's certificate is not trusted. Check its authority, or name it in `tls.roots` of CurlTransport.",
            .failure(URLError(.serverCertificateUntrusted))
        ),
        response(
            "a certificate that has expired",
            "The server's certificate has expired or is not valid yet. Check it, and the clock of this machine.",
            .failure(URLError(.serverCertificateHasBadDate))
        ),
        response("no network", "There is no network connection.", .failure(URLError(.notConnectedToInternet))),
        response(
            "a timeout of the transport",
            "The request timed out. Raise the limit or check the server.",
            .failure(URLError(.timedOut))
        ),
    ]
}
