import Testing

@testable import NetKit

struct HTTPStatusTests {
    @Test(arguments: [
        (100, "none"), (199, "none"), (200, "success"), (299, "success"), (300, "redirection"), (399, "redirection"),
        (400, "client"), (499, "client"), (500, "server"), (599, "server"), (600, "none"), (999, "none"), (0, "none"),
        (-1, "none"),
    ])
    func belongsToOneClass(_ code: Int, _ kind: String) {
        let status = HTTPStatus(code)
        #expect(status.isSuccess == (kind == "success"))
        #expect(status.isRedirection == (kind == "redirection"))
        #expect(status.isClientError == (kind == "client"))
        #expect(status.isServerError == (kind == "server"))
    }

    @Test(
        arguments: [
            (.get, 200, true), (.get, 204, false), (.get, 304, false), (.get, 404, true), (.post, 204, false),
            (.head, 200, false), (.head, 404, false),
        ] as [(HTTPMethod, HTTPStatus, Bool)]
    )
    func tellsWhetherThereMayBeABody(_ method: HTTPMethod, _ status: HTTPStatus, _ mayHaveBody: Bool) {
        #expect(status.mayHaveBody(respondingTo: method) == mayHaveBody)
    }

    @Test(
        arguments: [
            (.ok, 200, "200 OK"), (.created, 201, "201 Created"), (.accepted, 202, "202 Accepted"),
            (.noContent, 204, "204 No Content"), (.partialContent, 206, "206 Partial Content"),
            (.movedPermanently, 301, "301 Moved Permanently"), (.found, 302, "302 Found"),
            (.seeOther, 303, "303 See Other"),
            (.notModified, 304, "304 Not Modified"), (.temporaryRedirect, 307, "307 Temporary Redirect"),
            (.permanentRedirect, 308, "308 Permanent Redirect"), (.badRequest, 400, "400 Bad Request"),
            (.unauthorized, 401, "401 Unauthorized"), (.forbidden, 403, "403 Forbidden"),
            (.notFound, 404, "404 Not Found"),
            (.requestTimeout, 408, "408 Request Timeout"), (.conflict, 409, "409 Conflict"),
            (.preconditionFailed, 412, "412 Precondition Failed"), (.contentTooLarge, 413, "413 Content Too Large"),
            (.unprocessableContent, 422, "422 Unprocessable Content"), (.tooManyRequests, 429, "429 Too Many Requests"),
            (.internalServerError, 500, "500 Internal Server Error"), (.badGateway, 502, "502 Bad Gateway"),
            (.serviceUnavailable, 503, "503 Service Unavailable"), (.gatewayTimeout, 504, "504 Gateway Timeout"),
            (299, 299, "299"), (999, 999, "999"),
        ] as [(HTTPStatus, Int, String)]
    )
    func namesTheRegisteredOnes(_ status: HTTPStatus, _ code: Int, _ text: String) {
        #expect(status.code == code)
        #expect(status.description == text)
        #expect(status.reasonPhrase == String(text.dropFirst(4)))
    }

    @Test func isOrderedByNumber() {
        #expect(HTTPStatus.ok < .created)
        #expect(!(HTTPStatus.ok < .ok))
        #expect([HTTPStatus.notFound, .ok, .badGateway].sorted() == [200, 404, 502])
    }
}
