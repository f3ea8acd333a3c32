import NetKitTesting

/// The promises that `URLSessionTransport` does not keep on Linux, by name and with the reason.
enum URLSessionExceptions {
    #if canImport(FoundationNetworking)
        static let all: [ConformanceException] =
            trapping + requestExceptions + responseExceptions + connectionExceptions + errorExceptions
            + limitExceptions
    #else
        static let all: [ConformanceException] = []
    #endif

    private static let trapping: [ConformanceException] = [
        .init(
            "trailers.harmless",
            .traps,
            "Foundation ends the process: \"Transfer completed, but there's no response\"."
        ),
        .init("trailers.delivered", .traps, "Foundation ends the process, as in trailers.harmless."),
        .init("broken.closed-in-header", .traps, "Foundation ends the process: \"no response\"."),
    ]

    private static let requestExceptions: [ConformanceException] = [
        .init("method.lowercase", .fails, "Foundation changes the method; the error says so."),
        .init("request-body.get", .fails, "Foundation refuses a GET with a body; the error says so."),
        .init("back-pressure.upload", .fails, "A stream is read ahead of the server."),
        .init("request-head.repeated", .fails, "Foundation joins fields of one name."),
        .init("request-head.order", .varies, "Foundation keeps fields in a dictionary."),
        .init("request-head.name-case", .fails, "Foundation writes names its own way."),
        .init("target.dot-segments", .fails, "Foundation's libcurl resolves dot segments."),
    ]

    private static let responseExceptions: [ConformanceException] = [
        .init("response-head.order", .fails, "Foundation keeps fields in a dictionary."),
        .init("response-head.name-case", .fails, "Foundation writes some names its own way."),
        .init("response-head.whitespace", .fails, "Foundation refuses a field without a space behind the colon."),
        .init("response-head.not-utf8", .fails, "Foundation refuses a header that is no UTF-8."),
        .init("status.no-reason", .fails, "Foundation refuses a status line without a reason phrase."),
        .init("gzip.cut-short", .fails, "Foundation's libcurl takes a gzip body that was cut short for whole."),
        .init("gzip.unknown-coding", .fails, "Foundation's libcurl refuses a coding that it does not know."),
        .init("redirect.no-location", .fails, "A redirect without a location comes without its body."),
        .init("back-pressure.download", .fails, "Foundation cannot pause a transfer without losing bytes."),
        .init("broken.conflicting-lengths", .fails, "Foundation's libcurl takes the last of several lengths."),
    ]

    private static let connectionExceptions =
        ["response", "partial", "bodiless", "chunked", "read-sizes", "informational", "newline"].map {
            ConformanceException("connection.extra-\($0)", .fails, unasked)
        } + [.init("connection.extra-broken-off", .varies, unasked)]

    private static let unasked = "Foundation's libcurl takes what lies on an idle connection for the next response."

    private static let errorExceptions: [ConformanceException] = [
        .init("outcome.limit-connecting", .fails, "Foundation does not tell that a connection is still being made.")
    ]

    private static let limitExceptions: [ConformanceException] = [
        .init(
            "limit.idle-slow-head",
            .varies,
            "Foundation hides a head until its end, and may trap when given up in it."
        ),
        .init("limit.connect", .fails, "Foundation does not tell when a connection stands."),
    ]
}
