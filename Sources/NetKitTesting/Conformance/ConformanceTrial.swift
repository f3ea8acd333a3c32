import Foundation
import NetKit

/// The context of a case: the server, the transport, and functions to send requests and check expectations.
struct ConformanceTrial: Sendable {
    let server: MockServer
    let transport: any Transport
    /// A counter of the exchanges that the transport has not ended, even if their calls have.
    private let exchanges = ExchangeCounter()

    init(server: MockServer, transport: any Transport) {
        self.server = server
        self.transport = transport
    }

    /// The number of exchanges that the transport has not ended.
    var exchangeCount: Int { exchanges.count }

    /// A limit above the size of every body that is not meant to be too large.
    static let ample = Delivery.buffered(upTo: 64 << 20)

    /// Timeouts beyond every case's own limit, even on a machine that stalls for minutes.
    ///
    /// Otherwise, a timeout could end an exchange that the transport has to end.
    static let patient = Timeouts(connect: .seconds(600), idle: .seconds(600), attempt: .seconds(600))

    // MARK: - Sending

    /// Sends a request through a pipeline without interceptors, so that its errors are the ones that callers see.
    func send(
        _ request: HTTPRequest,
        delivery: Delivery = ample,
        timeouts: Timeouts = patient,
        addressGuard: AddressGuard? = nil
    ) async throws -> HTTPResponse {
        let context = RequestContext.test(delivery: delivery, timeouts: timeouts, addressGuard: addressGuard)
        return try await Pipeline([exchanges], transport: transport).send(settled(request), context: context)
    }

    /// Sends a request through the transport alone, which may end a cancelled exchange as `URLSession` does.
    func sendDirectly(_ request: HTTPRequest, delivery: Delivery = ample) async throws -> HTTPResponse {
        let context = RequestContext.test(delivery: delivery, timeouts: Self.patient)
        do {
            return try await transport.send(settled(request).prepared(), context: context)
        } catch let error as URLError where error.code == .cancelled {
            throw CancellationError()
        }
    }

    /// Sends a GET through the pipeline.
    func get(_ path: RequestPath = "/", delivery: Delivery = ample, timeouts: Timeouts = patient) async throws
        -> HTTPResponse
    {
        try await send(HTTPRequest(.get, path), delivery: delivery, timeouts: timeouts)
    }

    /// A client with the transport, for features of a whole call.
    var client: HTTPClient { HTTPClient(baseURL: server.baseURL, transport: transport, interceptors: []) }

    /// Makes the server return a reply, and sends a request for it.
    func receive(_ reply: ServerReply, delivery: Delivery = ample, timeouts: Timeouts = patient) async throws
        -> HTTPResponse
    {
        server.on(nil, "/", reply)
        return try await get(delivery: delivery, timeouts: timeouts)
    }

    /// Sends a request and returns it as the server received it.
    func arrival(of request: HTTPRequest) async throws -> ServerRequest {
        server.on(nil, "/**", .text("seen"))
        _ = try await send(request)
        return try require("the server reads the request", server.requests.last, seen: "a response without a request")
    }

    private func settled(_ request: HTTPRequest) throws -> HTTPRequest {
        try request.resolved(against: BaseURL(server.baseURL))
    }

    // MARK: - Expectations

    /// Returns the error that an operation throws, and fails the case if it is not a `NetKitError`.
    @discardableResult
    func failure<Value>(
        _ codes: NetKitError.Code...,
        outcome: NetKitError.Outcome...,
        from operation: () async throws -> Value
    ) async throws -> NetKitError {
        let expected = "an error \(codes.map(\.description).joined(separator: " or "))"
        do {
            let value = try await operation()
            throw ConformanceFailure.broken(expected: expected, seen: "success: \(ConformanceFailure.text(of: value))")
        } catch let error as ConformanceFailure {
            throw error
        } catch let error as NetKitError {
            try expect(expected, codes.isEmpty || codes.contains(error.code), seen: ConformanceFailure.text(of: error))
            let outcomes = outcome.map { "\($0)" }.joined(separator: " or ")
            try expect("the outcome \(outcomes)", outcome.isEmpty || outcome.contains(error.outcome), seen: "\(error)")
            return error
        } catch {
            throw ConformanceFailure.broken(expected: expected, seen: ConformanceFailure.text(of: error))
        }
    }
}
