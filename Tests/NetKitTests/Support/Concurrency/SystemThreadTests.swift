import Foundation
import Testing

@testable import NetKit

struct SystemThreadTests {
    @Test(.timeLimit(.minutes(5))) func runsTheClosure() async throws {
        let end = Promise<Int>()
        #expect(SystemThread.start("netkit.test") { end.resolve(.success(7)) })
        #expect(try await end.cancellableValue() == 7)
    }

    #if canImport(Glibc) || canImport(Musl)
        /// No machine has an address space for such a stack.
        @Test func saysThatThereIsNoThread() {
            #expect(!SystemThread.start("netkit.test", stackSize: 1 << 60) {})
        }

        /// Another library may write to a connection that the peer has closed, and a queue to a file that has the
        /// greatest size that the process may give it. A thread of the host waits for the others.
        @Test(.timeLimit(.minutes(5)), arguments: [SIGPIPE, SIGXFSZ, SIGTERM, SIGINT, SIGCHLD, SIGALRM])
        func doesNotReceive(signal: Int32) async throws {
            let isBlocked = Promise<Bool>()
            #expect(Self.startWithoutBlockedSignals(signal, isBlocked))
            #expect(try await isBlocked.cancellableValue())
        }

        @Test(.timeLimit(.minutes(5)), arguments: [SIGSEGV, SIGBUS, SIGPROF])
        func receivesTheSignal(ofAFaultOrAProfiler signal: Int32) async throws {
            let isBlocked = Promise<Bool>()
            #expect(Self.startWithoutBlockedSignals(signal, isBlocked))
            #expect(try await !isBlocked.cancellableValue())
        }

        @Test func leavesTheSignalsOfTheCallerAsTheyAre() {
            var before = sigset_t()
            var after = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &before)
            #expect(SystemThread.start("netkit.test") {})
            pthread_sigmask(SIG_SETMASK, nil, &after)
            #expect((1...31).allSatisfy { sigismember(&before, $0) == sigismember(&after, $0) })
        }

        /// Starts a thread that says whether it has blocked a signal, and does not inherit that.
        private static func startWithoutBlockedSignals(_ signal: Int32, _ isBlocked: Promise<Bool>) -> Bool {
            var none = sigset_t()
            var before = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            return SystemThread.start("netkit.test") {
                var own = sigset_t()
                pthread_sigmask(SIG_SETMASK, nil, &own)
                isBlocked.resolve(.success(sigismember(&own, signal) == 1))
            }
        }
    #endif
}
