import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of a vault in a file.
@Suite(.needsTheMachine)
struct FileTokenVaultTests {
    private let folder: TemporaryFolder
    private let time = TestClock()
    private var file: URL { folder.file("login/token.json") }
    private var lock: URL { folder.file("login/token.json.lock") }
    private let seal = RecordSeal(
        seal: { Data([7]) + Data($0.map { $0 ^ 0x5A }) },
        open: { data in
            guard data.first == 7 else { throw CocoaError(.coderReadCorrupt) }
            return Data(data.dropFirst().map { $0 ^ 0x5A })
        }
    )

    init() throws {
        folder = try TemporaryFolder()
    }

    private func vault(_ seal: RecordSeal? = nil) -> FileTokenVault {
        FileTokenVault(file: file, seal: seal, clock: time.clock)
    }

    private func permissions(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    private func put(_ value: String, _ seal: RecordSeal? = nil) async throws -> Int64 {
        try #require(try await vault(seal).save(AccessToken(value), for: "ada", over: nil))
    }

    @Test func onlyTheUserCanReadTheFiles() async throws {
        _ = try await put("secret-token")
        #expect(try permissions(file) == 0o600)
        #expect(try permissions(lock) == 0o600)
        #expect(try permissions(file.deletingLastPathComponent()) == 0o700)
        #expect(try !String(contentsOf: lock, encoding: .utf8).contains("secret"))
    }

    @Test func aSealedTokenIsNotReadable() async throws {
        let version = try await put("secret-token", seal)
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("secret"))
        let stored = try await vault(seal).read()
        #expect(stored == SharedToken(version: version, token: AccessToken("secret-token"), identity: "ada"))
        for other in [nil, RecordSeal(seal: { $0 }, open: { _ in throw CancellationError() })] {
            let error = await #expect(throws: NetKitError.self) { try await vault(other).read() }
            #expect(error?.code == .file)
            #expect(error?.message.contains("token.json") == true && error?.message.contains("seal") == true)
        }
        // A login replaces an unreadable token.
        _ = try await put("other")
        #expect(try await vault().read().token?.value == "other")
    }

    @Test func aFileOfAnEarlierStoreIsRead() async throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(#"{"token":{"value":"old"},"identity":"ada"}"#.utf8).write(to: file)
        #expect(try await vault().read() == SharedToken(version: 1, token: AccessToken("old"), identity: "ada"))
    }

    @Test func aFileThatAnotherProgramWroteOrRemovedIsANewVersion() async throws {
        let version = try await put("a")
        try Data(#"{"token":{"value":"by hand"}}"#.utf8).write(to: file)
        let changed = try await vault().read()
        #expect(changed == SharedToken(version: version + 1, token: AccessToken("by hand")))
        try FileManager.default.removeItem(at: file)
        #expect(try await vault().read() == SharedToken(version: version + 1))
        #expect(try await vault().save(AccessToken("b"), for: nil, over: version) == nil)
        #expect(try await vault().save(AccessToken("b"), for: nil, over: version + 1) == version + 2)
    }

    @Test func aDamagedFileIsAnErrorAndALoginReplacesIt() async throws {
        let version = try await put("a")
        try Data("x".utf8).write(to: file)
        for attempt in 0..<3 {
            let error = await #expect(throws: NetKitError.self) {
                switch attempt {
                case 0: _ = try await vault().read()
                case 1: _ = try await vault().lease(version, by: UUID(), for: .seconds(1))
                default: _ = try await vault().save(AccessToken("b"), for: nil, over: version)
                }
            }
            #expect(error?.code == .file)
            #expect(error?.message.contains("Remove the file") == true)
        }
        #expect(try Data(contentsOf: file) == Data("x".utf8))
        #expect(try await put("b") > version)
    }

    /// As on a disk that is full: the lease is in its file already, and the file of the token cannot be made.
    @Test func aFirstSaveThatFailedCanBeRepeatedOverItsVersion() async throws {
        _ = try await vault().lease(0, by: UUID(), for: .seconds(15))
        let obstacle = folder.file("login/token.json.tmp")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        await #expect(throws: NetKitError.self) { try await vault().save(AccessToken("a"), for: "ada", over: 0) }
        // Nothing has changed for other processes.
        #expect(try await vault().read() == SharedToken())
        #expect(try await vault().lease(0, by: UUID(), for: .seconds(15)) == .held(for: .seconds(15)))
        try FileManager.default.removeItem(at: obstacle)
        #expect(try await vault().save(AccessToken("a"), for: "ada", over: 0) != nil)
        #expect(try await vault().read().token?.value == "a")
    }

