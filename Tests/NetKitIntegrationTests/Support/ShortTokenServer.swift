import Foundation
import NetKit
import NetKitTesting

/// The token server, which issues short-lived tokens and writes down when.
final class ShortTokenServer: Sendable {
    struct State {
        var number = 0
        var times: [ContinuousClock.Instant] = []
        var complaints: [String] = []
    }

    private let server: MockServer
    private let life: Duration
    private let state = Locked(State())

    init(life: Duration) throws {
        (server, self.life) = (try MockServer(), life)
        server.on(.post, "/token") { [weak self] request in self?.renew(request.bodyText) ?? .status(503) }
    }

    var address: String { server.url("/").absoluteString }
    var report: State { state.withLock { $0 } }

    private func renew(_ spent: String) -> ServerReply {
        let number = state.withLock { state -> Int? in
            guard spent == (state.number == 0 ? "" : "r\(state.number)") else {
                state.complaints.append("\(spent) was spent while r\(state.number) was current")
                return nil
            }
            state.number += 1
            state.times.append(.now)
            return state.number
        }
        guard let number else { return .status(400) }
        let milliseconds = Int(life / .milliseconds(1))
        return .text(#"{"token":"a\#(number)","milliseconds":\#(milliseconds),"next":"r\#(number)"}"#)
    }
}
