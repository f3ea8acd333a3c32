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
    #endif
}