    @Test func aDamagedLockFileHoldsUpNobody() async throws {
        let version = try await put("a")
        for content in ["", "{", String(repeating: "x", count: 5_000), #"{"version":-7}"#] {
            try Data(content.utf8).write(to: lock)
            guard case .granted = try await vault().lease(version, by: UUID(), for: .seconds(60)) else {
                Issue.record("the right is not granted after \(content.prefix(20))")
                continue
            }
        }
    }

    /// The clock of the leases begins with the machine: after a restart, an earlier lease must not block any process.
    @Test func aLeaseOfBeforeARestartOrOfASetClockCounts() async throws {
        let version = try await put("a")
        time.advance(by: .seconds(1_000))
        _ = try await vault().lease(version, by: UUID(), for: .seconds(15))
        let restarted = FileTokenVault(file: file, clock: TestClock().clock)
        guard case .granted = try await restarted.lease(version, by: UUID(), for: .seconds(15)) else {
            Issue.record("the right is not granted")
            return
        }
        // One in the past counts no more either.
        time.advance(by: .seconds(16))
        guard case .granted = try await vault().lease(version, by: UUID(), for: .seconds(15)) else {
            Issue.record("the right is not granted")
            return
        }
    }

    @Test func aLinkInPlaceOfTheLockIsRefused() async throws {
        _ = try await put("a")
        try FileManager.default.removeItem(at: lock)
        try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: folder.file("elsewhere"))
        let error = await #expect(throws: NetKitError.self) { try await put("b") }
        #expect(error?.code == .file)
        #expect(error?.message.contains("token.json.lock") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.file("elsewhere").path))
    }

    @Test func aLockFileThatSomebodyRemovesIsMadeAgain() async throws {
        let version = try await put("a")
        try FileManager.default.removeItem(at: lock)
        #expect(try await vault().save(AccessToken("b"), for: nil, over: version) == version + 1)
    }

    @Test func aReadOnlyFolderCanBeRead() async throws {
        let version = try await put("a")
        let login = file.deletingLastPathComponent().path
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: login)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: login) }
        #expect(try await vault().read().version == version)
    }

    /// Another process still knows a version of before.
    @Test func aVersionDoesNotReturnAfterTheFilesWereRemoved() async throws {
        for value in ["a", "b"] { _ = try await put(value) }
        let known = try await put("c")
        try FileManager.default.removeItem(at: file.deletingLastPathComponent())
        #expect(try await vault().read() == SharedToken())
        time.advance(by: .seconds(1))
        let version = try await put("login")
        let login = SharedToken(version: version, token: AccessToken("login"), identity: "ada")
        #expect(try await vault().lease(known, by: UUID(), for: .seconds(15)) == .newer(login))

        try FileManager.default.removeItem(at: file.deletingLastPathComponent())
        time.advance(by: .seconds(1))
        let logout = try #require(try await vault().save(nil, for: nil, over: nil))
        let cleared = SharedToken(version: logout)
        #expect(try await vault().lease(version, by: UUID(), for: .seconds(15)) == .newer(cleared))
    }

    @Test func aMissingFolderIsAnErrorThatNamesIt() async throws {
        let vault = FileTokenVault(file: folder.file("missing/login/token.json"))
        let store = TokenStore(shared: vault) { _ in AccessToken("fetched") }
        // Without the vault, another process could refresh at the same time.
        let error = await #expect(throws: NetKitError.self) { try await store.token() }
        #expect(error?.code == .file)
        #expect(error?.message.contains("missing/login") == true)
    }

    @Test func twoStoresOverOneFileRefreshOnce() async throws {
        let refreshes = Locked(0)
        let stores = (0..<4).map { _ in
            TokenStore(shared: FileTokenVault(file: file)) { _ in
                let number = refreshes.withLock { number in
                    number += 1
                    return number
                }
                try await Task.sleep(for: .milliseconds(50))
                return AccessToken("t\(number)")
            }
        }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 { group.addTask { try await stores[number % 4].token().value } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["t1"])
        #expect(refreshes.withLock { $0 } == 1)
    }
}
