import Foundation

/// A body that is stored while it is passed to the caller: whole, or not at all.
///
/// A failure of the store never fails the body. While other calls wait for the same response, the body is read ahead of
/// its caller and outlives it, up to a bound. Otherwise a body that the caller does not read to its end is not stored.
final class SharedBody: ResponseBodySource {
    /// The result of storing the entry.
    enum End {
        case stored, refused, storeFailed
        /// No call wants the rest.
        case abandoned
    }

    /// The response for waiting calls, after the whole body has arrived.
    struct Sharing: Sendable {
        let flight: CacheFlight
        let flights: CacheFlights
        let clock: NetKitClock
        let landing: @Sendable (Data) -> CacheFlight.Landing
    }

    private struct State: ~Copyable {
        var writer: (any CacheWriter)?
        /// The chunks that the caller has not read yet.
        var unread = ChunkQueue()
        /// Whether a task is reading from the body.
        var isReading = false
        var end: Result<Void, any Error>?
        /// The promise of the caller while it waits for the reading task.
        var reader: Promise<Void>?
        /// The reason why the caller no longer reads.
        var cancelReason: (any Error)?
        var hasReader: Bool { cancelReason == nil }
        /// All chunks so far, while further calls can still join.
        var gathered: [Data]?
        var gatheredBytes = 0
        /// Whether other calls wait.
        var isAwaited = false
        /// The alarm that ends the wait of other calls for a body of unknown length.
        var alarm: ClockAlarm?
    }

    /// The next step of the caller.
    private enum Step {
        case give(Data)
        case wait(Promise<Void>, starts: Bool)
        case end(Result<Void, any Error>)
    }

    /// The maximum number of bytes that are kept while no call waits for them.
    private static let maxUnawaitedBytes = 1 << 20
    /// The longest time that other calls wait for a body of unknown length.
    private static let maxWait = Duration.seconds(5)

    private let body: ResponseBody
    private let sharing: Sharing?
    private let state: Locked<State>
    private let onEnd: @Sendable (End) async -> Void

    /// Creates a source that reads a body for a writer, if it is stored, and for waiting calls, if any can wait.
    ///
    /// `onEnd` receives the result for the entry; it is not called if the body itself fails.
    init(
        _ body: ResponseBody,
        writer: (any CacheWriter)?,
        sharing: Sharing?,
        onEnd: @escaping @Sendable (End) async -> Void
    ) {
        // From here on, only this source reads the body.
        _ = body.state.take()
        self.body = body
        self.sharing = sharing
        state = Locked(State(writer: writer, gathered: sharing == nil ? nil : []))
        self.onEnd = onEnd
    }

    deinit { cancel(CancellationError()) }

    var trailers: HTTPHeaders? { body.trailers }

    func next() async throws -> Data? {
        while true {
            switch nextStep() {
            case .give(let chunk): return chunk
            case .wait(let promise, let starts):
                // In a task of its own: the caller may leave while other calls wait for the rest.
                if starts { startReading() }
                try await withTaskCancellationHandler {
                    try await promise.value()
                } onCancel: {
                    cancel(CancellationError())
                }
            case .end(let result):
                try result.get()
                return nil
            }
        }
    }

    private func nextStep() -> Step {
        state.withLock { state in
            if let reason = state.cancelReason { return .end(.failure(reason)) }
            if let chunk = state.unread.popFirst() { return .give(chunk) }
            if let end = state.end { return .end(end) }
            let promise = Promise<Void>()
            state.reader = promise
            return .wait(promise, starts: !exchange(&state.isReading, with: true))
        }
    }

    func cancel(_ reason: any Error) {
        let (reader, isWanted) = state.withLock { state in
            state.cancelReason = state.cancelReason ?? reason
            state.unread.removeAll()
            return (state.reader.take(), state.isAwaited && state.end == nil)
        }
        reader?.resolve(.failure(reason))
        if !isWanted { abandon(reason) }
    }

    /// Reads ahead of the caller from now on, because other calls wait.
    func startReadingAhead() {
        let (isNew, starts) = state.withLock { state in
            guard state.gathered != nil, state.end == nil, !state.isAwaited else { return (false, false) }
            state.isAwaited = true
            return (true, !exchange(&state.isReading, with: true))
        }
        if isNew { limitWait() }
        if starts { startReading() }
    }

    /// Reads at the caller's pace again, because no other call waits any more.
    func stopReadingAhead() {
        let (alarm, isUnwanted) = state.withLock { state in
            defer { (state.alarm, state.isAwaited) = (nil, false) }
            return (state.alarm, !state.hasReader && state.end == nil)
        }
        alarm?.cancel()
        if isUnwanted { abandon(CancellationError()) }
    }

