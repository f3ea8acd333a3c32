#if canImport(os)
    import os

    /// A span exporter that shows spans as signpost intervals in Instruments.
    public final class SignpostSpanExporter: SpanExporter {
        private let signposter: OSSignposter
        /// The open intervals, by the identifiers of their spans.
        private let open = Locked<[String: OSSignpostIntervalState]>([:])

        /// Creates an exporter.
        ///
        /// - Parameters:
        ///   - subsystem: The subsystem of the signposts.
        ///   - category: The category of the signposts.
        public init(subsystem: String = "NetKit", category: String = "HTTP") {
            signposter = OSSignposter(subsystem: subsystem, category: category)
        }

        /// Begins the interval of a span.
        public func begin(_ span: Span) {
            open.withLock { open in
                let id = signposter.makeSignpostID()
                open[span.context.spanID] = signposter.beginInterval("HTTP", id: id, "\(span.name, privacy: .public)")
            }
        }

        /// Ends the interval of a span.
        public func export(_ span: Span) {
            open.withLock { open in
                guard let state = open.removeValue(forKey: span.context.spanID) else { return }
                signposter.endInterval("HTTP", state, "\(span.errorType ?? "ok", privacy: .public)")
            }
        }
    }
#endif
