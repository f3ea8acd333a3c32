import Foundation
import Testing

@testable import NetKit

struct SystemThreadTests {
    @Test(.timeLimit(.minutes(1))) func runsTheClosure() async throws {
        let end = Promise<Int>()
        #expect(SystemThread.start("netkit.test") { end.resolve(.success(7)) })
        #expect(try await end.cancellableValue() == 7)
    }

    #if canImport(Glibc) || canImport(Musl)
        /// No machine has an address space for such a stack.
        @Test func saysThatThereIsNoThread() {
            #expect(!SystemThread.start("netkit.test", stackSize: 1 << 60) {})
        }

        /// Another library may write to a connection that the peer has closed.
        @Test(.timeLimit(.minutes(1))) func doesNotReceiveSIGPIPE() async throws {
            let isBlocked = Promise<Bool>()
            #expect(Self.startWithoutBlockedSignals(isBlocked))
            #expect(try await isBlocked.cancellableValue())
        }

        /// Starts a thread that says whether it has blocked SIGPIPE, and does not inherit that.
        private static func startWithoutBlockedSignals(_ isBlocked: Promise<Bool>) -> Bool {
            var none = sigset_t()
            var before = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            return SystemThread.start("netkit.test") {
                var own = sigset_t()
                pthread_sigmask(SIG_SETMASK, nil, &own)
                isBlocked.resolve(.success(sigismember(&own, SIGPIPE) == 1))
            }
        }
    #endif
}
