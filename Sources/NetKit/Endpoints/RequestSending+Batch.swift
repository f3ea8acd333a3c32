extension RequestSending {
    /// Makes many typed calls, a few at a time, and returns a result for each call, in the order of the endpoints.
    ///
    /// ```swift
    /// for result in await client.sendAll(ids.map { .user($0) }, maxConcurrent: 4) { print(try? result.get()) }
    /// ```
    /// A call that fails does not stop the others. When the task is cancelled, unfinished calls end with
    /// `CancellationError`. All calls belong to the current login: those that begin after a logout or the login of
    /// another user fail with `.unauthorized`. A sender that passes calls on to a client does not ensure this.
    ///
    /// - Parameters:
    ///   - endpoints: The calls.
    ///   - maxConcurrent: The maximum number of concurrent calls. A value below 1 counts as 1.
    ///   - options: The options of the calls. If they have an `id`, the calls share it and are cancelled together.
    /// - Returns: The results in order.
    @concurrent
    public func sendAll<Response: Sendable>(
        _ endpoints: [Endpoint<Response>],
        maxConcurrent: Int = 8,
        options: CallOptions = CallOptions()
    ) async -> [Result<Response, any Error>] {
        await withTaskGroup(of: (Int, Result<Response, any Error>).self) { group in
            var results = [Result<Response, any Error>?](repeating: nil, count: endpoints.count)
            let calls = endpoints.map { ($0, beginning($0, options)) }
            var waiting = calls.enumerated().makeIterator()
            func start(_ index: Int, _ endpoint: Endpoint<Response>, _ options: CallOptions) {
                group.addTask { (index, await Result.catching { try await send(endpoint, options: options) }) }
            }
            for _ in 0..<max(1, maxConcurrent) {
                guard let (index, (endpoint, options)) = waiting.next() else { break }
                start(index, endpoint, options)
            }
            while let (index, result) = await group.next() {
                results[index] = result
                if let (index, (endpoint, options)) = waiting.next() { start(index, endpoint, options) }
            }
            return results.map { $0 ?? .failure(CancellationError()) }
        }
    }

    /// Returns the options of a call that may begin later, with the identity that it would have now.
    ///
    /// Each call has its own, because an interceptor may derive the identity from the request.
    private func beginning<Response: Sendable>(_ endpoint: Endpoint<Response>, _ options: CallOptions) -> CallOptions {
        guard let knowing = self as? any IdentityKnowing, knowing.mayAddCredentials else { return options }
        var options = options.inSequence()
        options.tags.fill(from: endpoint.tags)
        _ = knowing.identity(of: endpoint.request, options: options)
        return options
    }

    /// Makes many calls of one type, a few at a time, and returns a result for each call, in order.
    @concurrent
    public func sendAll<Request: APIRequest>(
        _ requests: [Request],
        maxConcurrent: Int = 8,
        options: CallOptions = CallOptions()
    ) async -> [Result<Request.Response, any Error>] {
        await sendAll(requests.map(\.endpoint), maxConcurrent: maxConcurrent, options: options)
    }
}
