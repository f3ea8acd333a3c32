import NetKit

/// The declarations of swift-metrics that the bridge uses.
struct CoreMetrics {
    static let recorded = Locked<[String: Int64]>([:])

    struct Counter {
        let label: String
        let dimensions: [(String, String)]

        func increment(by amount: Int64 = 1) {
            CoreMetrics.recorded.withLock { $0[label, default: 0] += amount }
        }
    }

    struct Timer {
        let label: String
        let dimensions: [(String, String)]

        func recordNanoseconds(_ duration: Int64) {
            CoreMetrics.recorded.withLock { $0[label, default: 0] += 1 }
        }
    }
}

extension CoreMetrics {
    // GUIDE: begin
    func forward(_ events: ClientEvents) async {
        for await event in events where event.kind == .attemptEnded || event.kind == .retry {
            // A response whose body failed is no success, although it has a status.
            let status = event.error == nil ? event.status : nil
            let dimensions = [
                ("http_request_method", event.method?.rawValue ?? ""),
                ("server_address", event.origin?.host ?? ""),
                ("url_template", event.template ?? ""),
                ("http_response_status_code", status.map { "\($0.code)" } ?? "error"),
            ]
            if event.kind == .retry { Counter(label: "http_client_retries", dimensions: dimensions).increment() }
            guard let duration = event.duration, event.kind == .attemptEnded else { continue }
            Timer(label: "http_client_request_duration", dimensions: dimensions)
                .recordNanoseconds(Int64(duration / .nanoseconds(1)))
        }
    }
    // GUIDE: end
}
