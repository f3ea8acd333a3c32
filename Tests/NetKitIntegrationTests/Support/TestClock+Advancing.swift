import NetKitTesting

extension TestClock {
    /// Advances the clock in steps, with real time for statements and tasks after each, until a condition holds.
    ///
    /// Limits on the clock have to be hundreds of steps long, so that they do not end statements on a busy machine.
    func advance(inStepsOf step: Duration, until condition: () -> Bool) async throws {
        while !condition() {
            advance(by: step)
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
