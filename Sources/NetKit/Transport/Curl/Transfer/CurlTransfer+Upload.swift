#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// The body of the request, as libcurl asks for it.
    extension CurlTransfer {
        /// The bytes of a body that libcurl holds; with its own 64 KB, a large body takes a third longer.
        static let uploadBufferSize = 512 << 10

        /// Sets the callbacks for a body that is read while it is sent.
        func installUploadCallbacks(_ handle: CurlHandle) {
            let easy = handle.easy
            let pointer = Unmanaged.passUnretained(self).toOpaque()
            easy.setPointer(NK_CURLOPT_READDATA, pointer)
            easy.setData(NK_CURLOPT_READFUNCTION) { bytes, size, count, context in
                CurlTransfer.with(context, else: NK_CURL_READFUNC_ABORT) {
                    $0.supplyBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
                }
            }
            easy.setPointer(NK_CURLOPT_SEEKDATA, pointer)
            _ = nk_curl_set_seek_callback(easy.functions, easy.handle) { context, offset, _ in
                CurlTransfer.with(context, else: Int32(NK_CURL_SEEKFUNC_FAIL)) { $0.rewind(to: offset) }
            }
        }

        private func supplyBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            noteSendingBegan()
            let count: Int
            var isEnd = false
            switch upload {
            case .none, .copied: return 0
            case .source(let source, let position):
                do {
                    count = try source.read(into: buffer, at: position)
                } catch {
                    fail(error)
                    return NK_CURL_READFUNC_ABORT
                }
                upload = .source(source, position: position + Int64(count))
                isEnd = position + Int64(count) >= source.length
            case .stream(let feed):
                switch feed.read(into: buffer) {
                case .bytes(let read):
                    count = read
                    // libcurl does not ask for more than the announced bytes.
                    if let length = feed.length { isEnd = sentCount + Int64(read) >= length }
                case .end: (count, isEnd) = (0, true)
                case .later:
                    isSendingPaused = true
                    return NK_CURL_READFUNC_PAUSE
                case .failed(let error):
                    fail(error)
                    return NK_CURL_READFUNC_ABORT
                }
            }
            noteSent(count)
            watch?.noteSent(isEnd: isEnd, at: now)
            return count
        }

        func noteSent(_ count: Int) {
            sentCount += Int64(count)
            attempt.noteSent(Int64(count))
        }

        func noteSentAgain(from offset: Int64) {
            sentCount = offset
            attempt.noteSentAgain(from: offset)
        }

        /// Makes the next byte of the body the first one, and returns whether that is possible.
        ///
        /// libcurl does not ask for it if the server demands HTTP/1.1 instead of HTTP/2, and would continue the body.
        func startBody() -> Bool {
            switch upload {
            case .none, .copied: true
            case .source, .stream: rewind(to: 0) == Int32(NK_CURL_SEEKFUNC_OK)
            }
        }

        private func rewind(to offset: Int64) -> Int32 {
            switch upload {
            case .source(let source, _) where offset >= 0 && offset <= source.length:
                upload = .source(source, position: offset)
                noteSentAgain(from: offset)
                return Int32(NK_CURL_SEEKFUNC_OK)
            case .stream(let feed) where offset == 0 && feed.isUntouched:
                return Int32(NK_CURL_SEEKFUNC_OK)
            default:
                return Int32(NK_CURL_SEEKFUNC_FAIL)
            }
        }
    }

    extension CurlUpload {
        var isPresent: Bool {
            if case .none = self { false } else { true }
        }
    }
#endif
