#if os(Linux) && canImport(CNetKitCurl)
    import CNetKitBenchFloor
    import CNetKitCurl
    import Foundation
    import NetKit

    /// libcurl's multi interface, driven from C: the basis of every client over libcurl.
    ///
    /// `@unchecked Sendable` at the bridge to C: `handle` is used only under `lock`.
    final class Floor: @unchecked Sendable {
        private let handle: OpaquePointer
        private let kind: FloorKind
        private let lock = Locked(())

        init(_ kind: FloorKind) throws {
            guard let handle = nk_floor_create(try Self.functions.get(), kind.isPolling ? 1 : 0) else {
                throw BenchError("libcurl cannot create a multi handle.")
            }
            (self.handle, self.kind) = (handle, kind)
        }

        deinit { nk_floor_destroy(handle) }

        /// The work of a run.
        struct Task: Sendable {
            var url: URL
            /// The number of calls, or the time.
            var extent: Extent
            var callers = 1
            var authorities: String?
            /// The body to send; `nil` for a GET.
            var upload: UploadSource?
            var isCollecting = true
            /// The number of bytes that each response must have; `nil` for any.
            var responseSize: Int?
        }

        enum Extent: Sendable {
            case calls(Int)
            case time(Duration)
        }

        /// Performs a run on a separate thread, and measures it.
        func measure(_ task: Task) async throws -> Measurement {
            await Measurement.counting {
                let result = await run(task)
                var failures: [String: Int] = [:]
                if result.failures > 0 { failures["code or status \(result.first_failure)"] = Int(result.failures) }
                if let size = task.responseSize, result.bytes != result.calls * Int64(size), failures.isEmpty {
                    failures["\(result.bytes) bytes in all"] = Int(result.calls)
                }
                return (Int(result.calls), failures)
            }
        }

        private func run(_ task: Task) async -> nk_floor_result {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: self.lock.withLock { _ in self.runHere(task) })
                }
            }
        }

        private func runHere(_ task: Task) -> nk_floor_result {
            let (path, bytes, size): (String?, Data, Int) =
                switch task.upload {
                case .file(let file, let size): (file.path(percentEncoded: false), Data(), size)
                case .data(let data): (nil, data, data.count)
                case nil: (nil, Data(), 0)
                }
            return task.url.absoluteString.withCString { url in
                Self.withOptionalCString(task.authorities) { authorities in
                    Self.withOptionalCString(path) { file in
                        var (calls, milliseconds) = (Int64(0), Int64(0))
                        switch task.extent {
                        case .calls(let count): calls = Int64(count)
                        case .time(let time): milliseconds = Int64(time.seconds * 1e3)
                        }
                        return bytes.withUnsafeBytes { bytes in
                            var floorTask = nk_floor_task(
                                url: url,
                                ca_file: authorities,
                                upload_file: file,
                                upload_bytes: bytes.isEmpty ? nil : bytes.baseAddress,
                                upload_size: Int64(size),
                                callers: Int32(task.callers),
                                calls: calls,
                                milliseconds: milliseconds,
                                is_collecting: task.isCollecting ? 1 : 0,
                                has_new_handles: kind.hasNewHandles ? 1 : 0
                            )
                            return nk_floor_run(handle, &floorTask)
                        }
                    }
                }
            }
        }

        private static func withOptionalCString<Result>(
            _ text: String?,
            _ body: (UnsafePointer<CChar>?) -> Result
        ) -> Result {
            guard let text else { return body(nil) }
            return text.withCString(body)
        }

        /// libcurl's functions, which are found as NetKit finds them, and are never freed.
        ///
        /// They are owned by this constant, and written only by its initialization.
        private nonisolated(unsafe) static let functions: Result<UnsafePointer<nk_curl_api>, BenchError> = {
            let functions = UnsafeMutablePointer<nk_curl_api>.allocate(capacity: 1)
            var reason = [CChar](repeating: 0, count: 256)
            guard nk_curl_load(nil, functions, &reason, reason.count) == nk_load_ok,
                functions.pointee.global_init(Int(NK_CURL_GLOBAL_DEFAULT)) == Int32(NK_CURLE_OK)
            else { return .failure(BenchError("libcurl cannot be used.")) }
            return .success(UnsafePointer(functions))
        }()
    }
#endif
