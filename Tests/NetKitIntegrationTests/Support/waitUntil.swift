/// Waits until a condition holds that no event reports. The test's time limit ends the wait.
///
/// It sleeps after a few rounds, because hundreds of tests wait at the same time.
func waitUntil(_ condition: () -> Bool) async throws {
    var rounds = 0
    while !condition() {
        try Task.checkCancellation()
        if rounds < 20 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(2)) }
        rounds += 1
    }
}
