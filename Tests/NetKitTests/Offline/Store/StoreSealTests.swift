import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a folder that gets a seal after it was used without one.
struct StoreSealTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let seal = RecordSeal(
        seal: { Data($0.map { $0 ^ 0x5A }) },
        open: { Data($0.map { $0 ^ 0x5A }) }
    )

    private func store(sealed: Bool) -> JSONOfflineStore {
        JSONOfflineStore(directory: folder.file("queue"), seal: sealed ? Self.seal : nil)
    }

    @Test(arguments: [100, 100_000])
    func aRequestFromBeforeTheSealIsReadAndSealedWhenItIsChanged(size: Int) async throws {
        let (body, base) = (Data(repeating: 7, count: size), Data(repeating: 8, count: size))
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .data(body)), baseData: base)
        let first = store(sealed: false)
        try await first.append(request, byteCount: size)
        await first.close()
        let second = store(sealed: true)
        let entry = try #require(await second.entries().first)
        let kept = try #require(await second.stored(request.id)).request
        #expect(kept.body?.bytes == body)
        #expect(kept.baseData == base)
        var update = OfflineUpdate(entry)
        update.request = kept
        #expect(try await second.release(request.id, update))
        await second.close()
        let third = store(sealed: true)
        #expect(try await third.entries().map(\.id) == [request.id])
        let changed = try #require(await third.stored(request.id)).request
        #expect(changed.body?.bytes == body)
        #expect(changed.baseData == base)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("queue/bodies").path()) {
            let bytes = try Data(contentsOf: folder.file("queue/bodies/\(name)"))
            #expect(bytes != body && bytes != base, "\(name)")
        }
        await third.close()
    }

    @Test(arguments: [100, 100_000])
    func aResponseFromBeforeTheSealIsShown(size: Int) async throws {
        let response = Data(repeating: UInt8(ascii: "a"), count: size)
        let sender = ScriptedSender { _ in HTTPResponse(status: 422, body: ResponseBody(response)) }
        let first = try await OfflineQueue.testing(sender, store: store(sealed: false)) {
            $0.maxResponseBytes = 1 << 20
        }
        try await first.enqueue(.post("/refused"))
        await first.processQueue()
        await first.close()
        let second = try await OfflineQueue.testing(nil, store: store(sealed: true))
        let letter = try #require(await second.deadLetters.first)
        #expect(letter.response?.body == response)
        #expect(letter.reason == .refused)
        await second.close()
    }

    /// The request is from before the seal, and can be read without it.
    @Test(arguments: [100, 100_000])
    func aSealedResponseIsNotReadWithoutTheSeal(size: Int) async throws {
        let first = store(sealed: false)
        try await first.append(.post("/refused"))
        await first.close()
        let response = Data(repeating: UInt8(ascii: "a"), count: size)
        let sender = ScriptedSender { _ in HTTPResponse(status: 422, body: ResponseBody(response)) }
        let second = try await OfflineQueue.testing(sender, store: store(sealed: true)) {
            $0.maxResponseBytes = 1 << 20
        }
        await second.processQueue()
        await second.close()
        let third = try await OfflineQueue.testing(nil, store: store(sealed: false))
        let letter = try #require(await third.deadLetters.first)
        #expect(letter.request.endpoint == "/refused")
        #expect(letter.message.hasPrefix("The response cannot be read: "))
        #expect(letter.message.contains("is sealed, and the store was made without a seal."))
        await third.close()
    }

    /// The files of a changed request could take the names of the current ones, which are unknown.
    @Test(arguments: [false, true])
    func anEntryWhoseFilesCannotBeReadIsNotChangedButGivenBack(isChanged: Bool) async throws {
        struct NoKey: Error {}
        let isFailing = Flag()
        let hasFailed = Flag()
        let seal = RecordSeal(
            seal: { $0 },
            open: { data in
                // It fails once.
                guard isFailing.isSet, !hasFailed.isSet else { return data }
                hasFailed.set()
                throw NoKey()
            }
        )
        let store = JSONOfflineStore(directory: folder.file("queue"), seal: seal)
        let request = QueuedRequest.post("/")
        try await store.append(request)
        var dead = OfflineUpdate(try #require(await store.entries().first))
        dead.state = .deadLetter
        let response = NetKitError.Response(status: 422, headers: [:], body: Data(repeating: 7, count: 100_000))
        dead.detail = OfflineDetail(message: "no", date: Date(timeIntervalSince1970: 0), response: response)
        #expect(try await store.release(request.id, dead))
        let file = folder.file("queue/bodies/\(request.id).detail")
        #expect(FileManager.default.fileExists(atPath: file.path()))
        var update = OfflineUpdate.revival(of: try #require(await store.entries().first))
        update.request = isChanged ? request : nil
        isFailing.set()
        let code = await thrownCode { try await store.release(request.id, update) }
        #expect(code == (isChanged ? .decoding : nil))
        #expect(hasFailed.isSet)
        #expect(try await store.entries().map(\.state) == [isChanged ? .deadLetter : .waiting])
        #expect(FileManager.default.fileExists(atPath: file.path()))
        await store.close()
    }

    @Test(arguments: [(false, "without a seal"), (true, "another key")])
    func anErrorSaysWhatIsWrongWithTheSeal(hasOther: Bool, problem: String) async throws {
        struct OtherKey: Error {}
        let large = Data(repeating: 7, count: 100_000)
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .data(large)))
        let first = store(sealed: true)
        try await first.append(request)
        await first.close()
        let seal = RecordSeal(seal: { $0 }, open: { _ in throw OtherKey() })
        let second = JSONOfflineStore(directory: folder.file("queue"), seal: hasOther ? seal : nil)
        #expect(try await second.entries().map(\.id) == [request.id])
        let error = await #expect(throws: NetKitError.self) { _ = try await second.stored(request.id) }
        #expect(error?.code == .decoding)
        #expect(error?.message.contains(problem) == true)
        // It may come back.
        #expect((error?.cause is StoredRequestDamage) == false)
        await second.close()
    }
}
