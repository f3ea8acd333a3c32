import Foundation
import NetKit

/// `netkit queue`, which inspects the folder of an offline queue and changes single entries.
struct QueueCommand {
    let options: QueueOptions
    let output: CommandOutput

    func run() async throws -> ExitCode {
        switch options.action {
        case .list: return try list()
        case .show: return try show()
        case .export: return try export()
        case .verify: return try verify()
        case .retry, .remove: return try await change()
        }
    }

    private func list() throws -> ExitCode {
        let folder = try OfflineFolder(options.folder)
        if options.showsJSON {
            output.text(try json(folder.entries.map(QueueEntryText.init)))
            return .success
        }
        for entry in folder.entries { output.text(QueueEntryText(entry).line) }
        let counts = [OfflineEntry.State.waiting, .conflict, .deadLetter].map { state in
            "\(folder.entries.count { $0.state == state }) \(state == .deadLetter ? "dead" : state.description)"
        }
        let count = folder.entries.count
        output.note("\(count) \(count == 1 ? "entry" : "entries"): \(counts.joined(separator: ", "))")
        return .success
    }

    private func show() throws -> ExitCode {
        let folder = try OfflineFolder(options.folder)
        let entry = try chosen(in: folder)
        guard let kept = try folder.load(entry.id) else { throw UnclearEntry(name: options.entry, count: 0) }
        let shown = QueueExport(entry, kept)
        if options.showsJSON {
            output.text(try json(shown))
        } else {
            for (name, value) in shown.lines { output.text("\(name): \(value)") }
        }
        return .success
    }

    private func export() throws -> ExitCode {
        let folder = try OfflineFolder(options.folder)
        for entry in folder.entries {
            guard let kept = try folder.load(entry.id) else { continue }
            output.text(try json(QueueExport(entry, kept)))
        }
        return .success
    }

    private func verify() throws -> ExitCode {
        let folder = try OfflineFolder(options.folder)
        let report = QueueReport(folder)
        if options.showsJSON {
            output.text(try json(report))
        } else {
            for line in report.lines { output.text(line) }
        }
        return report.isSound ? .success : .failure
    }

    private func change() async throws -> ExitCode {
        // Opening a queue creates missing files. This check keeps other folders as they are.
        let id = try chosen(in: OfflineFolder(options.folder)).id
        let queue = try await OfflineQueue(directory: options.folder)
        let result: Result<Void, any Error>
        do {
            if options.action == .retry { try await queue.retry(id) } else { try await queue.remove(id) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await queue.close()
        try result.get()
        let done = options.action == .retry ? "will be sent again" : "was removed"
        output.text(options.showsJSON ? "{\"id\":\"\(id.uuidString)\"}" : "\(id) \(done)")
        return .success
    }

    /// Returns the only entry whose identifier begins as asked.
    private func chosen(in folder: OfflineFolder) throws -> OfflineEntry {
        let begin = options.entry?.uppercased() ?? ""
        let found = folder.entries.filter { $0.id.uuidString.hasPrefix(begin) }
        guard let entry = found.first, found.count == 1 else {
            throw UnclearEntry(name: options.entry, count: found.count)
        }
        return entry
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// The error that no entry, or more than one, has the name that was given.
private struct UnclearEntry: Error, CustomStringConvertible {
    let name: String?
    let count: Int

    var description: String {
        count == 0
            ? "there is no entry \"\(name ?? "")\". Run `netkit queue list` to see all."
            : "\(count) entries begin with \"\(name ?? "")\". Give more of the identifier."
    }
}
