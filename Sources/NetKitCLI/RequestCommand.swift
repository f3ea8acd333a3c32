import Foundation
import NetKit

/// `netkit request`, which sends one request and shows the response.
struct RequestCommand {
    let options: RequestOptions
    let output: CommandOutput
    let style: TerminalStyle
    /// The style of standard output.
    var results = TerminalStyle.plain

    /// A body that has ended.
    private enum Body {
        /// The body for a report.
        case kept(Data)
        /// The size of a body that was written to its place.
        case written(Int64)
    }

    func run() async throws -> ExitCode {
        do {
            return try await send()
        } catch let error where options.showsJSON && !(error is UsageError) {
            // A file or a setting is wrong, so there was no call. The failure of a call has its report already.
            output.text(try RequestReport(of: error, []).json)
            return .failure
        }
    }

    private func send() async throws -> ExitCode {
        try options.checkOutputs()
        let recorder = HARRecorder(maxBodyBytes: 1 << 20)
        let client = try client(options.harFile == nil ? [] : [recorder])
        if options.wire.isInsecure {
            output.note(
                style("WARNING: the certificate is not verified. Any machine can impersonate the server.", .red)
            )
        }
        if options.showsExplanation { output.note(client.explain() + "\n") }
        let request = try options.request()
        let id = CallID()
        let events = client.events
        let follower = Task { await follow(events, id) }
        let result: Result<(HTTPResponse, Body), any Error> = await interruptible {
            let response = try await client.send(request, options: CallOptions(id: id, timeout: options.timeout))
            return (response, try await receive(response, upTo: client.configuration.maxBufferedBytes))
        }
        // The event of the call's end may still be on its way. A request that could not be sent has none.
        let timer = Task {
            try await Task.sleep(for: .seconds(1))
            follower.cancel()
        }
        let ends = await follower.value
        timer.cancel()
        await client.shutdown(within: .seconds(1))
        let isRecorded = await save(recorder)
        let code = try finish(result, ends)
        return isRecorded ? code : .failure
    }

    /// Writes the recording if it is wanted, and returns `false` after a note if that fails.
    private func save(_ recorder: HARRecorder) async -> Bool {
        guard let file = options.harFile else { return true }
        do {
            try await OutputFile(file).save(recorder)
            return true
        } catch {
            output.note("netkit request: \("\(error)".withoutPasswords)")
            return false
        }
    }

    private func finish(_ result: Result<(HTTPResponse, Body), any Error>, _ ends: [ClientEvent]) throws -> ExitCode {
        let attempts = ends.filter { $0.kind == .attemptEnded }
        switch result {
        case .success(let (response, body)):
            switch body {
            case .kept(let data): output.text(try RequestReport(of: response, body: data, attempts).json)
            case .written(let size): showTimings(response.timings, exchange: attempts.last?.duration, size: size)
            }
            if options.isVerbose { showTimes(attempts, call: ends.last { $0.kind == .callEnded }) }
            return ExitCode(response.status)
        case .failure(let error):
            if let problem = UsageError(refused: error) { throw problem }
            if options.showsJSON { output.text(try RequestReport(of: error, attempts).json) }
            if let interruption = error as? Interruption {
                output.note("netkit request: interrupted.")
                return interruption.exitCode
            }
            guard options.showsJSON else { throw error }
            return .failure
        }
    }

    private func client(_ more: InterceptorList) throws -> HTTPClient {
        var interceptors: InterceptorList = .standard
        if let retries = options.retries { interceptors = [RetryInterceptor(RetryPolicy(maxAttempts: retries + 1))] }
        if let folder = options.cacheFolder {
            let place = try URL.file(folder)
            // The store itself would cache nothing, without an error.
            try place.makeFolder()
            interceptors = interceptors + [CacheInterceptor(DiskCacheStore(directory: place))]
        }
        if options.showsTrace { interceptors = interceptors + [TracingInterceptor(SpanLines(output: output))] }
        if options.isVerbose { interceptors = interceptors + [SentHead(output: output, style: style)] }
        return HTTPClient(
            transport: try options.wire.transport(),
            interceptors: interceptors + more,
            configuration: try .fromEnvironment()
        )
    }

    /// Shows the events of the call until it ends, and returns those that end an attempt or the call.
    private func follow(_ events: ClientEvents, _ call: CallID) async -> [ClientEvent] {
        var ends: [ClientEvent] = []
        var start: NetKitClock.Instant?
        for await event in events where event.callID == call {
            let begin = start ?? event.instant
            start = begin
            if options.isVerbose {
                let time = begin.duration(to: event.instant).millisecondsText
                // There is only one request, so the events need not name it.
                let request = " \(event.method?.rawValue ?? "") \(event.url ?? "")"
                let line = "+\(time)  \("\(event)".replacing(request, with: "", maxReplacements: 1))"
                output.note(style(line, event.kind == .retry ? .yellow : .gray))
            }
            if event.kind == .attemptEnded || event.kind == .callEnded { ends.append(event) }
            if event.kind == .callEnded { break }
        }
        return ends
    }

