import Foundation

/// The statuses of a response that are no error.
///
/// ```swift
/// endpoint.acceptedStatuses = .successful.adding(404)
/// endpoint.acceptedStatuses = [200, 304]
/// ```
public struct AcceptedStatuses: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var range: Range<Int>
    private var codes: Set<Int> = []

    /// 200 to 299.
    public static let successful = range(200..<300)
    /// Every status.
    public static let any = range(0..<1000)

    /// A range of statuses.
    public static func range(_ range: Range<Int>) -> AcceptedStatuses { AcceptedStatuses(range: range) }

    private init(range: Range<Int>) {
        self.range = range
    }

    /// Creates a list of statuses.
    public init(arrayLiteral elements: HTTPStatus...) {
        range = 0..<0
        codes = Set(elements.map(\.code))
    }

    /// These and some more.
    public func adding(_ statuses: HTTPStatus...) -> AcceptedStatuses {
        var accepted = self
        accepted.codes.formUnion(statuses.map(\.code))
        return accepted
    }

    /// Whether a status is accepted.
    public func contains(_ status: HTTPStatus) -> Bool {
        range.contains(status.code) || codes.contains(status.code)
    }
}

extension HTTPResponse {
    /// The response where its status is one of those accepted, else `.server` with the first part of the body.
    func checkingStatus(
        accepting accepted: AcceptedStatuses = .successful,
        settings: PayloadSettings
    ) async throws -> HTTPResponse {
        guard !accepted.contains(status) else { return self }
        let (data, isTruncated) = try await body.prefix(upTo: settings.maxErrorBodyBytes)
        let response = NetKitError.Response(status: status, headers: headers, body: data, isTruncated: isTruncated)
        throw body.translated(settings.error(for: response, timings: timings))
    }
}

extension PayloadSettings {
    /// Sends, and throws `.server` for a response whose status is not accepted.
    ///
    /// A response that is too large for the bound keeps its status: what matters about a refusal is that it is one.
    func judging(
        _ accepted: AcceptedStatuses = .successful,
        _ send: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let response: HTTPResponse
        do {
            response = try await send()
        } catch let error as NetKitError {
            guard error.code == .bodyTooLarge, let response = error.response, !accepted.contains(response.status) else {
                throw error
            }
            throw self.error(for: response.prefix(maxErrorBodyBytes), timings: error.timings)
                .attaching(
                    requestLine: error.requestLine ?? "",
                    attempts: error.attempts,
                    attemptLog: error.attemptLog
                )
        }
        return try await response.checkingStatus(accepting: accepted, settings: self)
    }

    fileprivate func error(for response: NetKitError.Response, timings: ExchangeTimings?) -> NetKitError {
        let response = response.reading(with: json, errorBody)
        return NetKitError(
            .server,
            "The server answered \(response.status).",
            outcome: .answered,
            cause: response.decoded as? any Error,
            response: response,
            timings: timings
        )
    }
}
