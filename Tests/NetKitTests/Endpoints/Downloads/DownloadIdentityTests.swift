import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of downloads that are interrupted, while another user logs in.
@Suite(.timeLimit(.minutes(5)))
struct DownloadIdentityTests {
    private static let (ada, bob) = (Data(repeating: 1, count: 1000), Data(repeating: 2, count: 1000))
    private static let date = Date(timeIntervalSince1970: 1_699_990_000)

    private let time = TestClock()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func client(
        _ file: RangeFile,
        certificate: String? = nil,
        _ interceptors: any Interceptor...
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        return HTTPClient(
            baseURL: exampleBase,
            transport: IdentityTransport(identity: certificate, transport: file.transport),
            interceptors: InterceptorList(interceptors),
            configuration: configuration
        )
    }

    private func rules(attempts: Int, isResumable: Bool) -> DownloadRules {
        let retry = RetryPolicy(maxAttempts: attempts, backoffStrategy: .fixed(interval: .seconds(1)), jitter: .none)
        return DownloadRules(isResumable: isResumable, retry: retry)
    }

    private func saved() throws -> Data { try Data(contentsOf: folder.file("saved")) }

    /// The server knows the files by their dates alone, and those of both users are the same.
    @Test func aTransferIsNotContinuedForAnotherUser() async throws {
        let file = RangeFile(Self.ada, tag: nil, modified: Self.date, cuts: [400])
        let tokens = TokenStore(initial: "a", identity: "ada")
        let (client, place) = (client(file, AuthInterceptor(tokens)), folder.file("saved"))
        let rules = rules(attempts: 3, isResumable: false)
        let download = Task { try await client.download("/file", to: place, rules: rules) }
        await time.waitForSleepers(1)
        await tokens.set(AccessToken("b"), identity: "bob")
        file.state.withLock { $0.content = Self.bob }
        time.advance(by: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { try await download.value }
        #expect(error?.code == .unauthorized)
        #expect(error?.cause is IdentityChange)
        #expect(file.ranges == [nil])
        #expect(try folder.names.isEmpty)
    }

    @Test func aTransferIsContinuedWithANewTokenOfTheSameUser() async throws {
        let file = RangeFile(Self.ada, cuts: [400])
        let tokens = TokenStore(initial: "a", identity: "ada")
        let (client, place) = (client(file, AuthInterceptor(tokens)), folder.file("saved"))
        let rules = rules(attempts: 3, isResumable: false)
        let download = Task { try await client.download("/file", to: place, rules: rules) }
        await time.waitForSleepers(1)
        await tokens.set(AccessToken("a-2"), identity: "ada")
        time.advance(by: .seconds(1))
        #expect(try await download.value.byteCount == 1000)
        #expect(try saved() == Self.ada)
        #expect(file.ranges == [nil, "bytes=400-"])
    }

    @Test func aPartIsContinuedForItsUserOnly() async throws {
        let file = RangeFile(Self.ada, cuts: [400])
        let tokens = TokenStore(initial: "a", identity: "ada")
        let client = client(file, AuthInterceptor(tokens))
        let (place, rules) = (folder.file("saved"), rules(attempts: 1, isResumable: true))
        await #expect(throws: NetKitError.self) { try await client.download("/file", to: place, rules: rules) }
        await tokens.set(AccessToken("b"), identity: "bob")
        file.state.withLock { $0.content = Self.bob }
        #expect(try await client.download("/file", to: place, rules: rules).resumedFrom == 0)
        #expect(try saved() == Self.bob)
        await tokens.set(AccessToken("a-2"), identity: "ada")
        file.state.withLock { $0.content = Self.ada }
        #expect(try await client.download("/file", to: place, rules: rules).resumedFrom == 400)
        #expect(try saved() == Self.ada)
        #expect(file.ranges == [nil, nil, "bytes=400-"])
        #expect(try folder.names == ["saved"])
    }

    /// A date may be that of another user's file. An ETag stands for the bytes.
    @Test(arguments: [(nil, 0), ("\"one\"", 400)] as [(String?, Int64)])
    func aPartOfALoginWithoutANameNeedsAnETag(_ tag: String?, _ resumedFrom: Int64) async throws {
        let file = RangeFile(Self.ada, tag: tag, modified: Self.date, cuts: [400])
        let client = client(file, AuthInterceptor(TokenStore(initial: "a")))
        let (place, rules) = (folder.file("saved"), rules(attempts: 1, isResumable: true))
        await #expect(throws: NetKitError.self) { try await client.download("/file", to: place, rules: rules) }
        #expect(try await client.download("/file", to: place, rules: rules).resumedFrom == resumedFrom)
        #expect(try saved() == Self.ada)
        #expect(try folder.names == ["saved"])
    }

    /// A call without a login continues by a date as well, but only its own part.
    @Test func aPartOfALoginWithoutANameIsNotContinuedWithoutALogin() async throws {
        let file = RangeFile(Self.ada, tag: nil, modified: Self.date, cuts: [400])
        let owner = client(file, AuthInterceptor(TokenStore(initial: "a")))
        let (place, rules) = (folder.file("saved"), rules(attempts: 1, isResumable: true))
        await #expect(throws: NetKitError.self) { try await owner.download("/file", to: place, rules: rules) }
        file.state.withLock { $0.content = Self.bob }
        #expect(try await client(file).download("/file", to: place, rules: rules).resumedFrom == 0)
        #expect(try saved() == Self.bob)
        #expect(file.ranges == [nil, nil])
    }

    /// The cache also takes such a field for a credential, in place of that of the client or beside it.
    @Test(arguments: ["Authorization", "X-User-Token"])
    func aCredentialInTheFieldsOfACallIsALoginWithoutAName(_ field: String) async throws {
        let file = RangeFile(Self.ada, tag: nil, modified: Self.date, cuts: [400])
        let service = AuthInterceptor(TokenStore(initial: "s", identity: "service"))
        let (client, place) = (client(file, service), folder.file("saved"))
        let rules = rules(attempts: 1, isResumable: true)
        await #expect(throws: NetKitError.self) {
            try await client.download("/file", to: place, headers: [field: "a"], rules: rules)
        }
        file.state.withLock { $0.content = Self.bob }
        let result = try await client.download("/file", to: place, headers: [field: "b"], rules: rules)
        #expect(result.resumedFrom == 0)
        #expect(try saved() == Self.bob)
    }

