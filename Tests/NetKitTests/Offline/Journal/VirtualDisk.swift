import Foundation
import NetKitTesting

@testable import NetKit

/// A disk in memory that knows which of its content would survive a power cut.
final class VirtualDisk: DurableFileSystem {
    /// The content that a power cut leaves. It is unknown which of them a real disk leaves.
    enum Cut: Hashable, Sendable {
        /// Everything: only the process ended.
        case process
        /// Every name, and the synced part of contents.
        case names
        /// The synced contents. A synced file brings its own name along, and the earlier changes of its folder.
        case synced
        /// The synced contents. Names are kept only by syncing their folder.
        case strictlySynced
        /// Everything, except half of the last write to each file.
        case torn
        /// Any of the sectors that were written since the latest sync, and the first few of the changes of names since
        /// then.
        case scattered(names: Int, seed: UInt64)
    }

    /// The kinds of objects that can be synced.
    enum Sync: CaseIterable, Sendable {
        case data
        case file
        case folder
    }

    private struct Node {
        var live: [UInt8] = []
        var safe: [UInt8] = []
        /// The writes since the latest sync.
        var unsynced: [(offset: Int, bytes: [UInt8])] = []
        var isLocked = false
    }

    private enum Change {
        case add(String, Int)
        case remove(String)

        var path: String {
            switch self {
            case .add(let path, _), .remove(let path): path
            }
        }
    }

    private struct State {
        var nodes: [Int: Node] = [:]
        var names: [String: Int] = [:]
        var safeNames: [String: Int] = [:]
        /// The changes of names that are not safe yet, in order.
        var changes: [Change] = []
        var folders: Set<String> = []
        var open: [ObjectIdentifier: Int] = [:]
        var lastNode = 0
    }

    private let state: Locked<State>
    /// The objects that it reports as synced without having synced them.
    private let ignored: Sync?
    /// Called after each call that changes something.
    private let onChange: (@Sendable (VirtualDisk) -> Void)?

    init(
        _ files: [String: [UInt8]] = [:],
        ignoring ignored: Sync? = nil,
        onChange: (@Sendable (VirtualDisk) -> Void)? = nil
    ) {
        var state = State()
        for (path, bytes) in files {
            state.lastNode += 1
            state.nodes[state.lastNode] = Node(live: bytes, safe: bytes)
            state.names[path] = state.lastNode
            state.folders.insert(Self.folder(of: path))
        }
        state.safeNames = state.names
        self.state = Locked(state)
        self.ignored = ignored
        self.onChange = onChange
    }

    /// Every file with its content.
    var files: [String: [UInt8]] {
        state.withLock { state in state.names.mapValues { state.nodes[$0]?.live ?? [] } }
    }

    /// The distinct cuts now. The scattered ones take the numbers of names in turn, one for each seed.
    func cuts(seeds: Range<UInt64>) -> [Cut] {
        let (count, isSynced) = state.withLock { state in
            (state.changes.count + 1, state.nodes.values.allSatisfy(\.unsynced.isEmpty))
        }
        // Without any sectors to choose from, all seeds are alike.
        let different = isSynced ? seeds.prefix(count) : seeds[...]
        return [.process, .names, .synced, .strictlySynced, .torn]
            + different.map { .scattered(names: Int($0 % UInt64(count)), seed: $0) }
    }

    /// The files that are there after a power cut.
    func files(after cut: Cut) -> [String: [UInt8]] {
        state.withLock { state in
            var names = state.names
            var contents: [Int: [UInt8]] = [:]
            switch cut {
            case .process, .names, .torn: break
            case .strictlySynced: names = state.safeNames
            case .synced:
                names = state.safeNames
                for (index, change) in state.changes.enumerated() {
                    let isCarried = state.changes[index...].contains { later in
                        guard case .add(let path, let number) = later else { return false }
                        return Self.folder(of: path) == Self.folder(of: change.path)
                            && state.nodes[number]?.safe.isEmpty == false
                    }
                    if isCarried { Self.apply(change, to: &names) }
                }
            case .scattered(let count, let seed):
                names = state.safeNames
                for change in state.changes.prefix(count) { Self.apply(change, to: &names) }
                let random = RandomSource.seeded(seed)
                for (number, node) in state.nodes.sorted(by: { $0.key < $1.key }) where !node.unsynced.isEmpty {
                    contents[number] = Self.scatter(node, random)
                }
            }
            return names.mapValues { number in
                guard let node = state.nodes[number] else { return [] }
                switch cut {
                case .process: return node.live
                case .names, .synced, .strictlySynced: return node.safe
                case .scattered: return contents[number] ?? node.safe
                case .torn:
                    guard let last = node.unsynced.last else { return node.live }
                    return Array(node.live.prefix(last.offset + last.bytes.count / 2))
                }
            }
        }
    }

    private static let sector = 512

    /// The safe part of a file, and each sector that was written since with an even chance.
    private static func scatter(_ node: Node, _ random: RandomSource) -> [UInt8] {
        var content = node.safe
        for write in node.unsynced {
            var offset = write.offset
            let writeEnd = write.offset + write.bytes.count
            while offset < writeEnd {
                let end = min(writeEnd, (offset / sector + 1) * sector)
                if random.next() >> 63 == 1 {
                    if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
                    content.replaceSubrange(
                        offset..<end,
                        with: write.bytes[(offset - write.offset)..<(end - write.offset)]
                    )
                }
                offset = end
            }
        }
        return content
    }

