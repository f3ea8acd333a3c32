import Foundation
import NetKit

/// The bytes of one response, with their limits.
final class SocketSource: ByteSource {
    private let connection: SocketConnection
    private let timeouts: Timeouts
    private let progress = Locked<(firstByteDue: ContinuousClock.Instant?, isAnswered: Bool)>((nil, false))

    init(connection: SocketConnection, timeouts: Timeouts) {
        self.connection = connection
        self.timeouts = timeouts
    }

    func noteSent() {
        let due = timeouts.firstByte.map { ContinuousClock.now + min($0, .seconds(1 << 32)) }
        progress.withLock { $0.firstByteDue = due }
    }

    func noteAnswered() {
        progress.withLock { $0.isAnswered = true }
    }

    func read() async throws -> Data? {
        let (due, isAnswered) = progress.withLock { $0 }
        let firstByte = due.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
        do {
            let data = try await connection.read(within: [firstByte, timeouts.idle].compactMap(\.self).min())
            progress.withLock { $0.firstByteDue = nil }
            return data
        } catch SocketConnection.Failure.timedOut {
            if let firstByte, firstByte < timeouts.idle ?? .seconds(1 << 32) {
                throw NetKitError(.timeout, "No first byte.", outcome: .unknown, timeoutPhase: .firstByte)
            }
            throw Self.idleTimeout(isAnswered ? .answered : .unknown)
        } catch is SocketConnection.Failure {
            let outcome: NetKitError.Outcome = isAnswered ? .answered : .unknown
            throw NetKitError(.connectionLost, "The connection broke.", outcome: outcome)
        }
    }

    static func idleTimeout(_ outcome: NetKitError.Outcome) -> NetKitError {
        NetKitError(.timeout, "Nothing moved.", outcome: outcome, timeoutPhase: .idle)
    }
}
