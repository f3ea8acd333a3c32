import Foundation
import NetKit
import NetKitPostgres

/// `netkit queue`, which inspects an offline queue in a folder or a database, and changes single entries.
struct QueueCommand {
    let options: QueueOptions
    let output: CommandOutput

    func run() async throws -> ExitCode {
        if options.action == .verify { return try verify() }
        guard let url = options.database else { return try await run(in: QueueFolder(options.folder)) }
        let database = try await open(url)
        return try await finishing(
            { try await run(in: QueueInDatabase(options.queue, in: database)) },
            with: { await database.close() }
        )
    }

    /// Opens a database, whose schema has to be there.
    private func open(_ url: String) async throws -> Postgres {
        var configuration = Postgres.Configuration()
        (configuration.schema, configuration.migrations) = (options.schema, .check)
        do {
            return try await Postgres(url, configuration: configuration)
        } catch let error as NetKitError {
            // The advice of the error, to create the schema, would not bring the queue.
            guard (error.cause as? Postgres.MigrationNeeded)?.status.version == 0 else { throw error }
            let message = "The database has no schema \"\(options.schema)\"."
            throw NetKitError(.invalidConfiguration, "\(message) Name the one of the services with --schema.")
        }
    }

    private func run(in place: some QueuePlace) async throws -> ExitCode {
        if let omission = place.omission { output.note("netkit queue: \(omission)") }
        return switch options.action {
        case .list, .verify: try await list(place)
        case .show: try await show(place)
        case .export: try await export(place)
        case .retry, .remove: try await change(place)
        }
    }

    private func list(_ place: some QueuePlace) async throws -> ExitCode {
        let entries = try await place.entries()
        if options.showsJSON {
            output.text(try JSONText.text(of: entries.map(QueueEntryText.init)))
            return .success
        }
        for entry in entries { output.text(NetKitError.oneLine(QueueEntryText(entry).line, limit: .max)) }
        let counts = [OfflineEntry.State.waiting, .conflict, .deadLetter].map { state in
            "\(entries.count { $0.state == state }) \(state == .deadLetter ? "dead" : state.description)"
        }
        let count = entries.count
        output.note("\(count) \(count == 1 ? "entry" : "entries"): \(counts.joined(separator: ", "))")
        return .success
    }

    private func show(_ place: some QueuePlace) async throws -> ExitCode {
        let entry = try await chosen(in: place)
        guard let kept = try await place.load(entry.id)?.get() else {
            throw UnclearEntry(name: options.entry, count: 0)
        }
        let shown = QueueExport(entry, kept)
        if options.showsJSON {
            output.text(try JSONText.text(of: shown))
        } else {
            for (name, value) in shown.lines { output.text("\(name): \(value.forTerminal)") }
        }
        return .success
    }

    private func export(_ place: some QueuePlace) async throws -> ExitCode {
        var isWhole = place.omission == nil
        for entry in try await place.entries() {
            switch try await place.load(entry.id) {
            case .success(let kept)?: output.text(try JSONText.text(of: QueueExport(entry, kept)))
            case .failure(let error)?:
                output.note(NetKitError.oneLine("\(entry.id): \(error.message)", limit: .max))
                isWhole = false
            case nil: break
            }
        }
        return isWhole ? .success : .failure
    }

    private func verify() throws -> ExitCode {
        let folder = try OfflineFolder(options.folder)
        let report = QueueReport(folder)
        if options.showsJSON {
            output.text(try JSONText.text(of: report))
        } else {
            for line in report.lines { output.text(line.forTerminal) }
        }
        return report.isSound ? .success : .failure
    }

    private func change(_ place: some QueuePlace) async throws -> ExitCode {
        // Opening a queue creates missing files. This check keeps other folders as they are.
        let id = try await chosen(in: place).id
        let done: String
        if options.action == .retry {
            try await place.retry(id)
            done = "will be sent again"
        } else {
            done = try await place.remove(id) ? "was removed" : "is removed by the process that sends its lane"
        }
        output.text(options.showsJSON ? "{\"id\":\"\(id.uuidString)\"}" : "\(id) \(done)")
        return .success
    }

    /// Returns the only entry whose identifier begins as asked.
    private func chosen(in place: some QueuePlace) async throws -> OfflineEntry {
        let begin = options.entry?.uppercased() ?? ""
        let found = try await place.entries().filter { $0.id.uuidString.hasPrefix(begin) }
        guard let entry = found.first, found.count == 1 else {
            throw UnclearEntry(name: options.entry, count: found.count)
        }
        return entry
    }
}

/// The error that no entry, or more than one, has the given identifier.
private struct UnclearEntry: Error, CustomStringConvertible {
    let name: String?
    let count: Int

    var description: String {
        count == 0
            ? "there is no entry \"\(name ?? "")\". Run `netkit queue list` to see all."
            : "\(count) entries begin with \"\(name ?? "")\". Give more of the identifier."
    }
}
