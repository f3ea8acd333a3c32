import Foundation

extension HTTPResponse {
    /// The response where its status is one of those accepted, else `.server` with the first part of the body.
    package func checkingStatus(
        accepting accepted: Range<Int> = 200..<300,
        errorBodyLimit: Int
    ) async throws -> HTTPResponse {
        guard !accepted.contains(status.code) else { return self }
        let (data, isTruncated) = try await body.prefix(upTo: errorBodyLimit)
        let answer = NetKitError.Answer(status: status, headers: headers, body: data, isTruncated: isTruncated)
        throw body.translated(
            NetKitError(
                .server,
                "The server answered \(status).",
                outcome: .answered,
                answer: answer,
                timings: timings
            )
        )
    }
}
