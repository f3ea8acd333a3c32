extension OfflineQueue {
    /// The numbers of events that end waits, so that an attempt that began before one does not make its entry wait.
    struct WaitEnds {
        let networkReturns: Int
        let newCredentials: Int
    }

    var waitEnds: WaitEnds { WaitEnds(networkReturns: network.returnCount, newCredentials: pauses.newCredentials) }

    /// Notes the state of the network, and begins to note each change that the monitor reports.
    func watchMonitor() async {
        guard let monitor else { return }
        // Listening begins before the monitor is asked: a change in between would otherwise be missed.
        let changes = monitor.connectionStream()
        note(isConnected: await monitor.isConnected)
        watches.append(
            startDetached { [weak self] in
                for await isConnected in changes {
                    guard let self else { return }
                    // A report of an outage may be late. A report that the network is back always counts: a monitor
                    // that asks from time to time might not repeat it.
                    let isStillOut = isConnected ? false : await !monitor.isConnected
                    await self.noteAndPump(isConnected, isStillOut: isStillOut)
                }
            }
        )
    }

    /// Notes a report of the monitor, and then its present answer.
    func noteAndPump(_ isConnected: Bool, isStillOut: Bool) {
        note(isConnected: isConnected)
        note(isConnected: !isStillOut)
        pump()
    }

    /// Asks the monitor.
    func askMonitor() async {
        guard let monitor else { return }
        let count = network.noteCount
        let isConnected = await monitor.isConnected
        if network.counts(answer: isConnected, askedAfter: count) { note(isConnected: isConnected) }
    }

    /// Notes the state of the network; when the network returns, entries that waited for it are due.
    func note(isConnected: Bool) {
        let nextQuestion = configuration.clock.now.advanced(by: configuration.refreshInterval)
        guard network.note(isConnected: isConnected, askAgainAt: nextQuestion) else { return }
        for id in history.waitingForNetwork { scheduler.forgetWait(id) }
    }
}
