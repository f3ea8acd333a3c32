import Foundation

/// One download: its exchanges, its partial file, and the move to the destination.
final class DownloadRun {
    let sender: any RequestSending
    let request: HTTPRequest
    let options: CallOptions
    let rules: DownloadRules
    private let maxBytes: Int64
    let place: DownloadPlace
    private let settings: PayloadSettings
    /// The deadline of the whole download; `nil` if it has none of its own.
    private let deadline: InheritedDeadline.Value?
    /// Whether the part of an earlier call is certainly one of the same login, or of none.
    private let isPartOfLogin: Bool
    private var part: PartialFile
    private var digest: SHA256?
    /// Whether the rest can be requested if the transfer breaks off.
    private var canResume = false
    private var resumedFrom: Int64 = 0
    /// The number of interrupted attempts since bytes of a rest last arrived, and the current attempt.
    private var attempts = 1
    /// The delay before the last attempt.
    private var previousDelay: Duration?
    private var sendCount = 0
    private var didRestart = false
    /// Whether the server's ranges, the size or the digest are wrong, so that the part is of no use.
    private var isWrong = false

    init(
        sender: any RequestSending,
        request: HTTPRequest,
        destination: URL,
        rules: DownloadRules,
        maxBytes: Int64 = .max,
        options: CallOptions,
        fileSystem: any FileSystem = SystemFileSystem()
    ) throws {
        self.sender = sender
        // All exchanges and pauses of the download have one identifier and one identity, as a single call has.
        var options = options.inSequence()
        options.id = options.id ?? CallID()
        self.options = options
        self.rules = rules
        self.maxBytes = maxBytes
        let settings = sender.payloadSettings
        self.settings = settings
        let total = options.timeouts.map(\.total) ?? settings.totalTimeout
        deadline = CallLimit.shortest(timeout: options.timeout, total: total)
            .map { InheritedDeadline.Value($0, from: settings.clock.now, on: settings.clock) }
        do throws(NetKitError) {
            place = try DownloadPlace(destination, rules.existingFile, fileSystem)
        } catch {
            throw error.attaching(requestLine: Self.line(of: request, settings), attempts: 0)
        }
        var request = request
        // A range counts the bytes on the wire. With a content coding, they would differ from those of the file.
        request.headers.addIfMissing("Accept-Encoding", "identity")
        self.request = request
        // The whole URL, because two clients may know different servers by the same path.
        let url = settings.resolved(request).url.absoluteString
        var key = "\(url)\n\(destination.absoluteString)"
        let knowing = sender as? any IdentityKnowing
        // A sender that passes requests on to a client does not say whose they are.
        let identity = knowing?.identity(of: request, options: options)
        var isNamed = identity == .anonymous
        if case .known(let login)? = identity, login.isLasting {
            key += "\n\(login.name)"
            isNamed = true
        }
        // A sensitive field is a credential too, of which only the server knows whose it is.
        let redaction = knowing?.redaction ?? .standard
        isPartOfLogin =
            isNamed && knowing?.mayAddUnnamedSecrets == false
            && !request.headers.contains { redaction.isSensitive(header: $0.name) }
        // No other call finds the part, because it would trust its date.
        if !isPartOfLogin { key = "\n\(key)" }
        // A client certificate is a login as well, and another address may be that of another server.
        if let name = knowing?.transportIdentity { key = "\(name.utf8.count):\(name)\n\(key)" }
        part = PartialFile(
            folder: place.folder,
            key: rules.isResumable ? key : nil,
            fileSystem: fileSystem,
            random: settings.random
        )
    }

    /// Returns the method and URL of a request that is not sent.
    ///
    /// The query is left out, because the client's rules for secrets in it are not known here.
    private static func line(of request: HTTPRequest, _ settings: PayloadSettings) -> String {
        "\(request.method) \(Redaction.withoutQuery(settings.resolved(request).targetForMessage))"
    }

    /// Runs the download.
    ///
    /// It leaves nothing but the file, or a part of it that can be resumed, which may be complete.
    func run() async throws -> DownloadedFile {
        do {
            if rules.expectedSHA256 != nil { digest = SHA256() }
            try part.reopen()
            // An ETag stands for the bytes, but a date may be that of another user's file.
            if !isPartOfLogin, part.note?.hasETag == false { try part.restart() }
            if part.note != nil, part.size > 0 {
                canResume = true
                resumedFrom = part.size
                if digest != nil { try part.read { self.digest?.add($0) } }
            }
            while true {
                do {
                    let response = try await exchange()
                    if let response { return try finish(response) }
                } catch {
                    try await prepareToResume(after: error)
                }
            }
        } catch {
            let isUseful = rules.isResumable && canResume && part.size > 0 && !isWrong
            if !isUseful || (try? part.confirmWrites()) == nil { part.remove() }
            let outward = ErrorBoundary.outward(error, outcome: sendCount > 0 ? .answered : .notSent)
            guard sendCount == 0, let refusal = outward as? NetKitError else { throw outward }
            throw refusal.attaching(requestLine: Self.line(of: request, settings), attempts: 0)
        }
    }

