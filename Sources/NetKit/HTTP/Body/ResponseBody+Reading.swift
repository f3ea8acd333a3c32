public import Foundation

extension ResponseBody {
    /// Returns the whole body, or throws `.bodyTooLarge` if it is longer than the limit.
    ///
    /// A declared length over the limit ends the transfer before anything is read.
    public func collect(upTo limit: Int) async throws -> Data {
        if let length, length > Int64(limit) {
            discardUnlessRead()
            throw Self.tooLarge(limit, declared: length)
        }
        let (data, isTruncated) = try await prefix(upTo: limit)
        guard !isTruncated else { throw Self.tooLarge(limit, declared: nil) }
        return data
    }

    /// The maximum memory that is reserved because of an announced length.
    ///
    /// The body itself may be longer.
    private static var maxReservation: Int64 { 1 << 20 }

    /// Returns all bytes as text in UTF-8; invalid bytes become the replacement character.
    public func text(upTo limit: Int) async throws -> String {
        String(decoding: try await collect(upTo: limit), as: UTF8.self)
    }

    /// Returns all bytes decoded as JSON, outside the caller's actor.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - limit: The maximum number of bytes.
    ///   - coder: The JSON coder; by default, that of the endpoint or the client.
    /// - Returns: The value.
    /// - Throws: `.decoding` if the body is something else, `.bodyTooLarge` beyond the limit, or an error of the
    ///   transfer.
    @concurrent
    public func json<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        upTo limit: Int,
        coder: JSONCoder? = nil
    ) async throws -> Value {
        let coder = coder ?? self.coder
        let data = try await collect(upTo: limit)
        do {
            return try coder.value(type, of: data)
        } catch {
            throw translated(error)
        }
    }

    /// The coder of the endpoint or the client that received the body, or the default one.
    var coder: JSONCoder { state.json ?? .standard }

    /// Writes the body to a temporary file, and renames it, so a partial file never appears at the destination.
    ///
    /// A destination that exists and is not a regular file, such as a device or a pipe, is refused.
    ///
    /// - Parameters:
    ///   - destination: The URL of the file; its folder has to exist.
    ///   - limit: The maximum number of bytes to write.
    /// - Returns: The number of bytes written.
    /// - Throws: `.file` if the file cannot be written, `.bodyTooLarge` past the limit, or an error of reading.
    @discardableResult
    public func save(to destination: URL, upTo limit: Int64 = .max) async throws -> Int64 {
        try await FileSaver(destination: destination, limit: limit).save(self)
    }

    /// Returns the first bytes up to a bound, and whether there were more; the rest is discarded.
    func prefix(upTo limit: Int) async throws -> (data: Data, isTruncated: Bool) {
        var collected = Data()
        for try await chunk in self {
            guard add(chunk, to: &collected, upTo: limit) else { return (collected, true) }
        }
        return (collected, false)
    }

    /// Appends as much of a chunk as a bound allows, and returns whether that is all of it.
    private func add(_ chunk: Data, to collected: inout Data, upTo limit: Int) -> Bool {
        let room = Swift.max(0, limit - collected.count)
        // A slice would keep its own indices, and the caller's `data[0]` would trap.
        if collected.isEmpty, chunk.startIndex == 0, chunk.count <= room {
            collected = chunk
            if let length, length > Int64(chunk.count) {
                collected.reserveCapacity(Int(Swift.min(length, Int64(limit), Self.maxReservation)))
            }
        } else {
            collected.append(chunk.prefix(room))
        }
        return chunk.count <= room
    }

    /// Returns the first bytes up to a bound that arrive within a time, and whether there were more; the rest is
    /// discarded.
    func prefix(
        upTo limit: Int,
        within time: Duration,
        on clock: NetKitClock
    ) async throws -> (data: Data, isTruncated: Bool) {
        guard buffered == nil else { return try await prefix(upTo: limit) }
        let hasExpired = Flag()
        let alarm = clock.schedule(at: clock.now.advanced(by: time)) {
            hasExpired.set()
            let message = "The body of the refusal took longer than \(time.shortText)."
            cancel(NetKitError(.timeout, message, outcome: .answered, timeoutPhase: .attempt))
        }
        defer { alarm.cancel() }
        var collected = Data()
        do {
            for try await chunk in self {
                guard add(chunk, to: &collected, upTo: limit) else { return (collected, true) }
            }
            return (collected, false)
        } catch {
            guard hasExpired.isSet else { throw error }
            return (collected, true)
        }
    }

    static func tooLarge(_ limit: Int, declared: Int64?, response: NetKitError.Response? = nil) -> NetKitError {
        let size = declared.map { "has \($0) bytes, and the limit is" } ?? "is longer than the limit of"
        let hint = "Raise the limit, or stream the body."
        return NetKitError(
            .bodyTooLarge,
            "The body \(size) \(limit) bytes. \(hint)",
            outcome: .answered,
            response: response
        )
    }
}
