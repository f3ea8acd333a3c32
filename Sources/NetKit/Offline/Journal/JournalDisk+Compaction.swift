import Foundation

extension JournalDisk {
    /// Writes everything anew once more than half of it is superseded, so that each byte is copied about once.
    func compactIfWorthIt() {
        guard isOpen else { return }
        let live = shared.index.withLock { $0.liveBytes }
        guard writtenBytes - live > max(settings.garbage, live) else { return }
        // Tried again when as much has been superseded once more.
        do { try compact() } catch { writtenBytes = shared.index.withLock { $0.liveBytes } }
    }

    /// Writes every entry into one new segment, which replaces all others.
    func compact() throws(FileError) {
        let index = shared.index.withLock { $0 }
        let number = nextNumber
        let name = JournalSegment.name(number)
        var copier = JournalCopier(fileSystem: fileSystem)
        let base = JournalLine(.base(upTo: number - 1, count: index.recordCount))
        let sequence = nextSequence
        let file = try replaceFile(name) { file throws(FileError) in
            copier.begin(file)
            copier.add(base, sequence: sequence)
            for slot in index.slots.values.orderedByNumber(\.entry.position) {
                try copier.add(slot)
            }
            for place in index.opaque { try copier.add(opaque: place) }
            try copier.flush()
        }
        nextSequence += 1
        nextNumber += 1
        let segment = JournalSegment(number: number, file: file)
        shared.index.withLock { index in
            for (id, put, state) in copier.moved(to: segment) { index.move(id, put: put, state: state) }
            index.moveOpaque(copier.movedOpaque(to: segment))
        }
        let old = segments
        segments = [segment]
        active = nil
        writtenBytes = copier.written
        // From here on the new segment counts. The old ones go once its name is safe; what stays because this fails is
        // obsolete by the new segment's first record, and goes at the next opening.
        try syncFolderIfNeeded()
        try note(segment: number)
        for segment in old { try? fileSystem.remove(path(segment.name)) }
        try? fileSystem.syncFolder(folder)
    }
}