    /// Whether the rest of the file can be requested: all of it if no byte has arrived.
    private var hasRest: Bool { canResume && part.size < part.note?.total ?? 0 }

    /// Waits before the rest is requested, or throws the error of the transfer.
    private func prepareToResume(after error: any Error) async throws {
        // A disk that refused a chunk may have written a part of it.
        guard let known = error as? NetKitError, hasRest, !isWrong, known.code != .file,
            let delay = rules.retry.delay(
                afterInterruption: known,
                attempt: attempts,
                previous: previousDelay,
                settings: settings,
                deadline: deadline
            )
        else { throw error }
        previousDelay = delay
        try await settings.pause(for: delay, after: known, of: request, id: options.id)
        attempts += 1
    }

    /// Performs one exchange; `nil` if the next one has to start again from the beginning.
    private func exchange() async throws -> HTTPResponse? {
        var request = request
        // Of a part that is complete, the last byte is requested again: the response says whether the file has changed.
        let offset = part.size == part.note?.total ? part.size - 1 : part.size
        if offset > 0, let note = part.note {
            request.headers["Range"] = "bytes=\(offset)-"
            request.headers["If-Range"] = note.validator
        }
        sendCount += 1
        let (sent, sentOptions, sender, deadline) = (request, options, sender, deadline)
        let accepted = offset > 0 ? AcceptedStatuses.successful.adding(416) : .successful
        let response = try await settings.response(accepting: accepted) {
            try await InheritedDeadline.inheriting(deadline) { try await sender.send(sent, options: sentOptions) }
        }
        do {
            guard try place(response, at: offset) else {
                response.body.discard()
                return nil
            }
            try await write(response, overlap: Int(max(0, part.size - offset)))
            // A server may send less than was requested. If any bytes arrived, the rest is requested next.
            let isShort = response.status == .partialContent && part.size > offset
            return isShort && part.size < part.note?.total ?? 0 ? nil : response
        } catch {
            response.body.discardUnlessRead()
            throw response.body.translated(error)
        }
    }

    /// Prepares the part for the response's bytes.
    ///
    /// Returns `false` if the whole file has to be requested again.
    private func place(_ response: HTTPResponse, at offset: Int64) throws -> Bool {
        if response.status == 416 { return try startOver() }
        if response.status == .partialContent {
            guard offset > 0, let range = response.headers["Content-Range"].flatMap({ ContentRange($0) }) else {
                throw wrong("The server sent a part of the file that was not requested.")
            }
            // A weak tag or a recent date cannot confirm the part, but another one shows that the file has changed.
            let version = response.headers["ETag"] ?? response.headers["Last-Modified"]
            let isSame = version == nil || version == part.note?.validator
            guard range.first == offset, isSame, !Self.isCoded(response.headers), range.total == part.note?.total else {
                return try startOver()
            }
            try check(total: part.note?.total)
            options.progress?.begin(completed: offset, total: part.note?.total, clock: settings.clock)
            return true
        }
        try check(total: response.body.length)
        if sendCount == 1 || part.note != nil { try restart() }
        if let validator = Self.validator(of: response.headers), let total = response.body.length,
            !Self.isCoded(response.headers), response.headers["Accept-Ranges"]?.lowercased() != "none"
        {
            canResume = true
            let name = SafeFileName.name(for: response.headers, url: response.url ?? request.url)
            try part.remember(PartialFile.Note(validator: validator, total: total, name: name))
        } else {
            canResume = false
        }
        options.progress?.begin(total: response.body.length, clock: settings.clock)
        return true
    }

    /// Removes a part of another version of the file, once for each download.
    private func startOver() throws -> Bool {
        guard !didRestart else {
            throw wrong(
                "The server's file keeps changing, or its Content-Range fields are inconsistent. Try again without resuming."
            )
        }
        didRestart = true
        try restart()
        return false
    }

    private func restart() throws {
        try part.restart()
        resumedFrom = 0
        if digest != nil { digest = SHA256() }
    }

