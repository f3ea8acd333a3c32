extension OfflineQueue {
    /// The numbers of events that end waits.
    struct WaitEnds {
        /// The number of times that the network returned.
        var networkReturns = 0
        /// The number of times that there was a new credential.
        var newCredentials = 0
    }

    /// Notes a report of the monitor, and then its present answer.
    func noteAndPump(_ isConnected: Bool, isStillOut: Bool) {
        note(isConnected: isConnected)
        note(isConnected: !isStillOut)
        pump()
    }

    /// Asks the monitor; an outage does not count if there was a later note meanwhile.
    func askMonitor() async {
        guard let monitor else { return }
        let count = networkNotes
        let isConnected = await monitor.isConnected
        if isConnected || networkNotes == count { note(isConnected: isConnected) }
    }

    /// Notes the state of the network; when the network returns, entries that waited for it are due.
    ///
    /// During an outage, the monitor is asked again: it may be wrong once, and report only changes.
    func note(isConnected: Bool) {
        let isBack = isConnected && !self.isConnected
        self.isConnected = isConnected
        networkNotes &+= 1
        let clock = configuration.clock
        nextQuestion = isConnected ? nil : clock.now.advanced(by: configuration.refreshInterval)
        guard isBack else { return }
        waitEnds.networkReturns &+= 1
        for id in history.deferred { scheduler.forgetWait(id) }
    }
}
