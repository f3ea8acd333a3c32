import NetKit
import Observation
import Testing

/// A queue whose processing a test ends.
private final class QueueDouble: OfflineQueueReporting {
    struct Refused: Error {}

    let waiting = Shared(3)
    let begun: AsyncStream<Void>
    private let beginning: AsyncStream<Void>.Continuation
    private let ends: AsyncStream<Bool>
    private let ending: AsyncStream<Bool>.Continuation
    let reports: AsyncStream<OfflineQueueReport>
    private let reporting: AsyncStream<OfflineQueueReport>.Continuation

    init() {
        (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        (ends, ending) = AsyncStream.makeStream(of: Bool.self)
        (reports, reporting) = AsyncStream.makeStream(of: OfflineQueueReport.self)
    }

    func pendingCount() async -> Int { waiting.withLock { $0 } }

    func processQueue() async throws {
        beginning.yield()
        for await isDelivered in ends {
            if isDelivered { return }
            throw Refused()
        }
        throw CancellationError()
    }

    func end(_ isDelivered: Bool) { ending.yield(isDelivered) }

    func report(_ report: OfflineQueueReport) { reporting.yield(report) }
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct NetworkStateTests {
    private let monitor = ManualNetworkMonitor(isConnected: false)
    private let queue = QueueDouble()

    private func make() -> NetworkState {
        NetworkState(networkMonitor: monitor, offlineQueue: queue, texts: .english)
    }

    /// Waits until an observed condition is true.
    private func wait(_ condition: @MainActor () -> Bool) async throws {
        while true {
            let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
            let isTrue = withObservationTracking(condition) { continuation.finish() }
            if isTrue { return }
            for await _ in changes {}
            try Task.checkCancellation()
            // The change follows the call.
            await Task.yield()
        }
    }

    @Test func aNetworkIsAssumedUntilTheFirstStatus() async throws {
        let state = make()
        #expect(state.isConnected && !state.isSyncing && state.syncingItemsCount == 0)
        #expect(state.status == nil && state.bannerText == nil && state.syncText == nil)
        try await wait { !state.isConnected }
        #expect(state.bannerText == NetworkTexts.english.disconnected)
    }

    @Test func aReconnectProcessesTheQueue() async throws {
        let state = make()
        try await wait { !state.isConnected }
        monitor.set(isConnected: true)
        try await wait { state.syncingItemsCount == 3 }
        #expect(state.isConnected && state.isSyncing)
        #expect(state.syncText == "Sending 3 changes…")
        queue.report(OfflineQueueReport(pendingCount: 1, deadLetterCount: 1))
        try await wait { state.syncingItemsCount == 1 }
        #expect(state.syncText == "Sending 1 change…" && state.deadLetterCount == 1)
        queue.end(true)
        try await wait { !state.isSyncing }
        #expect(state.syncingItemsCount == 0 && state.syncText == nil && state.lastSyncError == nil)
    }

    @Test func anErrorIsKeptUntilTheNextSuccess() async throws {
        let state = make()
        try await wait { !state.isConnected }
        monitor.set(isConnected: true)
        try await wait { state.syncingItemsCount == 3 }
        queue.end(false)
        try await wait { !state.isSyncing }
        #expect(state.lastSyncError is QueueDouble.Refused)
        monitor.set(isConnected: false)
        try await wait { !state.isConnected }
        monitor.set(isConnected: true)
        try await wait { state.isSyncing }
        queue.end(true)
        try await wait { !state.isSyncing }
        #expect(state.lastSyncError == nil)
    }

    @Test func aReconnectDuringASyncStartsAnotherOne() async throws {
        let state = make()
        var begun = queue.begun.makeAsyncIterator()
        try await wait { !state.isConnected }
        monitor.set(isConnected: true)
        await begun.next()
        monitor.set(isConnected: false)
        try await wait { !state.isConnected }
        #expect(state.isSyncing)
        monitor.set(isConnected: true)
        try await wait { state.isConnected }
        queue.end(true)
        await begun.next()
        #expect(state.isSyncing)
        queue.end(true)
        try await wait { !state.isSyncing }
    }

    @Test func anEmptyQueueIsNotSent() async throws {
        queue.waiting.withLock { $0 = 0 }
        let state = make()
        try await wait { !state.isConnected }
        queue.report(OfflineQueueReport(pendingCount: 0, lastError: QueueDouble.Refused()))
        try await wait { state.lastSyncError != nil }
        monitor.set(isConnected: true)
        // Processing would wait for the test otherwise.
        try await wait { state.lastSyncError == nil && !state.isSyncing }
    }

    @Test func theFirstStatusIsNotAReconnect() async throws {
        monitor.set(isConnected: true)
        let state = make()
        try await wait { state.status != nil }
        await Task.yield()
        #expect(!state.isSyncing)
    }

    /// A monitor ends its updates when it is released.
    @Test func keepsItsMonitor() {
        weak var monitor: ManualNetworkMonitor?
        func makeState() -> NetworkState {
            let made = ManualNetworkMonitor(isConnected: false)
            monitor = made
            return NetworkState(networkMonitor: made)
        }
        let state = makeState()
        #expect(monitor != nil)
        withExtendedLifetime(state) {}
    }

    @Test func aReleasedStateEndsEvenDuringASync() async throws {
        var state: NetworkState? = make()
        weak let seen = state
        try await wait { state?.isConnected == false }
        monitor.set(isConnected: true)
        try await wait { state?.syncingItemsCount == 3 }
        state = nil
        #expect(seen == nil)
        // It stops reading the monitor and cancels the processing of the queue.
        while monitor.listenerCount > 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func aStateWithoutAQueueReportsTheNetwork() async throws {
        let state = NetworkState(networkMonitor: monitor)
        try await wait { !state.isConnected }
        monitor.set(NetworkStatus(.requiresLogin, .wifi))
        try await wait { state.status?.connectionType == .wifi }
        #expect(state.bannerText?.isEmpty == false)
        monitor.set(isConnected: true)
        try await wait { state.isConnected }
        #expect(!state.isSyncing && state.bannerText == nil)
    }

    @Test(arguments: [
        (["es-ES", "en"], "Sin conexión"), (["de-DE", "es"], "Sin conexión"), (["en-GB", "es"], "No connection"),
        (["fr"], "No connection"), ([], "No connection"), (["estonian"], "No connection"),
    ])
    func theFirstAvailableLanguageIsUsed(languages: [String], beginning: String) {
        #expect(NetworkTexts.preferred(languages).disconnected.hasPrefix(beginning))
    }

    @Test func textsArePluralisedAndReplaceable() {
        #expect(NetworkTexts.spanish.syncing(1) == "Enviando 1 cambio…")
        #expect(NetworkTexts.spanish.syncing(2) == "Enviando 2 cambios…")
        var texts = NetworkTexts.english
        texts.unreachable = "gone"
        #expect(texts.banner(for: NetworkStatus(.unreachable, .wifi)) == "gone")
        #expect(texts.banner(for: NetworkStatus(.connected, .wifi)) == nil)
    }
}