    /// An interceptor that says nothing about the field that it adds, unless it is declared.
    private struct Adder: Interceptor {
        let field: String

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers.add(field, "a")
            return try await next(request, context)
        }
    }

    private struct DeclaredAdder: HeaderAdding {
        let adder: Adder
        var addedHeaderNames: Set<String> { [adder.field] }

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            try await adder.intercept(request, context: context, next: next)
        }
    }

    /// Both clients have the interceptor, and the server knows its file by a date.
    @Test(
        arguments: [
            (HeadersInterceptor(["X-API-Key": "a"] as HTTPHeaders), 0),
            (HeadersInterceptor(["Accept-Language": "es"] as HTTPHeaders), 400),
            (HeadersInterceptor { _, _ in ["X-API-Key": "a"] }, 0), (Adder(field: "X-API-Key"), 0),
            (DeclaredAdder(adder: Adder(field: "X-API-Key")), 0),
            (DeclaredAdder(adder: Adder(field: "Accept-Language")), 400),
        ] as [(any Interceptor, Int64)]
    )
    func aCredentialOfAnInterceptorIsALoginWithoutAName(_ interceptor: any Interceptor, _ resumedFrom: Int64)
        async throws
    {
        let file = RangeFile(Self.ada, tag: nil, modified: Self.date, cuts: [400])
        let (place, rules) = (folder.file("saved"), rules(attempts: 1, isResumable: true))
        for client in [client(file, interceptor), client(file, interceptor)] {
            let result = try? await client.download("/file", to: place, rules: rules)
            #expect(result?.resumedFrom ?? resumedFrom == resumedFrom)
        }
        #expect(try saved() == Self.ada)
        #expect(file.ranges == [nil, resumedFrom > 0 ? "bytes=400-" : nil])
    }

    @Test func aPartIsContinuedWithItsClientCertificateOnly() async throws {
        let file = RangeFile(Self.ada, tag: nil, modified: Self.date, cuts: [400, 500])
        let (place, rules) = (folder.file("saved"), rules(attempts: 1, isResumable: true))
        for certificate in ["ada.pem", "bob.pem"] {
            let client = client(file, certificate: certificate)
            await #expect(throws: NetKitError.self) { try await client.download("/file", to: place, rules: rules) }
        }
        let ada = client(file, certificate: "ada.pem")
        #expect(try await ada.download("/file", to: place, rules: rules).resumedFrom == 400)
        #expect(file.ranges == [nil, nil, "bytes=400-"])
    }

    /// A later version of the library has to find the part. Two URLs that share half of the name could be found.
    @Test func theNameOfAPartWithoutALoginStays() async throws {
        let disk = FakeFileSystem()
        disk.makeFolder("/folder/")
        let run = try DownloadRun(
            sender: client(RangeFile(Self.ada, cuts: [400])),
            request: HTTPRequest(.get, "/file"),
            destination: URL(fileURLWithPath: "/folder/saved"),
            rules: rules(attempts: 1, isResumable: true),
            options: CallOptions(delivery: .streamed),
            fileSystem: disk
        )
        await #expect(throws: NetKitError.self) { try await run.run() }
        let name = "/folder/.netkit-047eaa7a763849656044207e2f948f4f"
        #expect(disk.paths == ["\(name).json", "\(name).part"])
    }
}
