import NetKit

/// The declarations of swift-log that the bridge uses.
enum Logging {
    struct Logger: Sendable {
        enum Level: Sendable {
            case trace, debug, info, notice, warning, error, critical
        }

        typealias Metadata = [String: MetadataValue]

        struct Message: ExpressibleByStringInterpolation, Sendable, Equatable {
            let text: String

            init(stringLiteral text: String) { self.text = text }
        }

        enum MetadataValue: Sendable, Equatable {
            case string(String)
        }

        let write: @Sendable (Level, Message, Metadata?) -> Void

        func log(
            level: Level,
            _ message: @autoclosure () -> Message,
            metadata: @autoclosure () -> Metadata? = nil,
            source: @autoclosure () -> String? = nil
        ) {
            write(level, message(), metadata())
        }
    }
}

extension Logging {
    // GUIDE: begin
    struct SwiftLogSink: LogSink {
        let logger: Logger

        func write(_ record: LogRecord) {
            let metadata = record.metadata.mapValues { Logger.MetadataValue.string($0.description) }
            logger.log(level: level(of: record), "\(record.message)", metadata: metadata, source: "NetKit")
        }

        private func level(of record: LogRecord) -> Logger.Level {
            switch record.level {
            case .trace: .trace
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            default: .critical
            }
        }
    }
    // GUIDE: end
}
