extension NetworkMetrics {
    /// The metrics in the text format of Prometheus, with the names that OpenTelemetry defines for HTTP clients.
    ///
    /// Serve it at `/metrics` as `text/plain; version=0.0.4`.
    public var prometheusText: String {
        var writer = PrometheusText()
        let duration = "http_client_request_duration_seconds"
        writer.begin(duration, "histogram", "Duration of HTTP client requests: each exchange, its body included.")
        for series in series { writer.add(duration, series.labels, series.record) }
        let call = "netkit_client_call_duration_seconds"
        writer.begin(call, "histogram", "Duration of calls, with all their attempts and waits.")
        writer.add(call, [], calls)
        writer.begin("netkit_client_calls_total", "counter", "Calls that are over.")
        writer.add("netkit_client_calls_total", [("result", "success")], String(successfulRequests))
        writer.add("netkit_client_calls_total", [("result", "failure")], String(failedRequests))
        writer.add("netkit_client_active_calls", "gauge", "Calls in flight.", activeRequests)
        writer.add("netkit_client_retries_total", "counter", "Attempts after a failed one.", retryCount)
        let counters: [(ClientEvent.Kind, String, String)] = [
            (.cache, "netkit_client_cache_total", "Requests that passed a cache, by what it did."),
            (.refreshEnded, "netkit_client_refreshes_total", "Refreshes of credentials."),
            (.breaker, "netkit_client_breaker_changes_total", "Changes of circuit breakers, by the new state."),
            (.limit, "netkit_client_limit_changes_total", "Losses and returns of the stores of shared rate limits."),
            (.queue, "netkit_client_queue_events_total", "Events of offline queues, by result."),
        ]
        for (kind, name, help) in counters {
            let labels = counts.filter { $0.key.kind == kind }.map { ($0.key.label, $0.value) }
            guard !labels.isEmpty else { continue }
            writer.begin(name, "counter", help)
            for (label, count) in labels { writer.add(name, [("result", label)], String(count)) }
        }
        writer.add(samples)
        return writer.text
    }
}

extension NetworkMetrics.Series {
    fileprivate var labels: [(String, String?)] {
        if isOverflow { return [("otel_metric_overflow", "true")] }
        let code = Int(digits: result)
        let isError = (code ?? 500) >= 400
        return [
            ("http_request_method", method), ("server_address", origin?.host),
            ("server_port", origin.map { "\($0.port)" }),
            ("url_scheme", origin?.scheme), ("url_template", template),
            ("http_response_status_code", code.map { _ in result }),
            ("error_type", isError ? result : nil),
        ]
    }
}

extension PrometheusText {
    /// Adds the samples of a histogram.
    fileprivate mutating func add(_ name: String, _ labels: [(String, String?)], _ record: DurationRecord) {
        var sum = 0
        for (index, count) in record.buckets.enumerated() {
            sum += count
            let bound = index < DurationRecord.bounds.count ? "\(DurationRecord.bounds[index])" : "+Inf"
            add(name + "_bucket", labels + [("le", bound)], String(sum))
        }
        add(name + "_sum", labels, "\(record.total.inSeconds)")
        add(name + "_count", labels, String(record.count))
    }
}

/// A writer for the text format of Prometheus.
struct PrometheusText {
    private(set) var text = ""
    private var begun: Set<String> = []

    /// Adds the header of a metric, before its samples.
    mutating func begin(_ name: String, _ type: String, _ help: String) {
        begun.insert(name)
        let line = help.split(whereSeparator: \.isNewline).joined(separator: " ")
        let help = line.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func add(_ name: String, _ labels: [(String, String?)], _ value: String) {
        text += "\(name)\(Self.shown(labels)) \(value)\n"
    }

    private static func shown(_ labels: [(String, String?)]) -> String {
        let shown = labels.compactMap { name, value in value.map { "\(name)=\"\(escaped($0))\"" } }
        return shown.isEmpty ? "" : "{\(shown.joined(separator: ","))}"
    }

    /// Adds the metrics of added objects; all values of a metric stand together, as the format demands.
    ///
    /// The format allows a metric only once, so one with a name that was written before is left out, and so is a value
    /// with the labels of another one.
    mutating func add(_ samples: [MetricSample]) {
        var (order, byName): ([String], [String: [MetricSample]]) = ([], [:])
        for sample in samples {
            let name = Self.name(sample.name)
            if byName[name] == nil { order.append(name) }
            byName[name, default: []].append(sample)
        }
        for name in order where !begun.contains(name) {
            guard let values = byName[name], let first = values.first else { continue }
            begin(name, first.kind.description, first.help)
            var seen: Set<String> = []
            for sample in values {
                let labels = Self.labels(sample.labels)
                if seen.insert(Self.shown(labels)).inserted { add(name, labels, Self.number(sample.value)) }
            }
        }
    }

    /// Returns labels with the names that the format allows; of several that become the same, the first one counts.
    private static func labels(_ labels: [String: String]) -> [(String, String?)] {
        var named: [(String, String?)] = []
        for (key, value) in labels.orderedByKey {
            let name = name(key)
            if !named.contains(where: { $0.0 == name }) { named.append((name, value)) }
        }
        return named
    }

    /// Returns a name in which each character that the format does not allow is an underscore.
    private static func name(_ text: String) -> String {
        let name = String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return name.first?.isNumber ?? true ? "_\(name)" : name
    }

    /// Returns a number without a fraction if it has none.
    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    /// Adds a metric with a single sample.
    mutating func add(_ name: String, _ type: String, _ help: String, _ value: Int) {
        begin(name, type, help)
        add(name, [], String(value))
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
