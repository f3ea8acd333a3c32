#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// The codings that this process can decode with the available libraries.
    struct ContentCodings: Sendable {
        /// The codings of this process, once they are known.
        private static let found = Locked<ContentCodings?>(nil)

        /// The codings that were found when they were first needed.
        ///
        /// Reading it throws if the system lacks the resources to open a library, which would otherwise stay missing.
        static var available: ContentCodings {
            get throws(NetKitError) { try known(in: found) { ContentCodings() } }
        }

        /// Returns the codings that are known, or else those that a search finds.
        static func known(
            in found: borrowing Locked<ContentCodings?>,
            or find: () -> ContentCodings
        ) throws(NetKitError) -> ContentCodings {
            try found.withLock { found throws(NetKitError) in
                if let found { return found }
                // Under the lock, so that concurrent callers look for the libraries only once.
                let codings = find()
                if let shortage = codings.shortage { throw shortage }
                found = codings
                return codings
            }
        }

        private let zlib: Result<nk_zlib_api, Missing>
        private let brotli: Result<nk_brotli_api, Missing>
        private let zstd: Result<nk_zstd_api, Missing>

        /// The reason why a library is missing.
        private struct Missing: Error {
            let reason: String
            /// Whether the cause is a lack of resources on this machine, which may pass.
            let isLocalShortage: Bool
        }

        /// Looks for the libraries; a name replaces the usual library, even one that is linked in.
        init(zlib: String? = nil, brotli: String? = nil, zstd: String? = nil) {
            self.zlib = Self.load { nk_zlib_load(zlib, $0, $1, $2) }
            self.brotli = Self.load { nk_brotli_load(brotli, $0, $1, $2) }
            self.zstd = Self.load { nk_zstd_load(zstd, $0, $1, $2) }
        }

        /// The value for `Accept-Encoding`: the codings that can be decoded, in a fixed order; `nil` if there are none.
        var acceptEncoding: String? {
            let names = ContentCoding.allCases.filter { missingReason($0) == nil }.map(\.rawValue)
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }

        /// Returns the reason why a coding cannot be decoded; `nil` if it can be.
        func missingReason(_ coding: ContentCoding) -> String? {
            switch coding {
            case .gzip, .deflate: Self.missing(zlib)?.reason
            case .br: Self.missing(brotli)?.reason
            case .zstd: Self.missing(zstd)?.reason
            }
        }

        /// The error of a library that could not be opened for lack of resources; `nil` if there is none.
        var shortage: NetKitError? {
            let missing = [Self.missing(zlib), Self.missing(brotli), Self.missing(zstd)].compactMap { $0 }
            guard let shortage = missing.first(where: \.isLocalShortage) else { return nil }
            let advice = "Raise the limit of open files, or free memory."
            return NetKitError(
                .connect,
                "A library that decodes bodies could not be opened: \(shortage.reason). \(advice)",
                cause: LocalShortage()
            )
        }

        /// Returns the decoder for a body with a `Content-Encoding`.
        ///
        /// The result is `nil` if the body and the field are delivered unchanged: there is no coding, one is unknown or
        /// its library is missing, or there are too many. It throws `.unsupported` if a library does not start.
        func decoder(
            for contentEncoding: String,
            maxRatio: Int = ContentDecoder.defaultMaximumRatio,
            bufferSize: Int = ContentDecoder.defaultBufferSize
        ) throws -> ContentDecoder? {
            guard let codings = ContentCoding.list(contentEncoding), !codings.isEmpty else { return nil }
            guard codings.allSatisfy({ missingReason($0) == nil }) else { return nil }
            // The coding that was applied last is removed first.
            let decoders = try codings.reversed().map { (coding: $0, decoder: try decoder(of: $0)) }
            return ContentDecoder(decoders, maxRatio: maxRatio, bufferSize: bufferSize)
        }

        private func decoder(of coding: ContentCoding) throws -> any CodingDecoder {
            switch coding {
            case .gzip: try GzipDecoder(zlib.get())
            case .deflate: try DeflateDecoder(zlib.get())
            case .br: try BrotliDecoder(brotli.get())
            case .zstd: try ZstdDecoder(zstd.get())
            }
        }

        private static func load<API>(
            _ load: (UnsafeMutablePointer<API>, UnsafeMutablePointer<CChar>, Int) -> nk_load_result
        ) -> Result<API, Missing> {
            let table = UnsafeMutablePointer<API>.allocate(capacity: 1)
            defer { table.deallocate() }
            var reason = [CChar](repeating: 0, count: 256)
            let result = reason.withUnsafeMutableBufferPointer { room in
                room.baseAddress.map { load(table, $0, room.count) } ?? nk_load_failed
            }
            // The table is used only if it is complete.
            if result == nk_load_ok { return .success(table.pointee) }
            let text = reason.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
            return .failure(
                Missing(
                    reason: String(decoding: text, as: UTF8.self),
                    isLocalShortage: result == nk_load_no_resources
                )
            )
        }

        private static func missing<API>(_ result: Result<API, Missing>) -> Missing? {
            if case .failure(let missing) = result { missing } else { nil }
        }
    }
#endif
