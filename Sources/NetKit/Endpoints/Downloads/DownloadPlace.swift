import Foundation

/// The destination of a download: a named file, or a folder in which the response names the file.
struct DownloadPlace {
    /// The folder, with a slash at the end.
    let folder: String
    /// The name, if it was given.
    private let name: String?
    private let existingFile: DownloadRules.ExistingFile.Kind
    private let fileSystem: any FileSystem

    init(_ destination: URL, _ existingFile: DownloadRules.ExistingFile, _ fileSystem: any FileSystem)
        throws(NetKitError)
    {
        guard destination.isFileURL else { throw FileSaver.notAFile(destination, outcome: .notSent) }
        let path = destination.path(percentEncoded: false)
        let isFolder = destination.hasDirectoryPath || (try? fileSystem.status(of: path))?.kind == .directory
        if isFolder {
            folder = path.hasSuffix("/") ? path : path + "/"
            name = nil
        } else {
            let parent = destination.deletingLastPathComponent().path(percentEncoded: false)
            folder = parent.hasSuffix("/") ? parent : parent + "/"
            name = destination.lastPathComponent
        }
        try Self.check(folder, fileSystem)
        self.existingFile = existingFile.kind == .standard ? (isFolder ? .number : .replace) : existingFile.kind
        self.fileSystem = fileSystem
        guard let name else { return }
        switch self.existingFile {
        case .refuse where (try? fileSystem.status(of: folder + name)) != nil: throw isTaken(name, outcome: .notSent)
        case .replace: try fileSystem.checkReplaceable(folder + name, outcome: .notSent)
        default: break
        }
    }

    /// Throws if there is no such folder, before anything is requested.
    private static func check(_ folder: String, _ fileSystem: any FileSystem) throws(NetKitError) {
        do throws(FileError) {
            _ = try fileSystem.status(of: folder)
        } catch {
            if error.isMissing {
                throw NetKitError(.file, "The folder \"\(folder)\" does not exist. Create it first.", cause: error)
            }
            // Any other problem is reported when the file is created.
            guard error.code == ENOTDIR else { return }
            throw NetKitError(.file, "\"\(folder)\" is not a folder. Name one that exists.", cause: error)
        }
    }

    /// Moves a finished part to its place.
    ///
    /// A file that has appeared there is replaced only if the rules say so.
    func put(_ part: inout PartialFile, named responseName: String) throws(NetKitError) -> URL {
        let name = name ?? responseName
        if existingFile == .replace { try fileSystem.checkReplaceable(folder + name, outcome: .answered) }
        do throws(FileError) {
            if existingFile == .replace {
                try part.move(to: folder + name)
                return URL(fileURLWithPath: folder + name)
            }
            for number in 0..<(existingFile == .refuse ? 1 : 10_000) {
                let path = folder + (number == 0 ? name : SafeFileName.numbered(name, number))
                if try part.moveUnlessTaken(to: path) { return URL(fileURLWithPath: path) }
            }
        } catch {
            throw NetKitError(.file, error.explanation, outcome: .answered, cause: error)
        }
        throw isTaken(name, outcome: .answered)
    }

    private func isTaken(_ name: String, outcome: NetKitError.Outcome) -> NetKitError {
        let hint = "Name another one, or allow it to be replaced."
        return NetKitError(.file, "There is a file \"\(folder + name)\" already. \(hint)", outcome: outcome)
    }
}
