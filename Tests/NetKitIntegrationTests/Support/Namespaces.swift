#if os(Linux)
    import Foundation
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Programs with a view of the system of their own, as in a container.
    enum Namespaces {
        /// Whether the machine lets a test have them. A missing tool is a different case.
        static let arePossible: Bool = {
            guard let unshare = SystemTool.find("unshare") else { return getuid() == 0 }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: unshare.path)
            process.arguments = options + ["--mount", "--pid", "--fork", "--mount-proc", "true"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.runAlone()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        private static var options: [String] { getuid() == 0 ? [] : ["--user", "--map-root-user"] }

        /// The beginning of a command line whose program gets namespaces of its own.
        static func command(_ kinds: [String]) -> [String] {
            [SystemTool.find("unshare")?.path ?? "unshare"] + options + kinds
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Skips if the machine allows no namespaces. Otherwise, a missing tool fails the test in CI.
        static var needsNamespaces: ConditionTrait {
            guard Namespaces.arePossible else { return .disabled("this machine allows no namespaces") }
            let isThere = SystemTool.find("unshare") != nil
            return .enabled(
                if: (Peer.isCI || isThere) && BuiltCommand.queueProbe != nil,
                "install Debian's util-linux, and build NetKitQueueProbe"
            )
        }
    }
#endif
