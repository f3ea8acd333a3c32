import NetKit
import Testing

@testable import NetKitPostgres

struct PostgresStatusTests {
    private let status = PostgresStatus()
    private let problem = NetKitError(.storeUnavailable, "The connection ended.")

    private func connect() {
        status.note(connectedTo: 150_000, isPooled: false, at: NetKitClock.Instant(nanoseconds: 0))
    }

    /// A server may end idle connections, and the next statement that needs another one can be hours away.
    @Test func theLossOfAConnectionForWorkIsNoProblem() async {
        connect()
        let events = status.events
        status.note(lost: problem, isControl: false)
        #expect(status.health.problem == nil)
        #expect(status.health.isConnected)
        status.finish()
        let event = await events.first { $0.kind == .connectionLost }
        #expect(event?.error?.message == problem.message)
    }

    @Test func theLossOfTheConnectionForHeartbeatsIsAProblemUntilTheNextOne() {
        connect()
        status.note(lost: problem, isControl: true)
        #expect(status.health.problem?.message == problem.message)
        #expect(!status.health.isConnected)
        // It shows that the server is there, but brings no heartbeats.
        status.noteOpened()
        #expect(status.health.problem != nil)
        connect()
        #expect(status.health.problem == nil)
        #expect(status.returnedAt != nil)
    }

    @Test func aConnectionForWorkThatCannotBeMadeIsAProblemUntilTheNextOne() {
        connect()
        status.note(connectProblem: problem, isControl: false)
        #expect(status.health.problem?.message == problem.message)
        #expect(status.health.isConnected)
        status.noteOpened()
        #expect(status.health.problem == nil)
        #expect(status.returnedAt == nil)
    }
}
