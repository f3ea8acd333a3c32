#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import CNetKitSystem

    /// What runs on a loop's thread: a set of transfers, the sockets it waits for, and one timer.
    ///
    /// `@unchecked Sendable` without a lock: its owner is the thread that runs it, to which it is handed once.
    final class CurlLoopCore: @unchecked Sendable {
        private let library: CurlLibrary
        private let inbox: CurlInbox
        private let multi: OpaquePointer
        private let poll: Int32
        private var ready = [nk_ready](repeating: nk_ready(), count: Int(NK_READY_MAXIMUM))
        /// When libcurl wants to be called without an event, in the clock's milliseconds.
        private var timer: Int64?
        private var transfers: [ObjectIdentifier: CurlTransfer] = [:]
        private var isStopping = false
        /// What each descriptor is watched for, as the event set has it.
        private var watched: [Int32: Int] = [:]
        /// Sockets of connections: one that libcurl lets go of stays in the set, because it soon wants it again.
        private var sockets: Set<Int32> = []
        private var idleSockets: Set<Int32> = []
        /// Counts the times the thread has woken: what happens in one is at one time.
        private(set) var wakeCount = 0

        init(
            library: CurlLibrary,
            configuration: CurlTransport.Configuration,
            inbox: CurlInbox
        ) throws(NetKitError) {
            self.library = library
            self.inbox = inbox
            poll = nk_epoll_create()
            guard poll >= 0 else { throw CurlLoop.noResources("event set") }
            guard let multi = library.functions.pointee.multi_init() else {
                nk_close(poll)
                throw CurlLoop.noResources("set of transfers")
            }
            self.multi = multi
            _ = nk_epoll_watch(poll, inbox.descriptor, 1, 0)
            configure(configuration)
        }

        deinit {
            // No callback may reach what is being taken down.
            _ = nk_curl_multi_set_socket_callback(library.functions, multi, nil)
            _ = nk_curl_multi_set_timer_callback(library.functions, multi, nil)
            _ = library.functions.pointee.multi_cleanup(multi)
            nk_close(poll)
        }

        private func configure(_ configuration: CurlTransport.Configuration) {
            let functions = library.functions
            let context = Unmanaged.passUnretained(self).toOpaque()
            let set = { (option: Int, value: Int) in
                _ = nk_curl_multi_set_long(functions, self.multi, Int32(option), value)
            }
            set(NK_CURLMOPT_PIPELINING, NK_CURLPIPE_MULTIPLEX)
            set(NK_CURLMOPT_MAXCONNECTS, configuration.connections.idle)
            set(NK_CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connections.perHost)
            set(NK_CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.connections.total)
            _ = nk_curl_multi_set_pointer(functions, multi, Int32(NK_CURLMOPT_SOCKETDATA), context)
            _ = nk_curl_multi_set_socket_callback(functions, multi) { _, descriptor, what, context, _ in
                CurlLoopCore.of(context)?.watch(descriptor, what)
                return 0
            }
            _ = nk_curl_multi_set_pointer(functions, multi, Int32(NK_CURLMOPT_TIMERDATA), context)
            _ = nk_curl_multi_set_timer_callback(functions, multi) { _, milliseconds, context in
                CurlLoopCore.of(context)?.timer = milliseconds < 0 ? nil : nk_milliseconds() + Int64(milliseconds)
                return 0
            }
        }

        /// The core that was set as a callback's context; the thread holds it.
        private static func of(_ context: UnsafeMutableRawPointer?) -> CurlLoopCore? {
            context.map { Unmanaged<CurlLoopCore>.fromOpaque($0).takeUnretainedValue() }
        }

        /// A number that belonged to another descriptor before has a new meaning.
        func noteOpened(_ descriptor: Int32) {
            watched[descriptor] = nil
            idleSockets.remove(descriptor)
            sockets.insert(descriptor)
        }

        private func watch(_ descriptor: Int32, _ what: Int32) {
            let what = Int(what)
            guard what != NK_CURL_POLL_REMOVE, what != NK_CURL_POLL_NONE else {
                if sockets.contains(descriptor) { idleSockets.insert(descriptor) } else { forget(descriptor) }
                return
            }
            idleSockets.remove(descriptor)
            guard watched[descriptor] != what else { return }
            let isReading: Int32 = what == NK_CURL_POLL_OUT ? 0 : 1
            let isWriting: Int32 = what == NK_CURL_POLL_IN ? 0 : 1
            if nk_epoll_watch(poll, descriptor, isReading, isWriting) == 0 { watched[descriptor] = what }
        }

        private func forget(_ descriptor: Int32) {
            nk_epoll_forget(poll, descriptor)
            watched[descriptor] = nil
        }

        // MARK: - The thread

        func run() {
            nk_block_sigpipe()
            nk_name_thread("netkit.curl")
            while !(isStopping && transfers.isEmpty) {
                let commands = inbox.take()
                for command in commands { obey(command) }
                // An inbox that was empty has to stay so: from there on whoever hands something over wakes this thread.
                wait(atMost: commands.isEmpty ? nil : 0)
                actOnTimer()
                collect()
            }
            for command in inbox.close() { refuse(command) }
        }

        private func wait(atMost bound: Int64?) {
            var limit = bound ?? -1
            if let timer, limit < 0 { limit = max(0, timer - nk_milliseconds()) }
            let count = ready.withUnsafeMutableBufferPointer { ready -> Int32 in
                guard let base = ready.baseAddress else { return 0 }
                return nk_epoll_wait(poll, base, Int32(clamping: limit))
            }
            inbox.noteAwake()
            wakeCount &+= 1
            for index in 0..<Int(max(0, count)) {
                let event = ready[index]
                if event.descriptor == inbox.descriptor {
                    nk_eventfd_clear(inbox.descriptor)
                } else if idleSockets.contains(event.descriptor) {
                    // The peer has closed it or says something unasked: libcurl finds out when it wants to use it.
                    idleSockets.remove(event.descriptor)
                    forget(event.descriptor)
                } else {
                    act(
                        on: event.descriptor,
                        (event.is_readable != 0 ? NK_CURL_CSELECT_IN : 0)
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

        private func obey(_ command: CurlInbox.Command) {
            switch command {
            case .start(let transfer): start(transfer)
            case .cancel(let transfer): end(transfer, code: Int32(NK_CURLE_ABORTED_BY_CALLBACK))
            case .resumeReceiving(let transfer):
                transfer.isReaderBehind = false
                if transfer.isReceivingPaused, transfer.isAdded { resume(transfer) }
            case .resumeSending(let transfer):
                if transfer.isSendingPaused, transfer.isAdded { resume(transfer) }
            case .check(let transfer): if transfer.isAdded { transfer.check() }
            case .stop: isStopping = true
            }
        }

        private func resume(_ transfer: CurlTransfer) {
            transfer.noteResumed()
            // A reader that is behind while the other direction goes on is found out again by the next write.
            transfer.isReceivingPaused = false
            transfer.isSendingPaused = false
            transfer.handle.easy.pause(NK_CURLPAUSE_CONT)
        }

        private func start(_ transfer: CurlTransfer) {
            guard transfer.stopReason == nil else { return refuse(.start(transfer)) }
            transfers[ObjectIdentifier(transfer)] = transfer
            transfer.isAdded = true
            transfer.core = self
            transfer.begin(library)
            let result = library.functions.pointee.multi_add_handle(multi, transfer.handle.easy.handle)
            guard result == 0 else { return end(transfer, code: Int32(NK_CURLE_FAILED_INIT)) }
        }

        private func refuse(_ command: CurlInbox.Command) {
            guard case .start(let transfer) = command else { return }
            let reason = transfer.stopReason ?? CurlLoop.closed
            transfer.pipe?.fail(reason)
            transfer.settle(.failed(reason))
            transfer.loop.handles.giveBack(transfer.handle)
        }

        // MARK: - Ends

        private func collect() {
            var left: Int32 = 0
            while let message = library.functions.pointee.multi_info_read(multi, &left) {
                guard message.pointee.kind == Int32(NK_CURLMSG_DONE), let easy = message.pointee.easy else { continue }
                let code = message.pointee.data.result
                let handle = CurlEasy(functions: library.functions, handle: easy)
                if let transfer = CurlTransfer.of(handle.pointer(NK_CURLINFO_PRIVATE)) { end(transfer, code: code) }
            }
        }

        private func end(_ transfer: CurlTransfer, code: Int32) {
            guard transfer.isAdded else { return }
            transfer.isAdded = false
            transfer.core = nil
            _ = library.functions.pointee.multi_remove_handle(multi, transfer.handle.easy.handle)
            transfers[ObjectIdentifier(transfer)] = nil
            transfer.end(code: code)
        }
    }
#endif
