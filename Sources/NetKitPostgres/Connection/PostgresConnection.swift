import CNetKitPostgres
import NetKit

/// One connection of libpq and its unfinished statements; only the loop's thread touches it.
final class PostgresConnection {
    /// A statement that was handed to libpq.
    struct Flight {
        var job: PostgresJob
        /// Whether its caller no longer waits for it.
        var isAbandoned = false
        /// Whether the cancellation of an earlier statement may hit it.
        fileprivate(set) var mayBeHit = false
        /// Its latest result so far.
        fileprivate var result: Result<Rows, PostgresFailure>?
    }

    /// Something that was read.
    enum Reading {
        case finished(Flight, Result<Rows, PostgresFailure>)
        case notice(channel: String, payload: String)
    }

    let library: PostgresLibrary
    private(set) var inFlight: [Flight] = []
    private(set) var wantsReading = true
    private(set) var wantsWriting = true
    /// The failure after which the connection takes no further statement, and is abandoned once it has none.
    private(set) var retirement: PostgresFailure?
    /// Whether a cancellation may hit the next statement.
    private var isNextAtRisk = false
    private let pointer: OpaquePointer
    /// The latest notice, with which the server says why it ends a connection without a statement.
    private let notice: UnsafeMutablePointer<CChar>
    private let usesPipeline: Bool
    /// Whether the connection is open, or was.
    private var wasOpened = false
    private var isInPipeline = false
    private var api: nk_pg_api { library.functions.pointee }

    /// Begins to connect to a target.
    init(_ parameters: [(String, String)], _ library: PostgresLibrary) throws(PostgresFailure) {
        guard let pointer = library.start(parameters) else { throw PostgresFailure.noMemory }
        self.library = library
        self.pointer = pointer
        usesPipeline = library.hasPipelines
        notice = .allocate(capacity: Int(NK_PG_NOTICE_SIZE))
        notice.initialize(to: 0)
        nk_pg_keep_notice(library.functions, pointer, notice)
        // A refused connection and a notice have no fields, and their text only has the SQLSTATE with this.
        _ = api.setErrorVerbosity(pointer, Int32(NK_PG_ERRORS_VERBOSE))
        if api.status(pointer) == Int32(NK_PG_CONNECTION_BAD) { throw failure }
        _ = api.setnonblocking(pointer, 1)
    }

    deinit {
        api.finish(pointer)
        notice.deallocate()
    }

    var descriptor: Int32 { api.socket(pointer) }
    var processID: Int32 { api.backendPID(pointer) }
    var serverVersion: Int { Int(api.serverVersion(pointer)) }

    private var failure: PostgresFailure {
        let reason = PostgresFailure(lostConnection: String(cString: notice))
        if wasOpened, reason.isShutdown { return reason }
        let text = api.errorMessage(pointer).map { String(cString: $0) } ?? ""
        return wasOpened ? PostgresFailure(lostConnection: text) : PostgresFailure(connection: text)
    }

    /// Performs the next step of connecting.
    ///
    /// - Returns: `true` once the connection is open.
    func connectFurther() throws(PostgresFailure) -> Bool {
        switch api.connectPoll(pointer) {
        case Int32(NK_PG_POLLING_OK):
            (wantsReading, wantsWriting) = (true, false)
            wasOpened = true
            guard api.setnonblocking(pointer, 1) == 0 else { throw failure }
            try setPipeline(usesPipeline)
            return true
        case Int32(NK_PG_POLLING_READING): (wantsReading, wantsWriting) = (true, false)
        case Int32(NK_PG_POLLING_WRITING): (wantsReading, wantsWriting) = (false, true)
        default: throw failure
        }
        return false
    }

    private func setPipeline(_ isWanted: Bool) throws(PostgresFailure) {
        guard isWanted != isInPipeline, let enter = api.enterPipelineMode, let exit = api.exitPipelineMode else {
            return
        }
        guard (isWanted ? enter : exit)(pointer) == 1 else { throw failure }
        isInPipeline = isWanted
    }

    /// Hands a statement to libpq; if that fails, the server has not seen it.
    ///
    /// While the server is asked to cancel an earlier one, the cancellation may hit any statement.
    func send(_ job: PostgresJob, isCancelling: Bool) throws(PostgresFailure) {
        // Reads first what has arrived meanwhile, such as the end of the connection.
        if inFlight.isEmpty {
            guard api.consumeInput(pointer) == 1, api.status(pointer) == Int32(NK_PG_CONNECTION_OK) else {
                throw failure
            }
        }
        try setPipeline(usesPipeline && !job.isScript)
        let isSent = job.isScript ? api.sendQuery(pointer, job.text) == 1 : sendParameters(job)
        guard isSent else { throw failure }
        if isInPipeline { _ = api.pipelineSync?(pointer) }
        inFlight.append(Flight(job: job, mayBeHit: isNextAtRisk))
        // With a pooler, a cancellation can arrive a little late.
        if !isCancelling { isNextAtRisk = false }
        flush()
    }

