import Dispatch
import Foundation
import NetKit
import NetKitPostgres
import NetKitTesting

/// `netkit tour --database`: what the replicas of a service share, in a database of the tour's own.
final class DatabaseTour: TourOutput {
    /// A process that shares the database, or connections of its own in this process, which are the same to the others.
    struct Replica {
        let label: String
        let database: Postgres
    }

    let output: CommandOutput
    let style: TerminalStyle
    let postgres: TourPostgres
    let server: MockServer
    /// The child process that is killed.
    let child = Locked<Process?>(nil)

    /// The time limit, which also ends a tour that would otherwise wait forever.
    private static let limit = Duration.seconds(50)

    private init(output: CommandOutput, style: TerminalStyle) throws {
        (self.output, self.style) = (output, style)
        server = try MockServer()
        postgres = try TourPostgres()
    }

    static func run(output: CommandOutput, style: TerminalStyle) async throws -> ExitCode {
        let end = Promise<ExitCode>()
        // Control-C ends the tour, and its server and folder go as at its end.
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        if takesOver(SIGINT) { interrupt.setEventHandler { end.resolve(.success(.interrupted)) } }
        interrupt.resume()
        defer { interrupt.cancel() }
        let tour = try DatabaseTour(output: output, style: style)
        let work = Task {
            do {
                try await withDeadline(limit) { try await tour.show() }
                end.resolve(.success(.success))
            } catch {
                end.resolve(.failure(error))
            }
        }
        let result = await Result.catching { try await end.value() }
        work.cancel()
        tour.child.withLock { if let child = $0 { kill(child.processIdentifier, SIGKILL) } }
        tour.server.stop()
        tour.postgres.stop()
        let code = try result.get()
        if code == .interrupted {
            output.note("netkit tour: interrupted; the server and its folder are removed.")
        } else {
            tour.heading("The server is stopped, and its folder removed.")
        }
        return code
    }

    private func show() async throws {
        let database = try await open()
        let first = Replica(label: "A", database: database)
        let queue = try await openQueue(of: first)
        try await drainTogether(queue, first)
        try await takeOver(queue)
        try await enqueueInTransactions(queue, first)
        let second = Replica(label: "C", database: try await Postgres(postgres.url))
        try await oneRefresh([first, second])
        try await oneLimit([first, second])
        try await oneCache(first, second)
        try await figures(queue, first)
        await queue.queue.close()
        await second.database.close()
        await database.close()
    }

    // MARK: - The database

    private func open() async throws -> Postgres {
        heading("1. A database, and the schema in it")
        var untouched = Postgres.Configuration()
        untouched.migrations = .none
        let looking = try await connect(untouched)
        let version = looking.health.serverVersion ?? 0
        let folder = postgres.folder.path(percentEncoded: false)
        text("PostgreSQL \(version / 10_000).\(version % 10_000), on a socket in \(folder)")
        text("before: \(try await looking.schemaStatus())")
        await looking.close()
        let start = NetKitClock.system.now
        let database = try await Postgres(postgres.url)
        let time = start.duration(to: NetKitClock.system.now)
        success("The first process that opens it creates the schema: \(try await database.schemaStatus())")
        text("That took \(time.millisecondsText). Further processes find it, and older ones work beside newer ones.")
        return database
    }

    /// Connects as soon as the server accepts connections.
    private func connect(_ configuration: Postgres.Configuration) async throws -> Postgres {
        while true {
            do {
                return try await Postgres(postgres.url, configuration: configuration)
            } catch let error as NetKitError where error.code == .storeUnavailable {
                if let problem = postgres.problem {
                    throw NetKitError(.storeUnavailable, "The PostgreSQL server does not start: \(problem)")
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    // MARK: - What the server has received

    /// A request of a lane as the server received it: `/customer-1/5`.
    struct Received {
        let replica: String
        let lane: String
        let number: Int
        let key: String?
    }

    /// The requests of the lanes of customers, in the order of their arrival.
    var received: [Received] {
        server.requests.compactMap { request in
            let parts = request.path.split(separator: "/").map(String.init)
            guard parts.count == 2, parts[0].hasPrefix("customer-"), let number = Int(parts[1]) else { return nil }
            return Received(
                replica: request.headers["X-Replica"] ?? "",
                lane: parts[0],
                number: number,
                key: request.headers["Idempotency-Key"]
            )
        }
    }

    /// Waits until something holds; the limit of the tour ends the wait.
    func wait(until holds: () async throws -> Bool) async throws {
        while try await !holds() { try await Task.sleep(for: .milliseconds(10)) }
    }
}

/// The sender of a queue, whose requests say which process sends them.
struct TourSender: RequestSending {
    let label: String
    let client: HTTPClient

    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        var request = request
        request.headers["X-Replica"] = label
        return try await client.send(request, options: options)
    }
}

/// A queue of the tour with its store.
struct TourQueue {
    static let name = "orders"
    /// Short, so that the tour need not wait; a service has 15 seconds.
    static let lease = Duration.seconds(2)
    static let shards = 16

    let store: PostgresOutbox
    let queue: OfflineQueue

    init(_ label: String, _ database: Postgres, _ server: URL) async throws {
        store = database.outbox(Self.name, shards: Self.shards, lease: Self.lease)
        let client = HTTPClient(baseURL: server)
        queue = try await OfflineQueue(store: store, sender: TourSender(label: label, client: client))
    }
}

/// The child process that sends from the queue of the tour, until it is killed or the tour has ended.
struct TourReplicaProcess {
    let database: String
    let server: URL
    let output: CommandOutput

    func run() async throws {
        let database = try await Postgres(database)
        let queue = try await TourQueue("B", database, server)
        output.text("ready")
        await withCheckedContinuation { continuation in
            Thread {
                _ = FileHandle.standardInput.readDataToEndOfFile()
                continuation.resume()
            }
            .start()
        }
        // The tour is over, or the process that ran it: there may be no server anymore to close the queue with.
        withExtendedLifetime(queue) {}
    }
}
