#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import CNetKitSystem
    import Foundation
    import Synchronization

    /// The callbacks of libcurl, on the loop's thread.
    extension CurlTransfer {
        /// Sets the callbacks, which stay the same from one transfer to the next.
        func installCallbacks(_ easy: CurlEasy) {
            let functions = easy.functions
            easy.setData(NK_CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                CurlTransfer.with(context, else: 0) {
                    $0.receiveLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
                }
            }
            easy.setData(NK_CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                CurlTransfer.with(context, else: 0) {
                    $0.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
                }
            }
            _ = nk_curl_set_open_socket_callback(functions, easy.handle) { context, _, address in
                CurlTransfer.with(context, else: -1) { $0.openSocket(for: address.pointee) }
            }
            // A connection outlives the transfer that opened it, but not the loop.
            easy.setPointer(NK_CURLOPT_CLOSESOCKETDATA, loop.coreContext)
            _ = nk_curl_set_close_socket_callback(functions, easy.handle) { context, descriptor in
                CurlLoopCore.with(context) { $0.close(descriptor) }
                return 0
            }
            if loop.proxies.areUsed {
                easy.set(NK_CURLOPT_NOPROGRESS, false)
                _ = nk_curl_set_progress_callback(functions, easy.handle) { context, _, _, _, _ in
                    CurlTransfer.with(context, else: 0) { $0.mayGoOn() ? 0 : 1 }
                }
            }
            if loop.library.openSSL != nil {
                _ = nk_curl_set_tls_callback(functions, easy.handle) { _, tls, context in
                    if let tls { CurlTransfer.with(context, else: ()) { $0.prepareTLS(tls) } }
                    return Int32(NK_CURLE_OK)
                }
            }
            if loop.library.takesAddresses {
                _ = nk_curl_set_resolver_start_callback(functions, easy.handle) { _, _, context in
                    CurlTransfer.with(context, else: 0) { $0.mayResolve() ? 0 : 1 }
                }
            }
            guard loop.library.number >= CurlLibrary.Since.beforeRequest else { return }
            _ = nk_curl_set_prerequest_callback(functions, easy.handle) { context, remote, _, _, localPort in
                CurlTransfer.with(context, else: Int32(NK_CURL_PREREQFUNC_ABORT)) {
                    $0.beginRequest(remote, localPort: localPort)
                }
            }
        }

        /// Sets the transfer as the context of the callbacks; the loop keeps it alive meanwhile.
        func setContext(_ handle: CurlHandle) {
            let easy = handle.easy
            let pointer = Unmanaged.passUnretained(self).toOpaque()
            easy.setPointer(NK_CURLOPT_PRIVATE, pointer)
            easy.setPointer(NK_CURLOPT_HEADERDATA, pointer)
            easy.setPointer(NK_CURLOPT_WRITEDATA, pointer)
            easy.setPointer(NK_CURLOPT_OPENSOCKETDATA, pointer)
            if loop.proxies.areUsed { easy.setPointer(NK_CURLOPT_PROGRESSDATA, pointer) }
            if loop.library.openSSL != nil { easy.setPointer(NK_CURLOPT_SSL_CTX_DATA, pointer) }
            if loop.library.takesAddresses { easy.setPointer(NK_CURLOPT_RESOLVER_START_DATA, pointer) }
            if loop.library.number >= CurlLibrary.Since.beforeRequest {
                easy.setPointer(NK_CURLOPT_PREREQDATA, pointer)
            }
        }

        /// Returns the transfer that is a handle's context, for a caller that is about to remove it from the loop.
        static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
            context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Calls a closure with the transfer that was set as a callback's context, without counting a reference to it.
        ///
        /// The loop holds the transfer while libcurl may call, and there are a dozen callbacks for each response.
        static func with<Result>(
            _ context: UnsafeMutableRawPointer?,
            else missing: Result,
            _ body: (CurlTransfer) -> Result
        ) -> Result {
            guard let context else { return missing }
            return Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
        }

        /// Checks an established connection on which the request is about to be sent.
        private func beginRequest(_ remoteAddress: UnsafePointer<CChar>?, localPort: Int32) -> Int32 {
            // A reused connection may have been made for a call without a guard.
            if let addressGuard, let remoteAddress, !isAllowed(String(cString: remoteAddress), by: addressGuard) {
                return Int32(NK_CURL_PREREQFUNC_ABORT)
            }
            guard mayBeSent else {
                let message =
                    "The connection was lost before the response began, and the server may have acted on the request."
                stop(NetKitError(.connectionLost, message, outcome: attempt.outcome))
                return Int32(NK_CURL_PREREQFUNC_ABORT)
            }
            if watch != nil { handle?.isSpent = true }
            let mayWrite = core?._withUnsafeGuaranteedRef {
                $0.mayWrite(self, to: remoteAddress, localPort: localPort)
            }
            guard mayWrite != false else {
                hasToMove = true
                return Int32(NK_CURL_PREREQFUNC_ABORT)
            }
            noteConnection()
            noteConnected()
            return Int32(NK_CURL_PREREQFUNC_OK)
        }

        /// Lets the calls continue that wait for the first connection to the host.
        func noteConnection() {
            guard opensConnection else { return }
            opensConnection = false
            loop.slots.noteConnected(address.host)
        }

        /// Creates a socket for an address; returns -1 if the address guard refuses it, which ends the transfer.
        private func openSocket(for address: nk_curl_sockaddr) -> Int32 {
            if let addressGuard {
                var address = address
                let text = withUnsafeBytes(of: &address.address) { bytes in
                    SystemLookup.text(of: bytes, count: Int(address.address_length))
                }
                guard let text, isAllowed(text, by: addressGuard) else { return -1 }
            }
            let socket = nk_socket_create(address.family, address.socket_type, address.protocol)
            core?._withUnsafeGuaranteedRef { $0.noteOpened(socket, by: self) }
            return socket
        }

        /// Returns `false` if a proxy keeps the loop's thread busy.
        ///
        /// As long as bytes arrive, libcurl reads a proxy's response to CONNECT without returning, and checks no limit.
        private func mayGoOn() -> Bool {
            guard !isHeadComplete, head.isAtStart, let core else { return true }
            let start = core._withUnsafeGuaranteedRef { $0.now }
            busyTurns = start == busySince ? busyTurns + 1 : 0
            busySince = start
            // A thread that only had to wait for a processor makes few turns.
            guard busyTurns > 0, busyTurns.isMultiple(of: 1024) else { return true }
            guard stopReason == nil else { return false }
            if let end = attemptEnd, end <= clock.now {
                fail(attempt.timeout(after: context.attemptLimit))
                return false
            }
            guard busyTurns > 10_000, start.duration(to: NetKitClock.system.now) > Self.maxProxyResponseTime else {
                return true
            }
            let name = proxy.map { " `\($0.host):\($0.port)`" } ?? ""
            fail(NetKitError(.proxy, "The proxy\(name) never ends its response to CONNECT. Check the proxy."))
            return false
        }

        /// The time for which a proxy may keep the loop's thread busy at once.
        private static let maxProxyResponseTime = Duration.seconds(1)

        /// Prepares OpenSSL for a new connection.
        ///
        /// It watches for a refusal of the client, which libcurl may read too late to report it.
        private func prepareTLS(_ tls: UnsafeMutableRawPointer) {
            guard let api = loop.library.openSSL else { return }
            nk_tls_keep_buffers(api, tls)
            secureNumber = Self.lastSecureNumber.wrappingAdd(1, ordering: .relaxed).newValue
            nk_tls_watch_refusal(api, tls, secureNumber)
        }

        private static let lastSecureNumber = Atomic<UInt32>(0)

        /// The guard that judges the addresses of connections; `nil` for a proxy or a Unix domain socket.
        private var addressGuard: AddressGuard? {
            guard let addressGuard = context.call.addressGuard, proxy == nil,
                loop.configuration.unixSocketPath == nil
            else { return nil }
            return addressGuard
        }

        /// Returns whether the guard allows a server's address; if not, the transfer fails.
        func isAllowed(_ remoteAddress: String, by addressGuard: AddressGuard) -> Bool {
            do {
                try addressGuard.judge(connectedAddress: remoteAddress, for: url.host(percentEncoded: true))
                return true
            } catch {
                fail(error)
                return false
            }
        }

        /// Whether the request was not sent before, or may be sent twice.
        ///
        /// If a reused connection closes before the response, libcurl sends the request again on another one,
        /// regardless of its method, and even if the server has read all of it.
        private var mayBeSent: Bool {
            watch == nil || isRepeatable || (handle?.easy.long(NK_CURLINFO_REQUEST_SIZE) ?? 0) == 0
        }

        /// Records that bytes of the request may leave from now on, and starts the limits for silence.
        func noteConnected() {
            guard watch == nil else { return }
            attempt.noteSending()
            if case .copied(let bytes) = upload { noteSent(bytes.count) }
            watch = IdleTimeout(timeouts: context.timeouts, hasBody: upload.isReadLater, start: now)
        }

        var now: NetKitClock.Instant {
            guard isOnSystemClock, let core else { return clock.now }
            return core._withUnsafeGuaranteedRef { $0.now }
        }

        /// Records that the transfer was resumed, because its pause does not count as silence.
        func noteResumed() {
            let now = now
            if isReceivingPaused { watch?.noteReceived(at: now) }
            // After the response has begun, the request is no longer waited for.
            if isSendingPaused, !isHeadComplete { watch?.noteSent(isEnd: false, at: now) }
        }

        private func noteReceived() { watch?.noteReceived(at: now) }

        private func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
            noteReceived()
            guard !isHeadComplete else {
                return addTrailer(line) ? line.count : 0
            }
            let progress = head.add(line)
            if let problem = head.problem {
                attempt.noteAnswered()
                fail(invalidResponse(problem))
                return 0
            }
            switch progress {
            case .goesOn, .informational: return line.count
            case .complete: return completeHead() ? line.count : 0
            }
        }

        /// The maximum size of the trailers of a response.
        private static let maxTrailerBytes = 64 << 10

        /// Adds a line after the body; returns `false` if the transfer has to end.
        private func addTrailer(_ line: UnsafeRawBufferPointer) -> Bool {
            let content = CurlLines.content(of: line)
            var problem: String?
            if CurlLines.hasControlCharacter(content) { problem = "a trailer has a control character" }
            if trailers.byteCount + content.count > Self.maxTrailerBytes {
                problem = "its trailers are larger than \(Self.maxTrailerBytes >> 10) KiB"
            }
            if let problem {
                fail(invalidResponse(problem))
                return false
            }
            trailers.add(content)
            return true
        }

        /// Ends the head; returns `false` if the transfer has to end.
        private func completeHead() -> Bool {
            isHeadComplete = true
            attempt.noteAnswered()
            // After an error, libcurl sends no more, but would wait for the end of the pause.
            if isSendingPaused { loop.inbox.post(.resumeSending(self)) }
            core?._withUnsafeGuaranteedRef { $0.noteHead(self) }
            let mayHaveBody = HTTPStatus(head.status).mayHaveBody(respondingTo: method)
            guard !mayHaveBody || prepareForBody() else { return false }
            if context.delivery.isStreamed {
                opensBody = true
                core?._withUnsafeGuaranteedRef { $0.noteBegun(self) }
            }
            return true
        }

        private func prepareForBody() -> Bool {
            do {
                if loop.configuration.decodesContent, !head.codings.isEmpty {
                    decoder = try ContentCodings.available.decoder(for: head.codings.joined(separator: ", "))
                    head.isDecoded = decoder != nil
                }
                guard decoder == nil, let limit = context.delivery.maxBufferedBytes, let length = head.declaredLength
                else {
                    return true
                }
                guard length <= Int64(limit) || !HTTPStatus(head.status).isSuccess else {
                    throw tooLarge(limit, declared: length)
                }
                body.expect(Int(min(length, Int64(limit))))
                return true
            } catch {
                fail(error)
                return false
            }
        }

        private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            if isDropping { return 0 }
            guard isHeadComplete else { return mayPass(bytes) ? bytes.count : 0 }
            guard !isReaderBehind else { return pauseReceiving() }
            noteReceived()
            do {
                if let decoder {
                    guard try decode(bytes, with: decoder) else { return pauseReceiving() }
                } else {
                    try deliver(bytes)
                }
                return bytes.count
            } catch {
                fail(error)
                return 0
            }
        }

        /// Makes libcurl keep the bytes, and deliver them again once the transfer is resumed.
        private func pauseReceiving() -> Int {
            isReceivingPaused = true
            return NK_CURL_WRITEFUNC_PAUSE
        }

        /// Decodes bytes; returns `false` if the transfer has to be paused before their end.
        ///
        /// A buffered body is not paused, because its size is bounded.
        private func decode(_ bytes: UnsafeRawBufferPointer, with decoder: ContentDecoder) throws -> Bool {
            let time = core?._withUnsafeGuaranteedRef { $0.now }
            let isWhole = try turn.decode(bytes, with: decoder, inWakeUpAt: time, isBounded: opensBody) { decoded in
                try deliver(decoded)
                return !opensBody || !isReaderBehind
            }
            if !isWhole, !isReaderBehind { loop.inbox.post(.takeTurn(self)) }
            return isWhole
        }

        /// Returns whether libcurl may see a line of the head; `false` ends the transfer.
        private func mayPass(_ line: UnsafeRawBufferPointer) -> Bool {
            guard head.isAtStart, let first = line.first, first == 0x20 || first == 0x09 else { return true }
            fail(invalidResponse("its first header field goes on where none began"))
            return false
        }

        func invalidResponse(_ problem: String) -> NetKitError {
            NetKitError(.invalidResponse, "The server's response breaks the protocol: \(problem).", outcome: .answered)
        }

        private func deliver(_ bytes: UnsafeRawBufferPointer) throws {
            if opensBody { return stream(bytes) }
            let limit = context.delivery.maxBufferedBytes ?? .max
            guard bytes.count <= limit - body.count else {
                let room = max(0, min(limit, NetKitError.Response.defaultMaxBodyBytes) - body.count)
                _ = body.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
                throw tooLarge(limit, declared: nil)
            }
            guard body.append(bytes) else {
                let message = "There is no memory for a body of \(body.count + bytes.count) bytes or more."
                throw NetKitError(.bodyTooLarge, message, outcome: .answered)
            }
        }

        /// Returns the error of a large body, with its status and first part, so that a refusal is not lost.
        private func tooLarge(_ limit: Int, declared: Int64?) -> NetKitError {
            let kept = Data(body.data.prefix(NetKitError.Response.defaultMaxBodyBytes))
            let response = NetKitError.Response(
                status: HTTPStatus(head.status),
                headers: head.fields(),
                body: kept,
                isTruncated: true
            )
            return ResponseBody.tooLarge(limit, declared: declared, response: response)
        }
    }
#endif