    private func sendParameters(_ job: PostgresJob) -> Bool {
        let parameters = job.parameters
        // Every value in one block, so that none moves while libpq copies it.
        var block: [UInt8] = []
        block.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        var offsets: [Int?] = []
        for parameter in parameters {
            offsets.append(parameter.bytes == nil ? nil : block.count)
            if let bytes = parameter.bytes { block += bytes }
        }
        block.append(0)
        let lengths = parameters.map { Int32(clamping: $0.bytes?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        return block.withUnsafeBytes { block in
            let start = block.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return api.sendQueryParams(
                pointer,
                job.text,
                Int32(clamping: parameters.count),
                parameters.map(\.type),
                values,
                lengths,
                formats,
                1
            ) == 1
        }
    }

    /// Sends the remaining bytes.
    private func flush() {
        // A failure comes up again when something is read.
        wantsWriting = api.flush(pointer) == 1
    }

    /// Reads the bytes that have arrived, and sends the remaining ones.
    ///
    /// If the connection is lost, `take` has received all that was read before.
    func work(_ take: (Reading) -> Void) throws(PostgresFailure) {
        let isAlive = api.consumeInput(pointer) == 1
        if isAlive { flush() }
        try readResults(take)
        // Bytes that are left in the layer of TLS do not make the socket readable.
        if isAlive, !inFlight.isEmpty, api.isBusy(pointer) != 0, api.consumeInput(pointer) == 1 {
            try readResults(take)
        }
        while let notice = api.notifies(pointer) {
            let (channel, payload) = (String(cString: notice.pointee.channel), String(cString: notice.pointee.payload))
            api.freemem(notice)
            take(.notice(channel: channel, payload: payload))
        }
        guard isAlive, api.status(pointer) == Int32(NK_PG_CONNECTION_OK) else { throw failure }
        if let retirement, inFlight.isEmpty { throw retirement }
    }

    private func readResults(_ take: (Reading) -> Void) throws(PostgresFailure) {
        var emptyCount = 0
        while !inFlight.isEmpty, api.isBusy(pointer) == 0 {
            guard let result = api.getResult(pointer) else {
                // In a pipeline, one separates the results of a statement from its synchronization.
                emptyCount += 1
                if !isInPipeline { try finishFirst(take) } else if emptyCount > 1 { throw failure }
                continue
            }
            emptyCount = 0
            switch api.resultStatus(result) {
            case Int32(NK_PG_RESULT_PIPELINE_SYNC):
                api.clear(result)
                try finishFirst(take)
            case Int32(NK_PG_RESULT_TUPLES), Int32(NK_PG_RESULT_COMMAND):
                let rows = Rows(result, library)
                if case .failure? = inFlight[0].result { continue }
                inFlight[0].result = .success(rows)
            default:
                let problem = PostgresFailure(result, library)
                api.clear(result)
                // The connection ended, or the server ends it.
                if problem.isFatal { throw problem }
                // No new connection would be made to the server, and another one may be the primary by now.
                if problem.isReadOnly { retirement = problem }
                inFlight[0].result = .failure(problem)
            }
        }
    }

    private func finishFirst(_ take: (Reading) -> Void) throws(PostgresFailure) {
        // The result may follow, and would be taken for that of the next statement.
        guard let result = inFlight[0].result else { throw PostgresFailure(lostConnection: "there was no result") }
        take(.finished(inFlight.removeFirst(), result))
    }

    /// Notes that the callers of some statements no longer wait.
    ///
    /// - Returns: Those statements.
    func abandon(where isAffected: (PostgresJob) -> Bool) -> [PostgresJob] {
        var abandoned: [PostgresJob] = []
        for index in inFlight.indices where !inFlight[index].isAbandoned && isAffected(inFlight[index].job) {
            inFlight[index].isAbandoned = true
            abandoned.append(inFlight[index].job)
        }
        return abandoned
    }

    /// Removes and returns all statements in flight, because the connection is abandoned.
    func takeInFlight() -> [Flight] { exchange(&inFlight, with: []) }

    /// Returns a closure that asks the server to cancel the running statement; it waits for the server, so it has to be
    /// called on another thread.
    func cancellation() -> (@Sendable () -> Void)? {
        guard let cancel = api.getCancel(pointer) else { return nil }
        isNextAtRisk = true
        for index in inFlight.indices { inFlight[index].mayBeHit = true }
        let request = CancelRequest(pointer: cancel, library: library)
        return { request.send() }
    }
}

/// A request to cancel a statement.
///
/// `@unchecked Sendable` because of its C pointer, which libpq lets any thread use; its owner, the closure, frees it.
private final class CancelRequest: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let library: PostgresLibrary

    init(pointer: OpaquePointer, library: PostgresLibrary) {
        (self.pointer, self.library) = (pointer, library)
    }

    func send() {
        var problem = [CChar](repeating: 0, count: 256)
        _ = library.functions.pointee.cancel(pointer, &problem, Int32(problem.count))
    }

    deinit { library.functions.pointee.freeCancel(pointer) }
}
