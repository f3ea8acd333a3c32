import Foundation
import Testing

@testable import NetKit

/// Tests of the hash with the vectors of its standard.
struct SHA256Tests {
    private func hash(_ pieces: [Data]) -> String {
        var hash = SHA256()
        for piece in pieces { piece.withUnsafeBytes { hash.add($0) } }
        return hash.value
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func thePublishedVectorsComeOut(_ text: String, _ expected: String) {
        #expect(hash([Data(text.utf8)]) == expected)
    }

    @Test(arguments: [1, 7, 63, 64, 65, 127, 200])
    func piecesMakeNoDifference(_ size: Int) {
        let data = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
        let pieces = stride(from: 0, to: data.count, by: size).map { data[$0..<min(data.count, $0 + size)] }
        #expect(hash(pieces) == hash([data]))
    }

    /// Around the lengths at which the padding needs a block of its own.
    @Test func eachLengthHasAHashOfItsOwn() {
        let hashes = (0..<200).map { hash([Data(count: $0)]) }
        #expect(Set(hashes).count == 200)
        #expect(hashes.allSatisfy { $0.count == 64 })
    }
}
