/// The network as a queue knows it from its monitor, which may be wrong once and report only changes.
///
/// A later note takes precedence over an answer that reports an outage, and the monitor is asked again only during an
/// outage.
struct QueueNetwork {
    private(set) var isConnected = true
    /// The number of times that the network returned.
    private(set) var returnCount = 0
    private(set) var noteCount = 0
    private(set) var nextQuestion: NetKitClock.Instant?

    /// Notes the state of the network, and returns whether it has returned.
    mutating func note(isConnected: Bool, askAgainAt time: NetKitClock.Instant) -> Bool {
        let isBack = isConnected && !self.isConnected
        self.isConnected = isConnected
        noteCount &+= 1
        nextQuestion = isConnected ? nil : time
        if isBack { returnCount &+= 1 }
        return isBack
    }

    /// Returns whether an answer to a question still counts, which was asked after a number of notes.
    func counts(answer isConnected: Bool, askedAfter count: Int) -> Bool { isConnected || noteCount == count }

    /// Returns whether the monitor is to be asked now.
    mutating func takeQuestion(at now: NetKitClock.Instant) -> Bool {
        guard let time = nextQuestion, time <= now else { return false }
        nextQuestion = nil
        return true
    }
}
