import Foundation
import NetKit
import NetKitTesting
import Testing

/// Bodies that name themselves, with bytes that all follow from the name.
enum VersionedBody {
    /// Returns the body of a number in a version; number 0 has a long one.
    static func data(_ number: Int, version: Int) -> Data {
        let name = Data("\(number):\(version)\n".utf8)
        let size = number == 0 ? 1_500_000 : (number * 7919 + version * 104_729) % 300_000
        let random = RandomSource.seeded(UInt64(number * 1_000_003 + version))
        var words: [UInt64] = []
        for _ in 0..<(size / 8 + 1) { words.append(random.next()) }
        return name + words.withUnsafeBytes { Data($0.prefix(size)) }
    }

    /// Returns the number and the version that a body names.
    static func name(of data: Data) -> (number: Int, version: Int)? {
        let name = String(decoding: data.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).split(separator: ":")
        guard name.count == 2, let number = Int(name[0]), let version = Int(name[1]) else { return nil }
        return (number, version)
    }

    /// Returns whether data is the body that it names, from the first byte to the last.
    static func isWhole(_ data: Data) -> Bool {
        name(of: data).map { data == Self.data($0.number, version: $0.version) } ?? false
    }

    /// Reads the stored bodies of the URLs below `/n`, expects each to be whole, and returns their number.
    static func readAll(_ count: Int, of base: URL, in cache: URL, _ note: String = "") async throws -> Int {
        let store = DiskCacheStore(directory: cache)
        let client = HTTPClient(
            baseURL: base,
            transport: MockTransport(),
            interceptors: [CacheInterceptor(store, policy: .cacheOnly)]
        )
        var found = 0
        for number in 0..<count {
            do {
                let response = try await client.send(HTTPRequest(.get, "/n/\(number)"))
                let data = try await response.body.collect(upTo: 4 << 20)
                #expect(Self.isWhole(data) && name(of: data)?.number == number, "\(note), entry \(number)")
                found += 1
            } catch NetKitError.Code.cacheMiss {
                continue
            }
        }
        // The statistics arrive after the store has listed its folder, beside the reads, and removed leftovers.
        _ = await store.statistics
        let leftovers = try FileManager.default.contentsOfDirectory(atPath: cache.path).filter { $0.hasPrefix("tmp-") }
        #expect(leftovers.isEmpty)
        return found
    }
}
