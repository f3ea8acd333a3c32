/// Waits until a monitor says that there is a network.
struct ConnectionWait {
    private let monitor: any NetworkMonitor

    init(_ monitor: any NetworkMonitor) {
        self.monitor = monitor
    }

    /// True as soon as there is a network, false when the time is up or the monitor has ended.
    func isConnected(before end: NetKitClock.Instant, clock: NetKitClock) async throws -> Bool {
        let turn = Turn<Bool>()
        // The stream begins with what is known now, so that no change is missed.
        let watch = startImmediately { [monitor] in
            for await isConnected in monitor.connectionStream() where isConnected {
                turn.end(.success(true))
                return
            }
            turn.end(.success(false))
        }
        defer { watch.cancel() }
        let alarm = clock.scheduleWakeUp(at: end) { turn.end(.success(false)) }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await turn.value()
        } onCancel: {
            turn.end(.failure(CancellationError()))
        }
    }
}
