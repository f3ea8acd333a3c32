public import Foundation

/// A response: status, header fields and a body that may still be arriving.
///
/// A response ends when its body ends, not when its headers arrive; `onEnd` calls an action then.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields as they were received.
    public var headers: HTTPHeaders
    /// The body, which is read once.
    public var body: ResponseBody

    /// The rarely used properties, behind one pointer: a response passes every interceptor and should be small.
    private var details: Box<Details>

    private struct Details {
        var url: URL?
        var history: [RedirectHop]
        var timings: ExchangeTimings
        var attemptLog: AttemptLog?
        var sentFields: HTTPHeaders?
    }

    /// The URL of the response, after redirects.
    public var url: URL? {
        get { details.value.url }
        set { change { $0.url = newValue } }
    }

    /// The redirects that led here, first one first.
    public var history: [RedirectHop] {
        get { details.value.history }
        set { change { $0.history = newValue } }
    }

    /// The durations of the parts of the exchange, if the transport reports them.
    public var timings: ExchangeTimings {
        get { details.value.timings }
        set { change { $0.timings = newValue } }
    }

    /// Every attempt that retry made or refused to repeat, and why it stopped; `nil` if the first attempt was enough.
    public internal(set) var attemptLog: AttemptLog? {
        get { details.value.attemptLog }
        set { change { $0.attemptLog = newValue } }
    }

    /// The header fields that the exchange sent, as the transport received them; `nil` if nothing in the pipeline reads
    /// them.
    var sentFields: HTTPHeaders? { details.value.sentFields }

    // Not inlined, or each place that changes a property would have the code that copies all.
    @inline(never)
    private mutating func change(_ change: (inout Details) -> Void) {
        var changed = details.value
        change(&changed)
        details = Box(changed)
    }

    /// Creates a response.
    public init(
        status: HTTPStatus,
        headers: HTTPHeaders = [:],
        body: ResponseBody = .empty,
        url: URL? = nil,
        history: [RedirectHop] = [],
        timings: ExchangeTimings = ExchangeTimings()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        details = Box(Details(url: url, history: history, timings: timings))
    }

    /// Adds the URL and the duration, if the transport did not report them, and the sent fields.
    mutating func complete(url: URL, sentFields: HTTPHeaders? = nil, total: @autoclosure () -> Duration) {
        if details.value.url != nil, details.value.timings.total != nil, sentFields == nil { return }
        change { details in
            details.url = details.url ?? url
            details.timings.total = details.timings.total ?? total()
            details.sentFields = sentFields
        }
    }

    /// The fields that came after the body; `nil` until the body has ended.
    public var trailers: HTTPHeaders? { body.trailers }

    /// Calls an action once when the response ends: its body read to the end, failed, or abandoned.
    public func onEnd(_ action: @escaping @Sendable (BodyEnd) -> Void) { body.onEnd(action) }

    /// Returns the response with its whole body in memory, within a bound.
    public func buffered(upTo limit: Int) async throws -> HTTPResponse {
        if body.buffered != nil {
            try checkBuffered(upTo: limit)
            return self
        }
        let source = body
        var response = self
        let data = try await collect(source, upTo: limit)
        response.body = ResponseBody(rereading: source, data)
        return response
    }

    /// Throws if the body is in memory and longer than a bound.
    @inline(never)
    func checkBuffered(upTo limit: Int) throws(NetKitError) {
        guard let data = body.buffered, data.count > limit else { return }
        let response = NetKitError.Response(self, body: data, upTo: NetKitError.Response.defaultMaxBodyBytes)
        throw tooLarge(limit, declared: Int64(data.count), response).with(timings: timings)
    }

    /// Reads the whole body.
    ///
    /// If a failed response is too large, the error has the first part of its body.
    private func collect(_ body: ResponseBody, upTo limit: Int) async throws -> Data {
        let declared = body.length
        let isDoomed = declared.map { $0 > Int64(limit) } ?? false
        if status.isSuccess, isDoomed {
            body.discardUnlessRead()
            let response = NetKitError.Response(status: status, headers: headers, body: Data(), isTruncated: true)
            throw tooLarge(limit, declared: declared, response)
        }
        let kept = NetKitError.Response.defaultMaxBodyBytes
        let (data, isTruncated) = try await body.prefix(upTo: isDoomed ? Swift.min(limit, kept) : limit)
        guard isTruncated || isDoomed else { return data }
        let response = NetKitError.Response(self, body: data, upTo: kept).truncated
        throw tooLarge(limit, declared: declared, response)
    }

    private func tooLarge(_ limit: Int, declared: Int64?, _ response: NetKitError.Response) -> NetKitError {
        ResponseBody.tooLarge(limit, declared: declared, response: response)
            .attaching(responseURL: url, after: history)
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// The status, and the length of the body.
    public var description: String {
        "HTTPResponse(\(status), body \(body.length.map { "\($0) bytes" } ?? "of unknown length"))"
    }

    /// A mirror without the URL, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: ["headers": headers, "history": history]) }
}

extension NetKitError.Response {
    /// Creates the response of an error from a response and as much of its body as errors keep.
    init(_ response: HTTPResponse, body: Data, upTo limit: Int) {
        self = NetKitError.Response(status: response.status, headers: response.headers, body: body).truncated(to: limit)
    }
}