    private func check(total: Int64?) throws {
        guard let total else { return }
        guard total <= maxBytes else {
            throw ResponseBody.tooLarge(Int(clamping: maxBytes), declared: total)
        }
        guard let expected = rules.expectedSize, expected != total else { return }
        throw wrong("The server's file has \(total) bytes, and \(expected) are expected.")
    }

    /// Returns the error of a part that must not be continued.
    private func wrong(_ message: String) -> NetKitError {
        isWrong = true
        return NetKitError(.invalidResponse, message, outcome: .answered)
    }

    /// Writes the body, without the first bytes that the part already has.
    private func write(_ response: HTTPResponse, overlap: Int) async throws {
        var overlap = overlap
        let isRest = response.status == .partialContent
        for try await chunk in response.body {
            try keep(chunk.dropFirst(overlap))
            overlap = max(0, overlap - chunk.count)
            options.progress?.note(Int64(chunk.count))
            // An attempt that brought bytes counts as the first attempt again, unless they have come before.
            if isRest { attempts = 1 }
        }
    }

    /// Writes a chunk.
    ///
    /// It is a separate function, because the optimizer of Swift 6.3.1 crashes on it in the async loop.
    @inline(never)
    private func keep(_ chunk: Data) throws {
        let size = part.size + Int64(chunk.count)
        guard size <= maxBytes else { throw ResponseBody.tooLarge(Int(clamping: maxBytes), declared: nil) }
        if let expected = rules.expectedSize, size > expected {
            throw wrong("The file has at least \(size) bytes, and \(expected) are expected.")
        }
        try chunk.withUnsafeBytes { bytes in
            try part.append(bytes)
            digest?.add(bytes)
        }
    }

    private func finish(_ response: HTTPResponse) throws -> DownloadedFile {
        do {
            let expected = rules.expectedSize ?? (canResume ? part.note?.total : nil)
            if let expected, part.size != expected {
                throw wrong("The file has \(part.size) bytes, and \(expected) are expected.")
            }
            let sha256 = digest?.value
            if let sha256, let wanted = rules.expectedSHA256, sha256 != wanted.lowercased() {
                let shown = NetKitError.oneLine(wanted, limit: 80)
                throw wrong("The file's SHA-256 is \(sha256), and \(shown) is expected.")
            }
            do {
                try part.confirmWrites()
                try part.checkPlace()
            } catch {
                // Its size counts the lost bytes.
                isWrong = true
                throw error
            }
            let size = part.size
            let responseName = name(by: response)
            let url = try place.put(&part, named: responseName)
            return DownloadedFile(
                url: url,
                response: response,
                byteCount: size,
                resumedFrom: resumedFrom,
                sha256: sha256
            )
        } catch {
            throw response.body.translated(error)
        }
    }

    /// Returns the name of the file.
    ///
    /// The response with the rest of a file need not repeat the fields that name it (RFC 9110, section 15.3.7).
    private func name(by response: HTTPResponse) -> String {
        // Anyone who can write to the folder can write the note.
        let known = canResume ? part.note?.name.map { SafeFileName.safe($0) } : nil
        if let known, !known.isEmpty { return known }
        return SafeFileName.name(for: response.headers, url: response.url ?? request.url)
    }

    /// Returns whether the bytes on the wire differ from those of the file.
    ///
    /// Some servers name the coding that they were asked for, `identity`, which changes nothing.
    private static func isCoded(_ headers: HTTPHeaders) -> Bool {
        HeaderList.words(of: headers["Content-Encoding"] ?? "").contains { $0.lowercased() != "identity" }
    }

    /// Returns a strong validator.
    ///
    /// A weak ETag may stand for other bytes, and so may a date that is as recent as the response.
    private static func validator(of headers: HTTPHeaders) -> String? {
        if let tag = headers["ETag"] { return tag.hasPrefix("\"") ? tag : nil }
        guard let modified = headers["Last-Modified"], let changed = HTTPDate.parse(modified),
            let now = headers["Date"].flatMap({ HTTPDate.parse($0) }), now.timeIntervalSince(changed) >= 60
        else { return nil }
        return modified
    }
}

/// The part of a whole that a response contains (RFC 9110, section 14.4): `bytes 5-9/10`.
struct ContentRange: Equatable {
    let first: Int64
    /// The size of the whole; `nil` if the server does not know it.
    let total: Int64?

    /// Reads a field's value; `nil` if it is not a satisfied range of bytes.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1])
        else {
            return nil
        }
        total = Int64(digits: parts[1])
        guard first <= last, parts[1] == "*" || total.map({ last < $0 }) == true else { return nil }
        self.first = first
    }
}