    /// Limits the time that other calls wait for a body of unknown length.
    private func limitWait() {
        guard body.length == nil, let sharing else { return }
        let alarm = sharing.clock.schedule(at: sharing.clock.now.advanced(by: Self.maxWait)) { [weak self] in
            self?.stopSharing(.unusable(isLasting: true))
        }
        let previous = state.withLock { state in
            guard state.isAwaited, state.end == nil else { return ClockAlarm?.some(alarm) }
            return exchange(&state.alarm, with: alarm)
        }
        previous?.cancel()
    }

    /// Reads a chunk, and more while other calls wait, in a task that ends with the body.
    private func startReading() {
        _ = startWithoutDeadline { [self] in
            repeat { await readChunk() } while endReading()
        }
    }

    /// Reads a chunk, for the caller and for the store.
    private func readChunk() async {
        do {
            if let chunk = try await body.state.next() {
                await append(chunk)
            } else {
                await finish()
            }
        } catch {
            takeWriter()?.abort()
            end(.failure(error), .unusable(isLasting: false))
        }
    }

    /// Wakes the caller, and returns whether reading continues because other calls wait.
    private func endReading() -> Bool {
        let (reader, goesOn) = state.withLock { state in
            let goesOn = state.isAwaited && state.end == nil
            state.isReading = goesOn
            return (state.reader.take(), goesOn)
        }
        reader?.resolve(.success(()))
        return goesOn
    }

    private func append(_ chunk: Data) async {
        let (writer, isGathering) = state.withLock { ($0.writer, $0.gathered != nil) }
        if let writer {
            do {
                try await writer.append(chunk)
            } catch {
                // Otherwise the body was abandoned meanwhile, and its end was reported.
                if let writer = takeWriter() {
                    writer.abort()
                    await onEnd(.storeFailed)
                }
            }
        }
        // Most bodies are no longer shared after the first mebibyte, and then reserve no room.
        let hasRoom = isGathering && sharing?.flights.reserve(chunk.count) == true
        if let landing = keep(chunk, hasRoom: hasRoom) { stopSharing(landing) }
    }

    /// Keeps a chunk for the caller and for other calls; returns the landing of the flight if there are too many bytes.
    private func keep(_ chunk: Data, hasRoom: Bool) -> CacheFlight.Landing? {
        let (landing, isKept) = state.withLock { state -> (CacheFlight.Landing?, Bool) in
            if state.hasReader { state.unread.append(chunk) }
            guard let sharing, state.gathered != nil else { return (nil, false) }
            guard hasRoom else { return (.unusable(isLasting: false), false) }
            let count = state.gatheredBytes + chunk.count
            if count > sharing.flights.maxBodyBytes { return (.unusable(isLasting: true), false) }
            if count > Self.maxUnawaitedBytes, !state.isAwaited { return (.abandoned, false) }
            state.gathered?.append(chunk)
            state.gatheredBytes = count
            return (nil, true)
        }
        if hasRoom, !isKept { sharing?.flights.release(chunk.count) }
        return landing
    }

    private func finish() async {
        if let writer = takeWriter() {
            do {
                await onEnd(try await writer.commit() ? .stored : .refused)
            } catch {
                writer.abort()
                await onEnd(.storeFailed)
            }
        }
        end(.success(()), nil)
    }

    /// Ends the body, and gives the kept chunks to the waiting calls if the body is whole.
    private func end(_ result: Result<Void, any Error>, _ landing: CacheFlight.Landing?) {
        let gathered = state.withLock { state in
            if state.end == nil { state.end = result }
            return state.gathered
        }
        guard let sharing else { return }
        stopSharing(landing ?? gathered.map { sharing.landing(Self.joined($0)) } ?? .unusable(isLasting: false))
    }

    private static func joined(_ chunks: [Data]) -> Data {
        guard chunks.count != 1 else { return Data(chunks[0]) }
        var data = Data(capacity: chunks.reduce(0) { $0 + $1.count })
        for chunk in chunks { data.append(chunk) }
        return data
    }

    /// Ends the flight, and keeps nothing more for other calls.
    private func stopSharing(_ landing: CacheFlight.Landing) {
        let (count, alarm, isUnwanted) = state.withLock { state in
            defer { (state.gathered, state.gatheredBytes, state.alarm, state.isAwaited) = (nil, 0, nil, false) }
            return (state.gatheredBytes, state.alarm, !state.hasReader && state.end == nil)
        }
        alarm?.cancel()
        sharing?.flights.release(count)
        sharing?.flight.land(landing)
        if isUnwanted { abandon(CancellationError()) }
    }

    /// Ends the body, which is no longer wanted.
    private func abandon(_ reason: any Error) {
        if let writer = takeWriter() {
            writer.abort()
            // A prompt store has finished before this returns.
            _ = startWithoutDeadline { [onEnd] in await onEnd(.abandoned) }
        }
        body.cancel(reason)
        end(.failure(reason), .abandoned)
    }

    private func takeWriter() -> (any CacheWriter)? {
        state.withLock { $0.writer.take() }
    }
}
