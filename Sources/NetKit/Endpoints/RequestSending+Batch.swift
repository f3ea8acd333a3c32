import Foundation

extension RequestSending {
    /// Makes many typed calls, a few at a time: a result for each, in the order of the endpoints, whatever became of it.
    ///
    /// ```swift
    /// for result in await client.sendAll(ids.map { .user($0) }, maxConcurrent: 4) { print(try? result.get()) }
    /// ```
    /// One that fails does not stop the others. When the task is cancelled, what is not over ends with `CancellationError`.
    ///
    /// - Parameters:
    ///   - endpoints: The calls.
    ///   - maxConcurrent: How many are under way at once; less than 1 counts as 1.
    ///   - options: What the calls may set for themselves; each has a name of its own.
    /// - Returns: The results in order.
    @concurrent
    public func sendAll<Response: Sendable>(
        _ endpoints: [Endpoint<Response>],
        maxConcurrent: Int = 8,
        options: CallOptions = CallOptions()
    ) async -> [Result<Response, any Error>] {
        await withTaskGroup(of: (Int, Result<Response, any Error>).self) { group in
            var results = [Result<Response, any Error>?](repeating: nil, count: endpoints.count)
            var waiting = endpoints.enumerated().makeIterator()
            func start(_ index: Int, _ endpoint: Endpoint<Response>) {
                group.addTask {
                    var own = options
                    if index > 0 { own.id = CallID() }
                    do {
                        return (index, .success(try await send(endpoint, options: own)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for _ in 0..<max(1, maxConcurrent) {
                guard let (index, endpoint) = waiting.next() else { break }
                start(index, endpoint)
            }
            while let (index, result) = await group.next() {
                results[index] = result
                if let (index, endpoint) = waiting.next() { start(index, endpoint) }
            }
            return results.map { $0 ?? .failure(CancellationError()) }
        }
    }

    /// Makes many calls of one type, a few at a time: a result for each, in order, whatever became of it.
    @concurrent
    public func sendAll<Request: APIRequest>(
        _ requests: [Request],
        maxConcurrent: Int = 8,
        options: CallOptions = CallOptions()
    ) async -> [Result<Request.Response, any Error>] {
        await sendAll(requests.map(\.endpoint), maxConcurrent: maxConcurrent, options: options)
    }
}
