import Foundation
import NetKit

/// The output of `netkit request --json`: the response or the failure.
struct RequestReport: Encodable {
    private struct Field: Encodable {
        let name: String
        let value: String
    }

    private struct Hop: Encodable {
        let status: Int
        let to: String
    }

    private struct Failure: Encodable {
        let code: String
        let outcome: String
        let message: String
    }

    private struct Attempt: Encodable {
        let number: Int?
        let status: Int?
        let error: String?
        let remoteAddress: String?
        let milliseconds: Double?
        /// The time from the start of the attempt to the end of each part.
        let millisecondsUntil: [String: Double]

        init(_ end: ClientEvent) {
            number = end.attempt
            status = end.status?.code
            error = (end.error as? NetKitError).map { "\($0.code)" }
            remoteAddress = end.timings?.remoteAddress
            milliseconds = end.duration.map(Self.milliseconds)
            let times = end.timings
            let parts = [
                "nameResolved": times?.nameResolved, "connected": times?.connected, "secured": times?.secured,
                "firstByte": times?.firstByte,
            ]
            millisecondsUntil = parts.compactMapValues { $0.map(Self.milliseconds) }
        }

        private static func milliseconds(_ duration: Duration) -> Double {
            (duration / .microseconds(1)).rounded() / 1000
        }
    }

    private let url: String?
    private let status: Int?
    private let httpVersion: String?
    private let headers: [Field]?
    private let redirects: [Hop]?
    /// The body, if it is text.
    private let text: String?
    /// The body in Base64, if it is not text.
    private let base64: String?
    private let error: Failure?
    private let attempts: [Attempt]

    init(of response: HTTPResponse, body: Data, _ exchanges: [ClientEvent]) {
        url = response.url.map(Redaction.standard.redacted)
        status = response.status.code
        httpVersion = response.timings.protocolVersion
        headers = response.headers.map { Field(name: $0.name, value: $0.value) }
        redirects = response.history.map { Hop(status: $0.status.code, to: Redaction.standard.redacted($0.to)) }
        text = String(validating: body, as: UTF8.self)
        base64 = text == nil ? body.base64EncodedString() : nil
        error = nil
        attempts = exchanges.map(Attempt.init)
    }

    init(of failure: any Error, _ exchanges: [ClientEvent]) {
        let known = failure as? NetKitError
        (url, status, httpVersion, headers, redirects, text, base64) = (nil, nil, nil, nil, nil, nil, nil)
        error = Failure(
            code: known.map { "\($0.code)" } ?? (failure is Interruption ? "cancelled" : "other"),
            outcome: known.map { "\($0.outcome)" } ?? "not known",
            message: (known?.message ?? "\(failure)").withoutPasswords
        )
        attempts = exchanges.map(Attempt.init)
    }

    /// The report as one JSON object with sorted members.
    var json: String {
        get throws { try JSONText.text(of: self, isIndented: true) }
    }
}
