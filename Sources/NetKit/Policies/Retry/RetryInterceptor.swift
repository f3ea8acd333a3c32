/// Repeats failed requests that may be repeated, within a policy, a budget and the call's deadline.
///
/// ```swift
/// HTTPClient(baseURL: base, interceptors: [RetryInterceptor(RetryPolicy(maxAttempts: 4))])
/// ```
/// When the interceptor gives up, the call ends with the last response or error. `attemptLog` of the error and of the
/// response lists every attempt and the reason for giving up.
public struct RetryInterceptor: InspectableInterceptor, CallBound {
    /// The rules for repeating attempts; those of a call or an endpoint count first.
    public var policy: RetryPolicy { rules.policy }
    /// The number of retries at each host; `nil` sets no limit.
    public let budget: RetryBudget?
    private let rules: CallRetry

    /// Creates an interceptor with its own budget, a shared one, or none.
    public init(_ policy: RetryPolicy = .standard, budget: RetryBudget? = RetryBudget()) {
        self.budget = budget
        rules = CallRetry(policy)
    }

    /// The retry stage.
    public var stage: Stage { .retry }

    /// The policy in words.
    public var summary: String {
        guard policy.maxAttempts > 1 else { return "retry: \(policy)" }
        return "retry: \(policy), \(budget.map { "budget of \($0.maxTokens) per host" } ?? "no budget")"
    }

    /// Returns warnings about the policy, the budget, and a second retry interceptor.
    public func warnings(in client: ClientInspection) -> [String] {
        var warnings = client.warnings(ifRepeated: Self.self, "Each would repeat what the other has repeated.")
        warnings += policy.warnings(timeouts: client.timeouts) + (budget?.notes.map { "retry budget: \($0)" } ?? [])
        let cost = budget.map { max($0.transientCost, $0.throttlingCost) } ?? 0
        if let budget, policy.maxAttempts > 1, budget.maxTokens < cost {
            warnings.append("The retry budget holds \(budget.maxTokens) tokens, and a retry costs up to \(cost).")
        }
        return warnings
    }

    /// Sends the request, and sends it again if that may help.
    @inline(__always)
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        // Inlined into the witness of the protocol, so that waiting calls do not hold another frame for it.
        guard let rules = rules(of: context) else { return try await next(request, context) }
        let start = context.clock.now
        let first: Result<HTTPResponse, any Error>
        do {
            let response = try await next(request, context)
            if isFinal(response, to: request, rules) { return response }
            first = .success(response)
        } catch {
            first = .failure(error)
        }
        return try await repeating(request, context, next, rules, start: start, first: first)
    }

    /// Returns the rules for a call; `nil` if it is not repeated.
    @inline(never)
    private func rules(of context: RequestContext) -> CallRetry? {
        let rules = context.tags[CallRetry.self] ?? rules
        return rules.policy.maxAttempts > 1 && !context.call.isReplay ? rules : nil
    }

    /// Returns whether the first response is to be delivered, and notes it in the budget.
    @inline(never)
    private func isFinal(_ response: HTTPResponse, to request: HTTPRequest, _ rules: CallRetry) -> Bool {
        guard !rules.concerns(response.status) else { return false }
        budget?.noteSuccess(holding: 0, for: request.url)
        return true
    }

    /// Continues after a first failure.
    ///
    /// It is a separate function, so that waiting calls do not hold its memory.
    @inline(never)
    private func repeating(
        _ request: HTTPRequest,
        _ context: RequestContext,
        _ next: Next,
        _ rules: CallRetry,
        start: NetKitClock.Instant,
        first: Result<HTTPResponse, any Error>
    ) async throws -> HTTPResponse {
        var run = RetryRun(request: request, context: context, start: start)
        var result = first
        while true {
            if case .success(let response) = result, !run.concerns(response.status, rules) {
                return run.finish(response, budget: budget)
            }
            guard let delay = run.judge(result, policy: rules.policy, budget: budget) else {
                return try run.surface(result)
            }
            if case .success(let response) = result { response.body.discard() }
            do {
                try await BackoffWait.wait(delay, in: context.call)
            } catch {
                run.abandon(budget: budget)
                throw error
            }
            run.begin()
            result = await Result.catching { try await next(request, context) }
        }
    }
}
