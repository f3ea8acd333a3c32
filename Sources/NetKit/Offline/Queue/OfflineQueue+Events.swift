extension OfflineQueue {
    /// The events from now on; a listener that is too slow loses the oldest.
    ///
    /// A queue that is opened with a sender may send its entries before the initializer returns. To miss no event of
    /// these attempts, open it without a sender, and call ``attach(_:)`` after this property was read. If the store
    /// cannot be read at the opening, the first later try that fails as well is reported; ``storeProblem`` has the
    /// reason at once.
    public nonisolated var events: AsyncStream<OfflineEvent> { broadcast.stream() }

    /// The events of the client through which the queue sends, if it has a listener.
    var listeningHub: EventHub? {
        let hub = (sender.withLock { $0 } as? any EventHubOwning)?.eventHub
        return hub?.isHeard == true ? hub : nil
    }

    /// Whether an event reaches a listener.
    var isHeard: Bool { broadcast.listenerCount > 0 || listeningHub != nil }

    func emit(
        _ kind: OfflineEvent.Kind,
        _ entry: OfflineEntry? = nil,
        reason: String? = nil,
        with fields: (inout OfflineEvent) -> Void
    ) {
        var event = OfflineEvent(kind, entry, reason: reason)
        fields(&event)
        emit(event)
    }

    func emit(_ event: OfflineEvent) {
        if let entry = event.entry { reportAddition(of: entry) }
        listeningHub?.report(.queue, detail: event.description, label: event.kind.description)
        broadcast.note(event)
        broadcast.publish()
    }

    /// Reports an entry that is being added before its other events, which may come before the store has answered.
    func reportAddition(of entry: OfflineEntry) {
        guard isHeard, let request = work.takeUnreported(entry.id) else { return }
        emit(.enqueued, entry) { $0.endpoint = maskedEndpoint(of: request) }
    }
}

extension OfflineQueue: OfflineQueueReporting {
    /// The state of the queue now and after each change; a slow listener gets the latest.
    ///
    /// A state may be the same as the one before.
    public nonisolated var reports: AsyncStream<OfflineQueueReport> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: OfflineQueueReport.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        // Listening begins before the queue is asked: a change in between would otherwise be missed.
        let steps = steps.stream()
        let reporting = Task { [weak self] in
            if let report = await self?.report { continuation.yield(report) }
            for await _ in steps {
                guard let report = await self?.report else { break }
                continuation.yield(report)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in reporting.cancel() }
        return stream
    }

    private var report: OfflineQueueReport {
        get async {
            let tally = await tally
            return OfflineQueueReport(
                pendingCount: tally.pendingCount,
                deadLetterCount: tally.deadLetterCount,
                lastError: storeState.readProblem ?? lastError,
                waitingForIdentityCount: scheduler.identities.heldCount,
                identityNote: identityNote,
                quarantinedCount: quarantined.count
            )
        }
    }

    private var identityNote: String? {
        let count = scheduler.identities.temporaryCount
        guard count > 0 else { return nil }
        return
            "Without a persistent name, the logins of \(count.counting("entry", "entries")) are forgotten at a restart, "
            + "and the login of that time is used instead. Name each login with the parameter `identity:` of TokenStore."
    }
}

extension OfflineQueue: MetricSource {
    /// Returns the metrics of the store, the number of entries that this queue is sending, and what keeps it from
    /// sending others.
    public func metricSamples() async -> [MetricSample] {
        let samples = await store.metricSamples()
        let own = [
            ("active_entries", "Entries of offline queues that this process is sending.", work.sendingCount),
            ("connected", "Whether the queue assumes that there is a network: 1 or 0.", network.isConnected ? 1 : 0),
            ("identity_entries", "Entries that wait until the client has their identity.", waitingForIdentityCount),
            ("paused_lanes", "Paused lanes, of those that this process sends from.", pausedLanes.count),
            (
                "store_problem", "Whether the store, or an entry in it, cannot be read or written to: 1 or 0.",
                storeProblem == nil ? 0 : 1
            ),
        ]
        return samples
            + own.map { name, help, value in
                MetricSample("netkit_queue_\(name)", .gauge, help, value: Double(value))
            }
    }
}
