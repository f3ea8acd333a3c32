#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// The beginning and the end of a transfer on the loop's thread.
    extension CurlTransfer {
        func begin(_ library: CurlLibrary) {
            if library.number < CurlLibrary.Since.beforeRequest { noteSendingBegan() }
            guard case .stream(let feed) = upload else { return }
            feed.start { [weak self] in
                guard let self else { return }
                self.loop.inbox.post(.resumeSending(self))
            }
        }

        /// The identity of the transfer for a connection.
        var owner: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

        /// Whether TLS lies between the transfer and the socket.
        var isSecured: Bool { address.isSecure || loop.proxies.mayBeSecure }

        /// Ends a transfer whose handle is no longer in the loop's set.
        func end(code: Int32) {
            dropAlarm()
            if let ticket = naming.wait?.ticket { loop.names.forget(ticket) }
            naming.wait = nil
            handOver()
            if case .stream(let feed) = upload { feed.stop() }
            if code != Int32(NK_CURLE_OK) { handle?.isUnusable = true }
            do {
                if let reason = stopReason { throw reason }
                guard code == Int32(NK_CURLE_OK), isHeadComplete else { throw failure(code) }
                try checkEndOfConnection()
                try decoder?.finish()
                pipe?.finish(trailers: trailers.fields())
                settle(.complete)
            } catch {
                let error = timed(error)
                openBody()
                handOver()
                pipe?.fail(error)
                settle(.failed(error))
            }
        }

        /// Ends the exchange with an error from the loop's thread, on which its progress is known.
        func fail(_ error: any Error) {
            handOver()
            stop(timed(error))
        }

        /// Returns an error with the progress of the exchange.
        private func timed(_ error: any Error) -> any Error {
            guard let error = error as? NetKitError, error.timings == nil, handle != nil else { return error }
            var timings = measuredTimings()
            // Without a connection, none was reused, and there is no remote address.
            if watch == nil { timings.reusedConnection = nil }
            if timings.remoteAddress?.isEmpty == true { timings.remoteAddress = nil }
            return error.with(timings: timings)
        }

        /// The number of bytes of the body that have arrived; `nil` without a response.
        var receivedSize: Int64? {
            guard isHeadComplete else { return nil }
            return pipe == nil ? Int64(body.count) : handle?.easy.offset(NK_CURLINFO_SIZE_DOWNLOAD_T)
        }

        /// Whether the head of the request is known to have been written, as a part of its body or its response shows.
        var isWritten: Bool {
            isHeadComplete || handle.map { $0.easy.offset(NK_CURLINFO_SIZE_UPLOAD_T) > 0 } ?? false
        }

        func failure(_ code: Int32) -> NetKitError {
            if code == Int32(NK_CURLE_OK) {
                // libcurl takes an incomplete head for a complete one.
                let message = "The connection was closed inside the head of the response."
                return NetKitError(.connectionLost, message, outcome: attempt.outcome)
            }
            if watch != nil, !isHeadComplete,
                code == Int32(NK_CURLE_OUT_OF_MEMORY) || code == Int32(NK_CURLE_TOO_LARGE)
            {
                guard isUnsent else {
                    return invalidResponse("a line of its head is larger than libcurl takes")
                }
                let message = "The request's head is larger than the 1 MiB that libcurl takes, or there is no memory."
                return NetKitError(.invalidRequest, "\(message) Shorten the URL or the header fields.")
            }
            if let proxy, watch == nil, let easy = handle?.easy,
                let refusal = CurlFailure.proxyRefusal(code, by: proxy, easy)
            {
                return refusal
            }
            let alert = isHeadComplete ? nil : CurlTLSReason.alert(nk_tls_refusal(secureNumber))
            let text = alert ?? handle?.errorText(for: code) ?? ""
            var shown = text
            if let proxy {
                shown = proxy.removingURL(from: text)
                // Without a status for CONNECT, TLS to the proxy itself has failed.
                if proxy.isSecure, watch == nil, handle?.easy.long(NK_CURLINFO_HTTP_CONNECTCODE) == 0 {
                    shown = "proxy `\(proxy.place)`: \(shown)"
                }
            } else if watch == nil, let path = loop.configuration.unixSocketPath {
                // libcurl names the host of the URL, to which nothing was sent.
                shown = "socket \"\(path)\": \(shown)"
            }
            let error = CurlFailure.error(
                alert == nil ? code : Int32(NK_CURLE_SSL_CONNECT_ERROR),
                text: shown,
                hasConnected: watch != nil,
                wasSentBefore: wasSentBefore,
                limit: context.timeouts.connect,
                attempt: attempt
            )
            guard error.code == .connect, let problem = CurlFailure.missingSocket(socketError) else { return error }
            return problem.with(outcome: error.outcome)
        }

        // MARK: - The response

        func response(_ body: ResponseBody, _ timings: ExchangeTimings) -> HTTPResponse {
            HTTPResponse(
                status: HTTPStatus(head.status),
                headers: head.fields(),
                body: body,
                url: url,
                timings: timings
            )
        }

        /// Returns the response with its whole body, which has arrived.
        func wholeResponse() -> HTTPResponse {
            let response = response(ResponseBody(body.data, trailers: trailers.fields()), measuredTimings())
            if let handle {
                head.giveBack(&handle.room)
                body.giveBack(&handle.room)
            }
            releaseHandle()
            return response
        }

        /// Returns the durations of the exchange, as libcurl measured them.
        func measuredTimings() -> ExchangeTimings {
            var timings = ExchangeTimings()
            timings.total = start.duration(to: clock.now)
            guard hasBegun, let easy = handle?.easy else { return timings }
            // libcurl counts from the last time that it began.
            let before = naming.delay
            let time = { (info: Int) -> Duration? in
                let microseconds = easy.offset(info)
                return microseconds > 0 ? before + .microseconds(microseconds) : nil
            }
            timings.nameResolved = time(NK_CURLINFO_NAMELOOKUP_TIME_T)
            timings.connected = time(NK_CURLINFO_CONNECT_TIME_T)
            timings.secured = time(NK_CURLINFO_APPCONNECT_TIME_T)
            timings.firstByte = time(NK_CURLINFO_STARTTRANSFER_TIME_T)
            timings.bytesSent = sentCount
            timings.bytesReceived = easy.offset(NK_CURLINFO_SIZE_DOWNLOAD_T)
            timings.reusedConnection = easy.long(NK_CURLINFO_NUM_CONNECTS) == 0
            timings.remoteAddress = easy.text(NK_CURLINFO_PRIMARY_IP)
            timings.protocolVersion =
                switch easy.long(NK_CURLINFO_HTTP_VERSION) {
                case NK_CURL_HTTP_VERSION_1_0: "HTTP/1.0"
                case NK_CURL_HTTP_VERSION_1_1: "HTTP/1.1"
                case NK_CURL_HTTP_VERSION_2_0: "HTTP/2"
                case NK_CURL_HTTP_VERSION_3: "HTTP/3"
                default: nil
                }
            return timings
        }
    }
#endif
