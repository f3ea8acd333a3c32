extension OfflineQueue {
    /// The numbers of events that end waits, so that an attempt that began before one does not make its entry wait.
    struct WaitEnds {
        let networkReturns: Int
        let newCredentials: Int
    }

    var waitEnds: WaitEnds { WaitEnds(networkReturns: network.returnCount, newCredentials: pauses.newCredentials) }

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
        for id in history.deferred { scheduler.forgetWait(id) }
    }
}