    private static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }

    private static func apply(_ change: Change, to names: inout [String: Int]) {
        switch change {
        case .add(let path, let number): names[path] = number
        case .remove(let path): names[path] = nil
        }
    }

    private func missing(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, path: path, code: 2, reason: "it is not there")
    }

    private func changing(_ body: (inout State) -> FileError?) throws(FileError) {
        let error = state.withLock { state in body(&state) }
        onChange?(self)
        if let error { throw error }
    }

    private func node(_ file: OpenFile, _ state: State) -> Int { state.open[ObjectIdentifier(file)] ?? 0 }

    // MARK: Files

    func status(of path: String) throws(FileError) -> FileStatus {
        let found = state.withLock { state -> FileStatus? in
            if state.folders.contains(path) { return FileStatus(kind: .directory, size: 0) }
            return state.names[path].map {
                FileStatus(kind: .regular, size: Int64(state.nodes[$0]?.live.count ?? 0))
            }
        }
        guard let found else { throw missing("look at", path) }
        return found
    }

    func status(of file: OpenFile) throws(FileError) -> FileStatus { try status(of: file.path) }

    func openForReading(_ path: String) throws(FileError) -> OpenFile {
        try openForUpdate(path, creating: nil)
    }

    func openForUpdate(_ path: String, creating permissions: UInt32?) throws(FileError) -> OpenFile {
        let file = OpenFile(descriptor: -1, path: path)
        let isNew = state.withLock { state in
            if let number = state.names[path] { state.open[ObjectIdentifier(file)] = number }
            return state.names[path] == nil
        }
        guard isNew else { return file }
        guard permissions != nil else { throw missing("open", path) }
        try changing { state in
            state.lastNode += 1
            state.nodes[state.lastNode] = Node()
            state.names[path] = state.lastNode
            state.changes.append(.add(path, state.lastNode))
            state.open[ObjectIdentifier(file)] = state.lastNode
            return nil
        }
        return file
    }

    func create(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        try openForUpdate(path, creating: permissions)
    }

    func read(
        _ file: OpenFile,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileError) -> Int {
        state.withLock { state in
            let bytes = state.nodes[node(file, state)]?.live.dropFirst(Int(offset)).prefix(buffer.count) ?? []
            buffer.copyBytes(from: bytes)
            return bytes.count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64?) throws(FileError) -> Int {
        try changing { state in
            let number = node(file, state)
            var live = state.nodes[number]?.live ?? []
            let start = offset.map { Int($0) } ?? live.count
            let range = start..<start + bytes.count
            if live.count < range.upperBound {
                live += [UInt8](repeating: 0, count: range.upperBound - live.count)
            }
            live.replaceSubrange(range, with: bytes)
            state.nodes[number]?.live = live
            state.nodes[number]?.unsynced.append((range.lowerBound, Array(bytes)))
            return nil
        }
        return bytes.count
    }

    func openForAppending(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        try openForUpdate(path, creating: permissions)
    }

    func truncate(_ file: OpenFile) throws(FileError) {
        try changing { state in
            let number = node(file, state)
            state.nodes[number]?.live = []
            return nil
        }
    }

    func sync(_ file: OpenFile) throws(FileError) { try makeSafe(file, .file) }

    func syncData(_ file: OpenFile) throws(FileError) { try makeSafe(file, .data) }

    private func makeSafe(_ file: OpenFile, _ sync: Sync) throws(FileError) {
        try changing { state in
            guard sync != ignored else { return nil }
            let number = node(file, state)
            guard var node = state.nodes[number] else { return missing("sync", file.path) }
            node.safe = node.live
            node.unsynced = []
            state.nodes[number] = node
            return nil
        }
    }

    // MARK: Names

    func rename(_ source: String, to destination: String) throws(FileError) {
        try changing { state in
            guard let number = state.names.removeValue(forKey: source) else { return missing("rename", source) }
            state.names[destination] = number
            state.changes += [.remove(source), .add(destination, number)]
            return nil
        }
    }

    func remove(_ path: String) throws(FileError) {
        guard state.withLock({ $0.names[path] != nil }) else { return }
        try changing { state in
            state.names[path] = nil
            state.changes.append(.remove(path))
            return nil
        }
    }

    func link(_ source: String, to destination: String) throws(FileError) {
        try changing { state in
            guard let number = state.names[source] else { return missing("link", source) }
            state.names[destination] = number
            state.changes.append(.add(destination, number))
            return nil
        }
    }

    func syncFolder(_ path: String) throws(FileError) {
        try changing { state in
            guard ignored != .folder else { return nil }
            for change in state.changes where Self.folder(of: change.path) == path {
                Self.apply(change, to: &state.safeNames)
            }
            state.changes.removeAll { Self.folder(of: $0.path) == path }
            return nil
        }
    }

    func status(ofLink path: String) throws(FileError) -> FileStatus { try status(of: path) }

    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(FileError) {}

    func isFile(_ file: OpenFile, at path: String) throws(FileError) -> Bool {
        state.withLock { state in state.names[path] == state.open[ObjectIdentifier(file)] }
    }

    func names(inFolder path: String) throws(FileError) -> [String] {
        let names = state.withLock { state in
            state.names.keys.filter { Self.folder(of: $0) == path }.map { ($0 as NSString).lastPathComponent }
        }
        return names.sorted()
    }

    func makeFolder(_ path: String) throws(FileError) -> Bool {
        state.withLock { $0.folders.insert(path).inserted }
    }

    func tryLock(_ file: OpenFile) throws(FileError) -> Bool {
        state.withLock { state in
            let number = node(file, state)
            defer { state.nodes[number]?.isLocked = true }
            return state.nodes[number]?.isLocked == false
        }
    }

    func unlock(_ file: OpenFile) {
        state.withLock { state in
            let number = node(file, state)
            state.nodes[number]?.isLocked = false
        }
    }

    func isRemote(_ path: String) throws(FileError) -> Bool { false }
}
