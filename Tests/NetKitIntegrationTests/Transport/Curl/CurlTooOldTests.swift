#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of a libcurl that is too old: one that reports so, and one that lacks newer functions.
    @Suite(.needsTheMachine)
    struct CurlTooOldTests {
        private struct TooOld: Sendable {
            let lacking: Set<String>
            let words: String
        }

        /// The functions of libcurl 7.67, with bodies of which only two are called.
        private static func source(lacking: Set<String>) -> String {
            let functions = [
                "easy_cleanup", "easy_getinfo", "easy_init", "easy_pause", "easy_reset", "easy_setopt", "easy_strerror",
                "multi_add_handle", "multi_cleanup", "multi_info_read", "multi_init", "multi_perform", "multi_poll",
                "multi_remove_handle", "multi_setopt", "multi_socket_action", "multi_wakeup", "slist_append",
                "slist_free_all",
            ]
            let bodies = functions.filter { !lacking.contains($0) }.map { "int curl_\($0)(void) { return 1; }" }
            return """
                struct info { int age; const char *version; unsigned number; const char *host; int features; };
                static struct info info = {0, "7.67.0", 0x074300, "stub", 0};
                int curl_global_init(long flags) { return 0; }
                struct info *curl_version_info(int age) { return &info; }
                const char *curl_version(void) { return "libcurl/7.67.0"; }
                \(bodies.joined(separator: "\n"))
                """
        }

        @Test(
            .enabled(if: SystemTool.find("clang") != nil, "The toolchain's clang is not on the path."),
            arguments: [
                TooOld(lacking: [], words: "is libcurl/7.67.0; 7.68 or newer is needed"),
                TooOld(lacking: ["multi_wakeup"], words: "it has no function curl_multi_wakeup"),
            ]
        )
        private func aLibraryThatIsTooOldIsRefusedWithTheReason(_ tooOld: TooOld) async throws {
            let clang = try #require(SystemTool.find("clang"))
            let folder = try TemporaryFolder()
            let source = folder.url.appending(path: "stub.c")
            let library = folder.url.appending(path: "libcurl-stub.so").path
            try Data(Self.source(lacking: tooOld.lacking).utf8).writeUnsynced(to: source)
            let built = try await clang.run(["-w", "-shared", "-fPIC", "-o", library, source.path])
            try #require(built.status == 0, "\(built.output)")
            let error = #expect(throws: NetKitError.self) { try CurlTransport(library: library) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains(library) == true)
            #expect(error?.message.contains(tooOld.words) == true, "\(error?.message ?? "")")
        }
    }
#endif
