import NetKit
import NetKitTesting

/// Decides which user each call belongs to, and records every credential and every response of another user.
///
/// A call belongs to the user who is logged in when it begins. If no user is logged in, it belongs to the next user who
/// logs in. The time of a simulation stands still while a task can run, so a call that begins at the instant of a login
/// can belong to either user: the first credential or response decides.
///
/// It also records every request that was accepted after a later one of the same login in the same lane. For the
/// offline queue, a login without a name is another identity than the login of the same user with a name.
final class IdentityJudge: Sendable {
    private struct Session {
        var user: String?
        var previous: String?
        /// The number of changes from one user to another, or to none.
        var number = 0
        var changedAt = Duration.seconds(-1)
    }

    private struct Call {
        let name: String
        let client: Int?
        let beganAt: Duration
        let session: Int
        /// The users that the call can belong to.
        var users: Set<String>
        /// Whether the call belongs to the next user who logs in.
        var awaitsLogin: Bool
        var wasAdopted = false
        var wasSent = false
        var isOver = false

        var owner: String {
            let names = users.sorted() + (awaitsLogin ? ["nobody yet"] : [])
            return names.isEmpty ? "nobody" : names.joined(separator: " or ")
        }
    }

    private struct State {
        var sessions: [Session]
        var calls: [Call] = []
        var counts: [IdentityEvent: Int] = [:]
        var problems: [String] = []
        /// The calls with a lane that were accepted, and the last one of each login in each lane.
        var accepted: Set<Int> = []
        var lastAccepted: [String: Int] = [:]
    }

    private let simulation: Simulation
    private let state: Locked<State>

    init(_ simulation: Simulation, clients: Int) {
        self.simulation = simulation
        state = Locked(State(sessions: Array(repeating: Session(), count: clients)))
    }

    /// The mix-ups, oldest first.
    var problems: [String] { state.withLock { $0.problems } }
    var counts: [IdentityEvent: Int] { state.withLock { $0.counts } }

    func count(_ event: IdentityEvent) {
        state.withLock { $0.counts[event, default: 0] += 1 }
    }

    /// The user who is logged in at a client.
    func user(of client: Int) -> String? { state.withLock { $0.sessions[client].user } }

    /// Notes that a user logs in at a client now, or that the user there logs out.
    func change(_ client: Int, to user: String?) {
        let now = simulation.now
        simulation.note("client \(client): \(user ?? "nobody") is logged in")
        if user != nil { count(.login) }
        state.withLock { state in
            var session = state.sessions[client]
            if session.changedAt != now { session.previous = session.user }
            if session.user != user { session.number += 1 }
            (session.user, session.changedAt) = (user, now)
            state.sessions[client] = session
            for index in state.calls.indices where state.calls[index].client == client {
                Self.adapt(&state.calls[index], to: user, now)
            }
        }
    }

    private static func adapt(_ call: inout Call, to user: String?, _ now: Duration) {
        if let user {
            guard call.awaitsLogin || call.beganAt == now else { return }
            call.users.insert(user)
            (call.wasAdopted, call.awaitsLogin) = (call.awaitsLogin, false)
        } else if call.beganAt == now {
            call.awaitsLogin = true
        }
    }

    /// Begins a call of the user who is logged in at a client; returns its number.
    func begin(_ name: String, at client: Int) -> Int {
        let now = simulation.now
        return state.withLock { state in
            let session = state.sessions[client]
            var users = [session.user]
            if session.changedAt == now { users.append(session.previous) }
            let call = Call(
                name: name,
                client: client,
                beganAt: now,
                session: session.number,
                users: Set(users.compactMap { $0 }),
                awaitsLogin: users.contains(nil)
            )
            state.calls.append(call)
            return state.calls.count - 1
        }
    }

    /// Begins a call that belongs to one user, or to none, whatever happens; returns its number.
    func begin(_ name: String, by user: String?) -> Int {
        let call = Call(
            name: name,
            client: nil,
            beganAt: simulation.now,
            session: 0,
            users: Set([user].compactMap { $0 }),
            awaitsLogin: false
        )
        return state.withLock { state in
            state.calls.append(call)
            return state.calls.count - 1
        }
    }

    func end(_ call: Int) {
        state.withLock { $0.calls[call].isOver = true }
    }

    /// Checks a request on its way to the server.
    func sent(_ number: Int, credentialOf user: String?, isReplay: Bool) {
        state.withLock { state in
            let call = state.calls[number]
            state.calls[number].wasSent = true
            if call.isOver, !isReplay { state.counts[.background, default: 0] += 1 }
            if call.wasAdopted, user != nil { state.counts[.adoption, default: 0] += 1 }
            if isReplay, let client = call.client, !call.users.isEmpty, !call.wasAdopted,
                state.sessions[client].number > call.session + 1
            {
                state.counts[.lateReplay, default: 0] += 1
            }
        }
        judge(number, user, "was sent with the credential of")
    }

    /// Checks the order of a request that the server accepted for the first time.
    func accepted(_ number: Int, in lane: String, under login: String) {
        let isLate = state.withLock { state in
            guard state.accepted.insert(number).inserted else { return false }
            let place = "\(login) in \(lane) at \(state.calls[number].client ?? -1)"
            let last = state.lastAccepted[place] ?? -1
            state.lastAccepted[place] = max(last, number)
            return number < last
        }
        if isLate { note(number, "was accepted after a later one of \(login) in lane \(lane)") }
    }

    /// Checks the response of a call.
    func received(_ call: Int, responseFor user: String?) {
        judge(call, user, "was given a response for")
    }

    /// Whether no request of a call has been sent.
    func isUnsent(_ call: Int) -> Bool { state.withLock { !$0.calls[call].wasSent } }

    func note(_ call: Int, _ problem: String) {
        let now = simulation.now
        state.withLock { state in
            let call = state.calls[call]
            let end = call.isOver ? ", after its end" : ""
            state.problems.append("at \(Int(now.inSeconds * 1000)) ms \(call.name) of \(call.owner) \(problem)\(end)")
        }
    }

    private func judge(_ call: Int, _ user: String?, _ verb: String) {
        simulation.note("call \(call) \(verb) \(user ?? "nobody")")
        // A request without a credential and a response to one are harmless.
        guard let user else { return }
        let isOwn = state.withLock { state in
            guard state.calls[call].users.contains(user) else { return false }
            state.calls[call].users = [user]
            state.calls[call].awaitsLogin = false
            return true
        }
        if !isOwn { note(call, "\(verb) \(user)") }
    }
}
