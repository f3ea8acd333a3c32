import Foundation
import NetKit
import NetKitPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A replica that sends from a queue until its process ends.
struct OutboxReplicaJob: ChildJob {
    static let name = "outbox-replica"

    let url: String
    let queue: String

    func run() async throws -> Bool {
        let database = try await Postgres(url)
        let queue = try await NotingSender().queue(database.outbox(queue))
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
        await queue.close()
        return true
    }
}

/// A process that runs a job until it is ended.
final class ReplicaProcess {
    private let process: Process
    private let input = Pipe()

    init(_ job: some ChildJob) throws {
        let payload = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
        process = try ChildProcess.make(["_job", type(of: job).name, payload])
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        try process.runWithSignals()
    }

    /// Ends the process with a signal, and waits for its end.
    func end(_ signal: Int32) {
        guard process.isRunning else { return }
        _ = kill(process.processIdentifier, signal)
        process.waitUntilExit()
    }
}