    // MARK: - Response

    /// Shows the head and body as they arrive, or keeps the body for a report.
    private func receive(_ response: HTTPResponse, upTo limit: Int) async throws -> Body {
        if options.showsJSON { return .kept(try await response.body.collect(upTo: limit)) }
        showHead(of: response)
        return .written(try await write(response, upTo: limit))
    }

    /// Writes the body to its place, and returns its size.
    private func write(_ response: HTTPResponse, upTo limit: Int) async throws -> Int64 {
        if let file = options.outputFile { return try await OutputFile(file).save(response.body) }
        if results.isOn, response.headers["Content-Type"]?.contains("json") == true,
            response.body.length.map({ $0 <= 1 << 20 }) ?? false
        {
            let data = try await response.body.collect(upTo: limit)
            output.data(JSONText.indented(data, style: results).map { Data($0.utf8) } ?? data)
            return Int64(data.count)
        }
        var size: Int64 = 0
        for try await chunk in response.body {
            size += Int64(chunk.count)
            output.data(chunk)
        }
        return size
    }

    /// Shows the head at once, so that no event comes between its lines.
    private func showHead(of response: HTTPResponse) {
        let redaction = Redaction.standard
        var lines = response.history.map { hop in
            "\(style.status(hop.status)): \(redaction.redacted(hop.from)) -> \(redaction.redacted(hop.to))"
        }
        // A response of a cache has none.
        let version = response.timings.protocolVersion
        lines.append("\(version ?? "HTTP") \(style.status(response.status))")
        lines += response.headers.map { "\(style($0.name.forTerminal, .cyan)): \($0.value.forTerminal)" }
        if options.wire.allowsHTTP2 == true, let version, !version.hasPrefix("HTTP/2") {
            lines.append(style("The server used \(version) instead of HTTP/2, which requires https.", .yellow))
        }
        output.note(lines.joined(separator: "\n") + "\n")
    }

    /// Shows the times of a response, and of its whole exchange, which was not over when the response arrived.
    private func showTimings(_ timings: ExchangeTimings, exchange: Duration?, size: Int64) {
        let known: [(String, Duration?)] = [
            ("name", timings.nameResolved), ("connected", timings.connected), ("secured", timings.secured),
            ("first byte", timings.firstByte), ("exchange", timings.total.map { exchange ?? $0 }),
        ]
        let parts = known.compactMap { name, value in value.map { "\(name) \($0.millisecondsText)" } }
        // A response of a cache has no times.
        output.note("\n\(size) bytes\(parts.isEmpty ? "" : "; ")\(parts.joined(separator: ", "))")
    }

    /// Shows where the last exchange spent its time, and how long the whole call took.
    private func showTimes(_ attempts: [ClientEvent], call: ClientEvent?) {
        if let end = attempts.last { showWaterfall(end) }
        if let duration = call?.duration {
            output.note("call    \(duration.millisecondsText) with \(attempts.count.counting("exchange"))")
        }
    }

    private func showWaterfall(_ end: ClientEvent) {
        guard let timings = end.timings, let duration = end.duration else { return }
        for line in TimingWaterfall(timings, duration: duration).lines(width: ProgressBar.terminalWidth) {
            output.note(line)
        }
    }
}

/// A span exporter that prints each span as a line.
struct SpanLines: SpanExporter {
    let output: CommandOutput

    func export(_ span: Span) {
        let milliseconds = Duration.seconds(span.end.timeIntervalSince(span.start)).millisecondsText
        let parent = span.parentID.map { ", part of \($0)" } ?? ""
        let problem = span.errorType.map { ", \($0)" } ?? ""
        output.note(
            "span \(span.context.spanID) of trace \(span.context.traceID)\(parent): \(span.name), \(milliseconds)\(problem)"
        )
    }
}

/// Shows the head of each request as it goes to the transport, without secrets.
struct SentHead: Interceptor {
    let output: CommandOutput
    let style: TerminalStyle
    var stage: Stage { .wire }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        let redaction = Redaction.standard
        var lines = ["\(request.method) \(redaction.redacted(request.url))"]
        // A field may repeat what a server sent, such as the `ETag` of a stored response.
        lines += redaction.redacted(request.headers).map { "\($0.name): \($0.value.forTerminal)" }
        if let body = request.body {
            lines.append("(a body\(body.length.map { " of \($0.counting("byte"))" } ?? ""))")
        }
        output.note(lines.map { style("> \($0)", .gray) }.joined(separator: "\n"))
        return try await next(request, context)
    }
}
