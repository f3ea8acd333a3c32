/// Waits until something has become true; for what has no event to wait for. The test's time limit ends it.
func waitUntil(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
