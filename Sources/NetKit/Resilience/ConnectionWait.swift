/// Waits until a monitor says that there is a network.
struct ConnectionWait {
    private let monitor: any ConnectivityMonitoring

    init(_ monitor: any ConnectivityMonitoring) {
        self.monitor = monitor
    }

    /// True as soon as there is a network, false when the time is up or the monitor has ended.
    func isConnected(before end: NetKitClock.Instant, clock: NetKitClock) async throws -> Bool {
        let turn = Turn<Bool>()
        // Listening begins before the monitor is asked: a change in between would otherwise be missed.
        let changes = monitor.connectionStream()
        let watch = startImmediately { [monitor] in
            if await monitor.isConnected {
                turn.end(.success(true))
                return
            }
            for await isConnected in changes where isConnected {
                turn.end(.success(true))
                return
            }
            turn.end(.success(false))
        }
        defer { watch.cancel() }
        let alarm = clock.schedule(at: end) { turn.end(.success(false)) }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await turn.value()
        } onCancel: {
            turn.end(.failure(CancellationError()))
        }
    }
}
