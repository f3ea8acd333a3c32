#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests that `CurlTransport` does not affect the rest of its process.
    @Suite(.needsTheMachine, .inAProcessOfItsOwn)
    struct CurlDescriptorTests {
        /// In a process of its own, so that all descriptors belong to the test.
        @Test func noDescriptorReachesAChildProcess() async {
            await #expect(processExitsWith: .success) {
                let server = try MockServer()
                server.on(.get, "/", .text("ok"))
                server.on(.get, "/held", .text("ok").stalling(at: .start))
                let before = OwnDescriptors.inherited()
                let transport = try CurlTransport()
                let client = HTTPClient(baseURL: server.baseURL, transport: transport, interceptors: [])
                let byName = try #require(URL(string: "http://localhost:\(server.port)/"))
                _ = try await client.send(HTTPRequest(.get, byName))
                let held = (0..<8).map { _ in Task { try await client.send(HTTPRequest(.get, "/held")) } }
                await server.waitForOpenConnections(9)
                let leaked = OwnDescriptors.inherited().filter { before[$0.key]?.isSameFile(as: $0.value) != true }
                #expect(leaked.isEmpty, "children would inherit \(leaked.mapValues(\.target))")
                server.release()
                for call in held { _ = try await call.value }
            }
        }

        #if canImport(Glibc)
            /// The limit of descriptors is set for a whole process, so the test has one of its own.
            @Test func aLibraryThatNoDescriptorIsLeftForCannotBeUsedNow() async {
                await #expect(processExitsWith: .success) {
                    // A file that is there, and no library.
                    let path = "/proc/self/exe"
                    var limit = rlimit()
                    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    var none = limit
                    none.rlim_cur = 3
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
                    let now = #expect(throws: NetKitError.self) { try CurlTransport(library: path) }
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    let later = #expect(throws: NetKitError.self) { try CurlTransport(library: path) }
                    exit(now?.code == .connect && later?.code == .unsupported ? EXIT_SUCCESS : EXIT_FAILURE)
                }
            }

            /// Dispatch opens a file from time to time, and ends a process in which it cannot.
            @Test func connectionsLeaveDescriptorsForTheRestOfTheProcess() async {
                await #expect(processExitsWith: .success) {
                    let server = try ServerSocket.bound(to: 0)
                    try server.startListening()
                    let client = HTTPClient(
                        baseURL: URL(string: "http://127.0.0.1:\(server.localPort)"),
                        transport: try CurlTransport(),
                        interceptors: []
                    )
                    var limit = rlimit()
                    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    // The process may have inherited some, and 128 others are free.
                    let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                    let used = Set(files.compactMap { rlim_t($0) })
                    let free = (rlim_t(0)...).lazy.filter { !used.contains($0) }.prefix(128)
                    limit.rlim_cur = (Array(free).last ?? 127) + 1
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    // The server accepts none of them, so each call that gets a connection keeps it.
                    await withTaskGroup(of: NetKitError?.self) { group in
                        for _ in 0..<128 {
                            group.addTask {
                                let request = HTTPRequest(.get, "/")
                                return await #expect(throws: NetKitError.self) { try await client.send(request) }
                            }
                        }
                        for await refused in group where refused?.code == .connect {
                            exit(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE)
                        }
                        exit(EXIT_FAILURE)
                    }
                }
            }
        #endif

        /// In a process of its own, because a signal would end it.
        @Test func aSocketThatThePeerHasClosedRaisesNoSignal() async {
            await #expect(processExitsWith: .success) {
                signal(SIGPIPE, SIG_DFL)
                let server = try MockServer()
                server.on(.get, "/", .text("ok"))
                server.on(.post, "/reset", .text("no").after(.headers).resetting(at: .start))
                server.on(.post, "/close", .text("no").after(.headers).closing(at: .start))
                for _ in 0..<5 {
                    let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
                    _ = try await client.send(HTTPRequest(.get, "/"))
                    for path: RequestPath in ["/reset", "/close"] {
                        for body in [HTTPBody.data(Data(count: 4 << 20)), .data(Data(count: 1000))] {
                            _ = try? await client.send(HTTPRequest(.post, path, body: body))
                        }
                    }
                }
            }
        }

        /// The closing message of TLS writes to a socket as well. In a process of its own, because a signal would end
        /// it.
        @Test(.needs(.nginx, .openssl)) func aTLSPeerThatIsGoneRaisesNoSignal() async {
            await #expect(processExitsWith: .success) {
                signal(SIGPIPE, SIG_DFL)
                let certificates = try await TestCertificates()
                for _ in 0..<2 {
                    let nginx = try await NginxPeer(certificates)
                    var configuration = CurlTransport.Configuration()
                    configuration.tls.roots = .file(certificates.authority.path())
                    let client = HTTPClient(
                        transport: try CurlTransport(configuration: configuration),
                        interceptors: []
                    )
                    let urls = try [NginxPort.tls, .tlsHTTP1, .tlsShort].map { try nginx.url($0, "/kilobyte") }
                    for url in urls + urls {
                        _ = try await client.send(HTTPRequest(.get, url)).body.collect(upTo: 2000)
                    }
                    await nginx.stop()
                    for url in urls { _ = try? await client.send(HTTPRequest(.get, url)) }
                }
            }
        }
    }

    /// The descriptors of this process that a child process would inherit.
    enum OwnDescriptors {
        /// The object that a descriptor stands for.
        ///
        /// Its name alone is not enough: that of a file that came from the parent process changes to
        /// "… (deleted)" when the parent deletes it.
        struct Description {
            let target: String
            let device: UInt64
            let inode: UInt64

            func isSameFile(as other: Description) -> Bool { device == other.device && inode == other.inode }
        }

        static func inherited() -> [Int32: Description] {
            let folder = "/proc/self/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            var found: [Int32: Description] = [:]
            for number in names.compactMap({ Int32($0) }) {
                let flags = fcntl(number, F_GETFD)
                var status = stat()
                guard flags >= 0, flags & FD_CLOEXEC == 0, fstat(number, &status) == 0 else { continue }
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")
                found[number] = Description(
                    target: target ?? "gone",
                    device: UInt64(status.st_dev),
                    inode: UInt64(status.st_ino)
                )
            }
            return found
        }
    }
#endif
