import NetKitTesting

/// The promises that a `MockTransport` does not keep, by name and with the reason: nothing of it is on a wire.
enum MockExceptions {
    static let all: [ConformanceException] =
        connections + limits + uploads + downloads

    private static let connections = [
        "connection.reuse", "connection.reuse-chunked", "connection.reuse-204", "connection.reuse-304",
        "connection.reuse-error", "connection.reuse-redirect", "connection.reuse-informational",
        "connection.reuse-head",
        "connection.reuse-upload", "connection.reuse-streamed", "connection.close", "cancel.connecting",
        "outcome.refused", "outcome.reset-before-request", "outcome.limit-connecting",
    ].map { ConformanceException($0, .fails, "It has no connections.") }

    private static let limits = [
        "limit.connect", "limit.idle-start", "limit.idle-status-line", "limit.idle-headers",
        "limit.idle-body", "limit.idle-streamed", "limit.idle-upload", "limit.first-byte",
        "limit.frees",
    ].map { ConformanceException($0, .fails, "It waits as long as its response does.") }

    private static let uploads = [
        "cancel.uploading", "back-pressure.upload",
    ].map { ConformanceException($0, .fails, "It reads a body before it responds, so there is no slow reader.") }

    private static let downloads = [
        "back-pressure.download"
    ].map { ConformanceException($0, .fails, "No byte is on a wire: the response is where the server is.") }
}
