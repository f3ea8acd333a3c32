import Foundation
import NetKit
import NetKitTesting

/// Answers that were valid before some of their bytes were changed, cut out, doubled or cut off.
enum FuzzedAnswer {
    private static let valid = [
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 301 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer realm=\"x\"\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 204 None\r\nSet-Cookie: a=b; Expires=Wed, 21 Oct 2037 07:28:00 GMT\r\n\r\n",
    ]

    /// The answer of a seed, the same each time.
    static func bytes(seed: UInt64) -> Data {
        var random = RandomSource.seeded(seed)
        var bytes = Array(valid[Int(seed % UInt64(valid.count))].utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard !bytes.isEmpty else { break }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch random.next() % 5 {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: bytes[place..<min(place + 8, bytes.count)], at: place)
            case 3: bytes.insert(contentsOf: [13, 10], at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return Data(bytes)
    }
}
