import Foundation
import NetKit
import NetKitTesting

/// A server that accepts each refresh token once, and records who used which.
final class RotatingServer: Sendable {
    private struct State {
        var number = 0
        /// How often each refresh token was used.
        var spent: [String: Int] = [:]
        /// The refresh tokens whose successor was lost with its process, and which are accepted once more.
        var excused: Set<String> = []
        var complaints: [String] = []
    }

    let life: Duration
    private let clock: NetKitClock
    private let state = Locked(State())

    init(_ clock: NetKitClock, life: Duration = .seconds(60)) {
        (self.clock, self.life) = (clock, life)
    }

    var number: Int { state.withLock { $0.number } }
    var complaints: [String] { state.withLock { $0.complaints } }

    /// The number of refresh tokens that were used more than once.
    var doubles: Int { state.withLock { $0.spent.values.count { $0 > 1 } } }

    /// Excuses the current token, because its holder has died.
    func excuse(_ token: AccessToken?) {
        state.withLock { _ = $0.excused.insert(token?.refreshToken ?? "") }
    }

    func renew(_ token: AccessToken?) throws -> AccessToken {
        let name = token?.refreshToken ?? ""
        let number = try state.withLock { state in
            state.spent[name, default: 0] += 1
            let isCurrent = name == (state.number == 0 ? "" : "r\(state.number)")
            guard isCurrent || state.excused.contains(name) else {
                state.complaints.append("\(name) was spent again, r\(state.number) is current")
                throw Self.invalidGrant
            }
            state.number += 1
            return state.number
        }
        return AccessToken("a\(number)", expiresIn: life, refreshToken: "r\(number)", clock: clock)
    }

    static var invalidGrant: NetKitError {
        let body = Data(#"{"error":"invalid_grant"}"#.utf8)
        let response = NetKitError.Response(status: .badRequest, headers: HTTPHeaders(), body: body)
        return NetKitError(.server, "invalid_grant", outcome: .answered, response: response)
    }
}
