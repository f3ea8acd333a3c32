import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the identity of an entry in the journal, which the previous version ignores.
struct JournalIdentityTests {
    private static let id = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
    /// The line as it is written, without its checksum.
    private static let golden =
        "{\"nk\":2,\"seq\":7,\"op\":\"put\",\"id\":\"\(id)\",\"pos\":3,\"lane\":\"default\",\"priority\":0,\"time\":1000,"
        + "\"size\":10,\"retries\":0,\"conflicts\":0,\"identityLength\":17,\"request\":{\"v\":1,\"id\":\"\(id)\","
        + "\"method\":\"POST\",\"url\":\"/a\",\"requiresAuth\":true,\"idempotencyKey\":\"k\",\"timestamp\":1000,\"retryCount\":0,"
        + "\"conflictCount\":0,\"lane\":\"default\",\"priority\":0,\"identity\":\"ada \\\"the 1st\\\"\"},"
        + "\"identity\":\"ada \\\"the 1st\\\"\",\"ack\":6,\"sum\":\""

    private func entry(_ identity: String?) -> (OfflineEntry, QueuedRequest) {
        let request = QueuedRequest(
            HTTPRequest(.post, RequestPath(raw: "/a")),
            id: UUID(uuidString: Self.id),
            idempotencyKey: "k",
            timestamp: Date(timeIntervalSince1970: 1),
            identity: identity
        )
        return (OfflineEntry(request, position: 3, byteCount: 10), request)
    }

    private func line(_ identity: String?) -> [UInt8] {
        let (entry, request) = entry(identity)
        let line = UnnumberedRecord(.put(entry)) { QueuedRequestJSON.write(request, as: "request", to: &$0) }
        var bytes: [UInt8] = []
        line.write(to: &bytes, sequence: 7, acknowledged: 6)
        return bytes.dropLast()
    }

    private func read(_ bytes: [UInt8]) -> OfflineEntry? {
        bytes.withUnsafeBytes { bytes in
            let record = JournalRecord(bytes, in: 0..<bytes.count)
            guard case .put(let entry)? = record?.effect else { return nil }
            return entry
        }
    }

    @Test(arguments: ["ada", "ada \"the 1st\"", "ädä\n😀", "", nil])
    func isReadAgain(identity: String?) throws {
        let bytes = line(identity)
        #expect(read(bytes) == entry(identity).0)
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        #expect(object?["identity"] as? String == identity)
    }

    @Test func isWrittenAsItAlwaysWillBe() {
        let text = String(decoding: line("ada \"the 1st\""), as: UTF8.self)
        #expect(text.hasPrefix(Self.golden))
    }

    /// Reads the head of a record as the previous version does: text only for lane and key, numbers for all other
    /// fields, up to the request.
    @Test func theVersionBeforeReadsTheRecord() {
        let bytes = line("ada")
        let keys = bytes.withUnsafeBytes { bytes -> [String] in
            var fields = JSONFields(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 18)]), from: 16)
            var keys: [String] = []
            while keys.isEmpty || fields.skip(","), let key = fields.string(), fields.skip(":") {
                if key == "request" || key == "sealed" { return keys + [key] }
                let isText = ["op", "id", "lane", "key"].contains(key)
                guard isText ? fields.string() != nil : fields.integer() != nil else { return [] }
                keys.append(key)
            }
            return []
        }
        #expect(keys.last == "request")
        #expect(keys.contains("pos"))
    }

    @Test func aRecordWithAnUnreadableIdentityIsNotTreatedAsAnonymous() {
        let line = UnnumberedRecord(.put(entry(nil).0)) { text in
            text.add("identityLength", 5)
            text.add("request", json: Array("{}".utf8))
        }
        var bytes: [UInt8] = []
        line.write(to: &bytes, sequence: 7, acknowledged: 6)
        #expect(read(bytes.dropLast()) == nil)
    }
}
