/// Hands tokens to a store's `save` closure one after the other, and never an older one after a newer.
actor TokenSaver {
    private let hook: @Sendable (AccessToken?) async -> Void
    private var newest = 0
    private var last: Task<Void, Never>?

    init(_ hook: @escaping @Sendable (AccessToken?) async -> Void) {
        self.hook = hook
    }

    /// Returns when the token, or a newer one, was saved.
    func save(_ token: AccessToken?, version: Int) async {
        guard version > newest else { return }
        newest = version
        let (previous, hook) = (last, hook)
        // reason: a save that has begun is finished, whoever waits for it; the next one waits for its end.
        let task = Task(executorPreference: SimulatedExecution.current) {
            await previous?.value
            guard await self.newest == version else { return }
            await hook(token)
        }
        last = task
        await task.value
    }
}
