#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import CNetKitSystem

    /// A set of transfers, the sockets that it waits for, and one timer.
    ///
    /// A thread of its own waits for the sockets and does all the work; callers hand transfers over and wait.
    ///
    /// `@unchecked Sendable` because of its C pointers: all state has one owner, which is the thread once it runs. For
    /// that reason, the checks of exclusive access are off; they would run many times for each transfer.
    final class CurlLoopCore: @unchecked Sendable {
        typealias Caller = UnsafeContinuation<Void, Never>

        let library: CurlLibrary
        private let inbox: LoopInbox<CurlCommand>
        let multi: OpaquePointer
        /// The number of idle connections that libcurl keeps.
        let maxIdle: Int
        private let poll: Int32
        private var ready = [nk_ready](repeating: nk_ready(), count: Int(NK_READY_MAXIMUM))
        /// The time at which libcurl wants to be called without an event, in the clock's milliseconds.
        @exclusivity(unchecked) var timer: Int64?
        /// The transfers, each of which knows its position.
        @exclusivity(unchecked) private var transfers: [CurlTransfer] = []
        private var isStopping = false
        @exclusivity(unchecked) private var commands: [CurlCommand] = []
        @exclusivity(unchecked) var sockets: CurlSockets
        private var limits = CurlLimits()
        /// The system's time in the current wake-up, once it was needed; all events of a wake-up have the same time.
        @exclusivity(unchecked) private var wakeTime: NetKitClock.Instant?
        /// The promise that ends when the thread is over and the connections are closed.
        let ending = Promise<Void>()
        /// The callers that are woken together after all events were recorded, instead of one by one.
        @exclusivity(unchecked) var resumptions: [Caller] = []
        /// The streamed responses that began in the current wake-up, and whose callers get them at its end if the body
        /// is still arriving.
        @exclusivity(unchecked) var begun: [CurlTransfer] = []
        /// The transfers that hand over their buffered bytes once nothing more can be read.
        @exclusivity(unchecked) var pendingBodies = PendingBodies()
        /// The number of requests so far that were about to be written.
        @exclusivity(unchecked) var requestCount = 0
        /// The handles that an HTTP/2 connection may still point to, until it has written a later request or is closed.
        @exclusivity(unchecked) private var referencedHandles: [Int32: [CurlHandle]] = [:]
        /// The handles of closed connections, which are freed outside of libcurl's callbacks.
        @exclusivity(unchecked) private var handlesToFree: [CurlHandle] = []

        init(
            library: CurlLibrary,
            configuration: CurlTransport.Configuration,
            inbox: LoopInbox<CurlCommand>
        ) throws(NetKitError) {
            self.library = library
            self.inbox = inbox
            maxIdle = min(max(1, configuration.connections.maxIdle), 1 << 24)
            poll = nk_epoll_create()
            guard poll >= 0 else { throw CurlLoop.noResources("event set") }
            guard nk_epoll_watch(poll, inbox.descriptor, 1, 0) == 0 else {
                nk_close(poll)
                throw CurlLoop.noResources("event watch")
            }
            guard let multi = library.functions.pointee.multi_init() else {
                nk_close(poll)
                throw CurlLoop.noResources("set of transfers")
            }
            self.multi = multi
            nk_curl_multi_keep_from_children(library.functions, multi)
            sockets = CurlSockets(set: poll, tls: library.openSSL)
            configure(configuration)
        }

        /// The thread is over or was never created, because it holds this object.
        deinit { nk_close(poll) }

        /// Calls a closure with the core that was set as a callback's context; the thread holds the core.
        static func with(_ context: UnsafeMutableRawPointer?, _ body: (CurlLoopCore) -> Void) {
            guard let context else { return }
            Unmanaged<CurlLoopCore>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
        }

        /// The system's time, which is read once for each wake-up.
        var now: NetKitClock.Instant {
            if let wakeTime { return wakeTime }
            let now = NetKitClock.system.now
            wakeTime = now
            return now
        }

        // MARK: - The thread

        /// The freed memory that the process keeps, about as much as the buffers of 256 transfers.
        ///
        /// libcurl allocates and frees that memory for each transfer. When many end at once, the kernel would take it
        /// back, and would have to clear it for the next ones.
        private static let keptMemory = 4 << 20

        /// Runs the thread until no command can come.
        func run() {
            nk_keep_freed_memory(Self.keptMemory / 2)
            nk_openssl_enter()
            var events = 0
            var callers: [Caller] = []
            while true {
                actOnSockets(events)
                inbox.take(&commands)
                work()
                sockets.sendHeld()
                openBodies()
                if isStopping, transfers.isEmpty { break }
                events = handOverBodies()
                resume(&callers)
                guard events == 0 else { continue }
                // The inbox must still be empty; from there on, each posted command wakes this thread.
                events = inbox.noteWaiting() ? wait(until: timer ?? .max) : wait(until: .min)
                inbox.noteAwake()
            }
            closeConnections()
            nk_openssl_leave()
        }

        /// Gives callers the responses whose bodies have not arrived in the wake-up of their heads.
        private func openBodies() {
            for transfer in begun where transfer.isAdded { transfer.openBody() }
            begun.removeAll(keepingCapacity: true)
        }

        /// Hands over bodies of which nothing more can be read, and returns the number of sockets with events.
        private func handOverBodies() -> Int {
            pendingBodies.handOverFinished()
            guard !pendingBodies.isEmpty else { return 0 }
            let events = wait(until: .min)
            if events == 0 { pendingBodies.handOver() }
            return events
        }

        /// Closes the connections.
        func closeConnections() {
            limits.cancel()
            // Transfers that it keeps would keep the loop in turn.
            pendingBodies.handOver()
            for command in inbox.close() { refuse(command) }
            // No callback may reach an object that is being released.
            _ = nk_curl_multi_set_socket_callback(library.functions, multi, nil)
            _ = nk_curl_multi_set_timer_callback(library.functions, multi, nil)
            _ = library.functions.pointee.multi_cleanup(multi)
            for caller in resumptions { caller.resume() }
            resumptions.removeAll()
            ending.resolve(.success(()))
        }

        private func work() {
            wakeTime = nil
            handlesToFree.removeAll()
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
            actOnTimer()
            while collect() { actOnTimer() }
        }

        private func wait(until end: Int64) -> Int {
            let limit = end == .max ? -1 : end == .min ? 0 : max(0, end - nk_milliseconds())
            let count = ready.withUnsafeMutableBufferPointer { ready -> Int32 in
                guard let base = ready.baseAddress else { return 0 }
                nk_openssl_leave()
                defer { nk_openssl_enter() }
                return nk_epoll_wait(poll, base, Int32(clamping: limit))
            }
            return Int(max(0, count))
        }

        private func actOnSockets(_ count: Int) {
            wakeTime = nil
            for event in ready.prefix(count) {
                if event.descriptor == inbox.descriptor {
                    nk_eventfd_clear(inbox.descriptor)
                } else if sockets.isWanted(event.descriptor) {
                    act(
                        on: event.descriptor,
                        // For a moment, a reset shows only as a failure, after which libcurl would not repeat the
                        // request.
                        (event.is_readable != 0 || event.has_failed != 0 ? NK_CURL_CSELECT_IN : 0)
                            | (event.is_writable != 0 ? NK_CURL_CSELECT_OUT : 0)
                            | (event.has_failed != 0 ? NK_CURL_CSELECT_ERR : 0)
                    )
                }
            }
        }

        private func actOnTimer() {
            guard let timer, timer <= nk_milliseconds() else { return }
            self.timer = nil
            act(on: Int32(NK_CURL_SOCKET_TIMEOUT), 0)
        }

        private func act(on descriptor: Int32, _ events: Int) {
            var running: Int32 = 0
            _ = library.functions.pointee.multi_socket_action(multi, descriptor, Int32(events), &running)
        }

        // MARK: - Commands

        private func perform(_ command: CurlCommand) {
            switch command {
            case .start(let transfer): begin(transfer)
            case .cancel(let transfer): end(transfer, code: Int32(NK_CURLE_ABORTED_BY_CALLBACK))
            case .resumeReceiving(let transfer):
                transfer.isReaderBehind = false
                if transfer.isReceivingPaused, transfer.isAdded { resume(transfer) }
            case .takeTurn(let transfer):
                if transfer.isReceivingPaused, !transfer.isReaderBehind, transfer.isAdded { resume(transfer) }
            case .resumeSending(let transfer):
                if transfer.isSendingPaused, transfer.isAdded { resume(transfer) }
            case .resolved(let transfer, let lookup): takeNames(transfer, lookup)
            case .check(let transfer): if transfer.isAdded { transfer.setAlarm(at: transfer.check()) }
            case .checkAll: checkLimits()
            case .stop:
                isStopping = true
                for transfer in transfers { transfer.fail(CurlLoop.closed(transfer.context.attempt.outcome)) }
            }
        }

        private func resume(_ transfer: CurlTransfer) {
            transfer.noteResumed()
            // If a reader is still behind when the other direction continues, the next write notices it.
            transfer.isReceivingPaused = false
            transfer.isSendingPaused = false
            transfer.handle?.easy.resume()
        }

        private func begin(_ transfer: CurlTransfer) {
            guard transfer.stopReason == nil, !isStopping else { return refuse(.start(transfer)) }
            transfer.place = transfers.count
            transfers.append(transfer)
            boundConnections(with: transfers.count)
            transfer.isAdded = true
            transfer.core = Unmanaged.passUnretained(self)
            transfer.begin(library)
            if library.number < CurlLibrary.Since.beforeRequest { sockets.lookAtAll() }
            watchLimits(of: transfer)
            if transfer.targetName == nil { add(transfer) } else { _ = proceed(transfer) }
        }

        private func refuse(_ command: CurlCommand) {
            guard case .start(let transfer) = command else { return }
            let reason = transfer.stopReason ?? CurlLoop.closed
            transfer.settle(.failed(reason))
            transfer.loop.slots.giveBack(transfer.address.host)
        }

        // MARK: - Ends

        /// Ends the transfers that are over, and returns whether one begins again, for which a timer is set.
        private func collect() -> Bool {
            var left: Int32 = 0
            var hasMoved = false
            while let message = library.functions.pointee.multi_info_read(multi, &left) {
                guard message.pointee.kind == Int32(NK_CURLMSG_DONE), let easy = message.pointee.easy else { continue }
                let code = message.pointee.data.result
                let handle = CurlEasy(functions: library.functions, handle: easy)
                guard let transfer = CurlTransfer.of(handle.pointer(NK_CURLINFO_PRIVATE)) else { continue }
                // The client's certificate and its key may have been replaced between the reads of the two.
                let mayBeMixed = code == Int32(NK_CURLE_SSL_CERTPROBLEM) && transfer.moves == 0 && transfer.watch == nil
                if transfer.hasToMove || mayBeMixed, transfer.stopReason == nil {
                    move(transfer)
                    hasMoved = true
                } else if transfer.naming.isNeeded, transfer.stopReason == nil {
                    takeOut(transfer)
                    transfer.naming.isNeeded = false
                    if proceed(transfer) { hasMoved = true }
                } else {
                    end(transfer, code: code)
                }
            }
            return hasMoved
        }

        /// Begins a transfer again of which nothing was written, because its intended connection cannot be used.
        private func move(_ transfer: CurlTransfer) {
            takeOut(transfer)
            transfer.moves += 1
            // Otherwise, libcurl could pick an unusable connection again and again.
            if transfer.moves > 1 { transfer.handle?.demandNewConnection() }
            add(transfer)
        }

        func end(_ transfer: CurlTransfer, code: Int32) {
            guard transfer.isAdded else { return }
            transfer.isAdded = false
            let descriptor = transfer.descriptor
            // When the handle is removed, libcurl writes what waits, if the socket has room for it.
            let mayBeUnwritten =
                code != 0 && library.leavesStateBehind && descriptor.map { sockets.isWaitingToWrite($0) } ?? false
            if let handle = transfer.handle { takeOut(handle, of: transfer) }
            sockets.release(transfer)
            let last = transfers.removeLast()
            if last !== transfer {
                transfers[transfer.place] = last
                last.place = transfer.place
            }
            boundConnections(with: transfers.count)
            let size = transfer.receivedSize
            transfer.end(code: code)
            transfer.core = nil
            // A connection that libcurl has closed with the transfer points to nothing.
            if let descriptor, library.leavesStateBehind, sockets.mayBeShared(descriptor) {
                cleanUp(descriptor, after: transfer, mayBeUnwritten: mayBeUnwritten, isComplete: code == 0)
            }
            if code != 0, let descriptor { sockets.endIfUnreachable(descriptor) }
            // A caller that waits for the whole response reads the times first, and then gives the handle back.
            if transfer.pipe != nil { transfer.releaseHandle() }
            transfer.loop.slots.giveBack(transfer.address.host, bodySize: size)
        }

        /// Removes a handle from libcurl's set.
        ///
        /// Bytes that arrived during a pause would stay in the handle, and become a part of the next body that it
        /// receives.
        func takeOut(_ handle: CurlHandle, of transfer: CurlTransfer) {
            if transfer.isReceivingPaused {
                // Without its connection, the handle cannot free the bytes, and is not used again.
                handle.isUnusable = true
                transfer.isDropping = true
                handle.easy.resume()
                transfer.isDropping = false
            }
            _ = library.functions.pointee.multi_remove_handle(multi, handle.easy.handle)
        }

        /// The number of handles that are kept for one connection, which seems to write no requests after more of them.
        private static let maxReferencedHandles = 256

        /// Removes what a transfer leaves behind on an HTTP/2 connection; see `CurlLibrary.leavesStateBehind`.
        private func cleanUp(
            _ descriptor: Int32,
            after transfer: CurlTransfer,
            mayBeUnwritten: Bool,
            isComplete: Bool
        ) {
            if let handle = transfer.handle {
                if handle.needsReset || !isComplete { handle.isUnusable = true }
                if transfer.isWritten {
                    // The requests of a connection are written in their order, so it points to no earlier one now.
                    referencedHandles[descriptor]?.removeAll { $0.requestNumber < handle.requestNumber }
                } else if mayBeUnwritten {
                    transfer.handle = nil
                    referencedHandles[descriptor, default: []].append(handle)
                }
            }
            guard !isComplete else { return }
            // Nothing else would send the reset; or nothing is written any more. A connection whose transfers all wait
            // for their readers is not watched, but in use.
            let isUsed = transfers.contains { $0.descriptor == descriptor }
            if !isUsed || referencedHandles[descriptor]?.count ?? 0 > Self.maxReferencedHandles {
                sockets.disconnect(descriptor)
            }
        }

        /// Frees the handles to which a connection that is being closed pointed, once libcurl is done with it.
        func freeReferencedHandles(of descriptor: Int32) {
            if let handles = referencedHandles.removeValue(forKey: descriptor) { handlesToFree += handles }
        }

        /// Resumes the callers that have a result; the memory of an empty array is reused for the next ones.
        private func resume(_ callers: inout [Caller]) {
            swap(&callers, &resumptions)
            for caller in callers { caller.resume() }
            callers.removeAll(keepingCapacity: true)
        }

        // MARK: - Limits

        func watchLimits(of transfer: CurlTransfer) {
            guard let first = transfer.firstCheck(at: transfer.now) else { return }
            if transfer.isOnSystemClock {
                limits.schedule(at: first, inbox: inbox)
            } else {
                transfer.setAlarm(at: first)
            }
        }

        private func checkLimits() {
            limits.noteAlarm()
            for transfer in transfers where transfer.isOnSystemClock {
                if let next = transfer.check() { limits.schedule(at: next, inbox: inbox) }
            }
        }
    }
#endif
