import Foundation

/// The chain of a client: its interceptors sorted by stage, and the transport behind them.
///
/// This is the one place that fixes the order. The chain is one array, and `Next` an index into it.
public final class Pipeline: Sendable {
    /// The interceptors, outermost first.
    public let interceptors: [any Interceptor]
    /// What carries out the exchanges.
    public let transport: any Transport
    /// The transport that `transport` passes exchanges on to, or itself.
    let actualTransport: any Transport
    /// For each link, and the transport at the end, whether it ends with the call by itself.
    private let endingWithCall: [Bool]
    /// Those among the interceptors that add a credential, and where they stand.
    let adders: [(index: Int, adder: any CredentialAdding)]
    /// Whether an adder is not NetKit's own.
    let hasOwnAdders: Bool
    /// Those who are told what happens, and are no link of the chain.
    let listeners: [any Interceptor & EventListening]
    /// Whether an interceptor wants the facts of a call that nobody hears.
    let readsFacts: Bool
    /// Whether an interceptor wants to know which header fields were sent.
    private let readsSentFields: Bool
    /// A Boolean value that indicates whether the transport applies the address guard itself.
    private let judgesAddresses: Bool
    /// What tells the transport from others that servers answer differently.
    let transportIdentity: String?

    /// Makes a chain; what stands in the same stage keeps the order of the list.
    public init(_ list: InterceptorList, transport: any Transport) {
        listeners = list.interceptors.compactMap { $0 as? any Interceptor & EventListening }
        let all: [any Interceptor] = [AttemptBoundary()] + list.interceptors.flatMap(\.links)
        let sorted = all.orderedByNumber { Int64($0.stage.rank) }
        interceptors = sorted
        readsFacts = sorted.contains { $0 is any FactsReading }
        readsSentFields = sorted.contains { $0 is any SentFieldsReading }
        adders = sorted.enumerated().compactMap { index, interceptor in
            (interceptor as? any CredentialAdding).map { (index, $0) }
        }
        hasOwnAdders = adders.contains { !($0.adder is any IdentityVerifying) }
        self.transport = transport
        let actual = (transport as? any TransportForwarding)?.actual ?? transport
        actualTransport = actual
        judgesAddresses = actual is any AddressJudging
        transportIdentity = (actual as? any IdentifiedTransport)?.identity
        endingWithCall = sorted.map { $0 is any EndsWithCall } + [actual is any EndsWithCall]
    }

    /// Returns whether a link, or the transport behind the last one, ends with the call by itself.
    func endsWithCall(at index: Int) -> Bool { endingWithCall[index] }

    /// Sends a request through the whole chain.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await Next(self, index: 0)(request, context)
    }

    /// Sends the request of a call through the whole chain, or past it if all it is for is its connection.
    func send(_ running: RunningCall) async throws -> HTTPResponse {
        let context = RequestContext(call: running.call, reach: .none)
        guard running.onlyConnects else { return try await send(running.request, context: context) }
        let next = Next(self, index: interceptors.count)
        return try await AttemptBoundary().intercept(running.request, context: context, next: next)
    }

    /// The end of the chain: whatever the interceptors made of the request is checked, then handed to the transport.
    func transmit(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        var request = request
        try request.resolve(against: nil)
        try request.prepare(json: context.call.json)
        try RequestValidation.validate(request)
        try Task.checkCancellation()
        try context.call.cancellation.check()
        try verifyIdentity(of: request, in: context.call)
        let attempt = context.attempt
        let start = context.clock.now
        let reporter = context.call.reporter?.about(request)
        reporter?.report(.attemptStarted, at: start) { $0.attempt = attempt.number }
        attempt.noteHandedOver()
        do {
            var response = try await transport.send(request, context: context)
            attempt.noteAnswered()
            try judgeConnection(of: response, to: request.url, context: context)
            if let limit = context.delivery.bufferLimit {
                response = try await Self.buffered(response, upTo: limit, context)
                attempt.noteOver()
            }
            let sentFields = readsSentFields ? request.headers : nil
            response = response.completed(
                url: request.url,
                sentFields: sentFields,
                total: start.duration(to: context.clock.now)
            )
            if let reporter { Self.report(response, of: context, since: start, to: reporter) }
            return response
        } catch {
            let outward = ErrorBoundary.outward(error, outcome: attempt.outcome)
            if (outward as? NetKitError)?.outcome == .notSent { attempt.noteNotSent() }
            if !(outward is CancellationError), context.call.cancellation.isOpen { attempt.noteOver() }
            if let reporter { Self.report(outward, of: context, since: start, to: reporter) }
            throw outward
        }
    }

    /// Collects the body that a transport streams all the same; the attempt's limit counts until its end.
    private static func buffered(
        _ response: HTTPResponse,
        upTo limit: Int,
        _ context: RequestContext
    ) async throws -> HTTPResponse {
        guard response.body.buffered == nil else { return try await response.buffered(upTo: limit) }
        return try await context.endingWithCall { try await response.buffered(upTo: limit) }
    }

    private static func report(
        _ response: HTTPResponse,
        of context: RequestContext,
        since start: NetKitClock.Instant,
        to reporter: CallReporter
    ) {
        let (clock, number, timings, status) = (
            context.clock, context.attempt.number, response.timings, response.status
        )
        reporter.reportParts(of: timings, attempt: number, since: start)
        response.onEnd { end in
            reporter.reportEnd(
                ofAttempt: number,
                since: start,
                at: clock.now,
                timings: timings,
                status: status,
                count: end.byteCount,
                error: end.error
            )
        }
    }

    private static func report(
        _ error: any Error,
        of context: RequestContext,
        since start: NetKitClock.Instant,
        to reporter: CallReporter
    ) {
        let (number, timings) = (context.attempt.number, (error as? NetKitError)?.timings)
        reporter.reportParts(of: timings, attempt: number, since: start)
        reporter.reportEnd(ofAttempt: number, since: start, at: context.clock.now, timings: timings, error: error)
    }

    /// For transports that tell where they connected to, but do not ask the guard before they send.
    private func judgeConnection(of response: HTTPResponse, to url: URL, context: RequestContext) throws {
        guard !judgesAddresses, let addressGuard = context.call.addressGuard,
            let address = response.timings.remoteAddress
        else { return }
        do {
            try addressGuard.judge(connectedAddress: address, for: url.host(percentEncoded: true))
        } catch {
            response.body.discard()
            throw error.with(outcome: .answered)
        }
    }
}

/// An interceptor that goes by the header fields that were really sent: responses carry them then.
protocol SentFieldsReading {}
