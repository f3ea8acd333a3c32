/// The store of a shared limit, as one gate uses it.
final class RateSupply: Sendable {
    /// The time after which a store that does not answer counts as unreachable.
    static let patience = Duration.seconds(1)

    private let bucket: SharedRateBucket
    private let store: any SharedRate
    private let onChange: @Sendable (NetKitError?) -> Void

    /// Creates a supply from a bucket in a store.
    ///
    /// `onChange` is called with the error while the store does not answer, and when it is back.
    init(_ store: any SharedRate, _ bucket: SharedRateBucket, onChange: @escaping @Sendable (NetKitError?) -> Void) {
        (self.store, self.bucket, self.onChange) = (store, bucket, onChange)
    }

    /// Takes permits, unless the store takes longer than the patience.
    func take(_ count: Int, clock: NetKitClock) async throws -> RateGrant {
        let grant = Promise<RateGrant>()
        let (store, bucket) = (store, bucket)
        // A store may ignore its cancellation, and the calls must not wait for it. All waiting calls need the grant,
        // and some have a later deadline than the call in whose task this runs.
        let task = startWithoutDeadline {
            grant.resolve(await Result.catching { try await store.take(count, from: bucket) })
        }
        let alarm = clock.schedule(at: clock.now.advanced(by: Self.patience)) {
            let message = "The store of the shared rate limit did not answer within \(Self.patience.shortText)."
            grant.resolve(.failure(NetKitError(.storeUnavailable, message)))
        }
        defer {
            alarm.cancel()
            task.cancel()
        }
        return try await grant.cancellableValue()
    }

    /// Reports the error of a store that does not answer; `nil` once it is back.
    func report(_ error: (any Error)?) {
        let problem = error.map { error in
            let outward = ErrorBoundary.outward(error, outcome: .notSent)
            return outward as? NetKitError
                ?? NetKitError(
                    .storeUnavailable,
                    "The store of the shared rate limit cancelled its work.",
                    cause: error
                )
        }
        onChange(problem)
    }
}
