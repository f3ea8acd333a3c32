import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of a store that keeps its token in a file.
@Suite(.needsTheMachine)
struct TokenFileTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.file("login/token.json") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
    }

    private func permissions(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test func theNextRunHasTheToken() async throws {
        let first = TokenStore(file: file, identity: "ada") { _ in
            AccessToken("fetched", expiresIn: .seconds(3_600), refreshToken: "next")
        }
        #expect(try await first.token().value == "fetched")
        #expect(first.saveProblem == nil)
        #expect(try names().sorted() == ["token.json", "token.json.lock"])
        #expect(try permissions(file) == 0o600)
        #expect(try permissions(file.deletingLastPathComponent()) == 0o700)

        let second = TokenStore(file: file, identity: "ada") { _ in throw CancellationError() }
        #expect(try await second.token().refreshToken == "next")
        #expect(second.identity == "ada")
        await second.set(AccessToken("by hand"))
        #expect(try await TokenStore(file: file).token().value == "by hand")
        #expect(try names().sorted() == ["token.json", "token.json.lock"])
    }

    /// Its file is read in several parts.
    @Test(arguments: [10_000, 40_000]) func aLongTokenIsReadWhole(length: Int) async throws {
        let value = String(repeating: "t", count: length)
        await TokenStore(file: file).set(AccessToken(value))
        #expect(try await TokenStore(file: file).token().value == value)
    }

    @Test func aLogoutRemovesTheFile() async throws {
        let store = TokenStore(file: file)
        await store.set(AccessToken("t"))
        // A process that was killed while it saved leaves this.
        try Data("t".utf8).write(to: URL(fileURLWithPath: file.path + ".tmp"))
        #expect(try names().sorted() == ["token.json", "token.json.lock", "token.json.tmp"])
        await store.clear()
        #expect(store.saveProblem == nil)
        #expect(try names() == ["token.json.lock"])
        let next = TokenStore(file: file)
        let error = await #expect(throws: NetKitError.self) { try await next.token() }
        #expect(error?.code == .unauthorized)
    }

    @Test func theTokenOfAnotherIdentityIsNotUsed() async throws {
        let store = TokenStore(file: file, identity: "ada")
        await store.set(AccessToken("of bob"), identity: "bob")
        let ada = TokenStore(file: file, identity: "ada") { current in AccessToken("after \(current?.value ?? "none")")
        }
        #expect(try await ada.token().value == "after none")
        #expect(try await TokenStore(file: file, identity: "ada").token().value == "after none")
    }

    @Test func theRightToRefreshLastsByTheClockOfTheStore() async throws {
        let (time, began, end) = (TestClock(), Promise<Void>(), Promise<AccessToken>())
        let store = TokenStore(file: file, clock: time.clock) { _ in
            began.resolve(.success(()))
            return try await end.value()
        }
        let token = Task { try await store.token() }
        try await began.value()
        let lease = try await FileTokenVault(file: file, clock: time.clock).lease(0, by: UUID(), for: .seconds(15))
        #expect(lease == .held(for: .seconds(15)))
        end.resolve(.success(AccessToken("fetched")))
        #expect(try await token.value.value == "fetched")
    }

    @Test(arguments: ["", "{", "[1]", #"{"token":{}}"#])
    func aDamagedFileIsAnErrorThatSaysWhatToDoAndStays(content: String) async throws {
        let store = TokenStore(file: folder.file("token.json")) { _ in AccessToken("fetched") }
        try Data(content.utf8).write(to: folder.file("token.json"))
        let error = try #require(await #expect(throws: NetKitError.self) { try await store.token() })
        #expect(error.code == .file)
        #expect(error.message.contains("token.json") && error.message.contains("Remove the file"))
        #expect(try Data(contentsOf: folder.file("token.json")) == Data(content.utf8))
    }

    /// To open it would wait for its other end.
    @Test(arguments: ["token.json", "token.json.lock"])
    func aPipeInPlaceOfAFileIsAnError(name: String) async throws {
        let pipe = folder.file(name).path(percentEncoded: false)
        try #require(mkfifo(pipe, 0o600) == 0)
        // With both ends open, nothing waits, and reading at a position is the error.
        let ends = open(pipe, O_RDWR)
        defer { close(ends) }
        let vault = FileTokenVault(file: folder.file("token.json"))
        let error = try #require(await #expect(throws: NetKitError.self) { try await vault.read() })
        #expect(error.code == .file)
        #expect(error.message.contains(name) && error.message.contains("it is not a regular file"))
    }

    @Test func aTokenThatCannotBeSavedIsUsedAndReported() async throws {
        let file = folder.file("missing/login/token.json")
        let store = TokenStore(file: file) { _ in AccessToken("fetched") }
        #expect(try await store.token().value == "fetched")
        let problem = try #require(store.saveProblem as? NetKitError)
        #expect(problem.code == .file)
        #expect(problem.message.contains("missing/login"))
        #expect(store.warnings.count == 1)
    }
}
