import NetKit

/// A statement on its way through the loop.
struct PostgresJob: Sendable {
    /// The purpose of a statement, which decides what follows its result.
    enum Purpose: Sendable {
        /// A caller waits for the result.
        case caller(@Sendable (Result<Rows, any Error>) -> Void)
        /// The first statement on a control connection, which finds out the kind of server.
        case introduction
        /// The listening to all channels, which the test follows.
        case listen
        /// The notification with which the loop tests whether notices arrive.
        case test
        /// A statement that only shows that the connection works.
        case ping
        /// The end of the transaction that a failed script may have left open.
        case rollback
    }

    let id: UInt64
    let text: String
    let parameters: [Parameter]
    let role: ConnectionRole
    var deadline: NetKitClock.Instant
    let purpose: Purpose
    var isRepeatable = false
    /// Whether the text consists of several statements, which are one transaction.
    var isScript = false
    /// Whether its connection sends no further statement until its result arrives.
    var endsPipeline = false
    /// Whether the job fails as soon as no connection can be made, and has no deadline but that of a connection's step.
    var failsAtOnce = false
    /// The number of times it was sent.
    var tryCount = 0

    /// Whether an earlier attempt may have taken effect, because its connection was lost.
    var mayHaveRun = false

    /// Whether another connection may take the statement after its own was lost.
    ///
    /// The other statements of the loop concern one connection.
    var outlivesConnection: Bool {
        switch purpose {
        case .caller, .test: true
        case .introduction, .listen, .ping, .rollback: false
        }
    }

    /// The maximum number of times that a job is sent.
    static let maxTries = 4

    func finish(_ result: Result<Rows, any Error>) {
        guard case .caller(let finish) = purpose else { return }
        // How the latest attempt ended says nothing about an earlier one.
        finish(
            result.mapError { error in
                guard mayHaveRun, let error = error as? NetKitError else { return error }
                return error.with(outcome: .unknown)
            }
        )
    }
}
