import Foundation
import NetKit
import NetKitTesting
import Testing

struct LogSinkTests {
    private static func record(_ message: String = "GET https://h/ -> 200 in 12 ms, 5 bytes") -> LogRecord {
        LogRecord(
            .info,
            message,
            metadata: [
                "method": "GET", "status": 200, "duration_ms": 12.5, "received_bytes": 5, "odd name": "two words",
                "outcome": "answered",
            ],
            error: NetKitError(.timeout, "late"),
            callID: CallID(),
            date: Date(timeIntervalSince1970: 0)
        )
    }

    private static func lines(_ make: (LogOutput) -> any LogSink, _ record: LogRecord) -> [String] {
        let lines = Notebook<String>()
        make(.lines { lines.add($0) }).write(record)
        return lines.entries
    }

    @Test func theTextSinkWritesAReadableLine() {
        let record = Self.record()
        #expect(
            Self.lines({ TextLogSink(to: $0) }, record) == [
                "1970-01-01T00:00:00.000Z info    GET https://h/ -> 200 in 12 ms, 5 bytes call=\(record.callID) "
                    + "\"odd name\"=\"two words\" outcome=answered received_bytes=5"
            ]
        )
    }

    @Test func theJSONSinkWritesALineOfJSON() throws {
        let record = Self.record("say \"x\"\n")
        let lines = Self.lines({ JSONLinesLogSink(to: $0) }, record)
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(
            line
                == "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"info\",\"message\":\"say \\\"x\\\"\\\\n\","
                + "\"call\":\"\(record.callID)\",\"error\":\"timeout\",\"duration_ms\":12.5,\"method\":\"GET\","
                + "\"odd name\":\"two words\",\"outcome\":\"answered\",\"received_bytes\":5,\"status\":200}"
        )
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }

    @Test func metadataCannotReplaceTheRecordsMembers() throws {
        var record = Self.record()
        record.metadata = ["level": "critical", "call": "other", "bad": .decimal(.infinity)]
        let line = try #require(Self.lines({ JSONLinesLogSink(to: $0) }, record).first)
        #expect(!line.contains("critical") && !line.contains("other"))
        #expect(line.contains("\"bad\":null"))
    }

    @Test func aClosureGetsTheRecord() {
        let records = Notebook<LogRecord>()
        ClosureLogSink { records.add($0) }.write(Self.record())
        #expect(records.entries.map(\.level) == [.info])
        #expect(records.entries.first?.metadata["status"] == 200)
    }

    @Test func customRecordsAreEscaped() {
        let record = Self.record("a\nb")
        #expect(record.message == "a\\nb")
        #expect(LogValue.text("a\nb").description == "a\\nb")
        #expect(LogValue.integer(UInt64.max).description == "\(Int64.max)")
    }
}
