#if canImport(os)
    import os

    /// Shows spans as intervals in Instruments.
    public final class SignpostSpanExporter: SpanExporter {
        private let signposter: OSSignposter
        /// The intervals that have begun, by the names of their spans.
        private let open = Locked<[String: OSSignpostIntervalState]>([:])

        /// Makes an exporter.
        ///
        /// - Parameters:
        ///   - subsystem: What the intervals are listed under.
        ///   - category: A name inside the subsystem.
        public init(subsystem: String = "NetKit", category: String = "HTTP") {
            signposter = OSSignposter(subsystem: subsystem, category: category)
        }

        /// Begins an interval.
        public func begin(_ span: Span) {
            open.withLock { open in
                let id = signposter.makeSignpostID()
                open[span.context.spanID] = signposter.beginInterval("HTTP", id: id, "\(span.name, privacy: .public)")
            }
        }

        /// Ends the interval.
        public func export(_ span: Span) {
            open.withLock { open in
                guard let state = open.removeValue(forKey: span.context.spanID) else { return }
                signposter.endInterval("HTTP", state, "\(span.problem ?? "ok", privacy: .public)")
            }
        }
    }
#endif
