import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The conditions of a measurement: versions, machine and date.
struct BenchEnvironment: Codable, Equatable, Sendable {
    let date: String
    let swift: String
    let build: String
    /// The version of the library that FoundationNetworking loaded.
    let libcurl: String
    let kernel: String
    let machine: String

    /// The lines that a report shows.
    var lines: [(name: String, value: String)] {
        [
            ("date", date), ("Swift", "\(swift), \(build) build"), ("libcurl", libcurl), ("system", kernel),
            ("machine", machine),
        ]
    }

    static func current() -> BenchEnvironment {
        #if DEBUG
            let build = "debug"
        #else
            let build = "release"
        #endif
        return BenchEnvironment(
            date: Date().formatted(.iso8601),
            swift: swiftVersion,
            build: build,
            libcurl: libcurlVersion ?? "not loaded",
            kernel: systemVersion,
            machine: machineName
        )
    }

    /// The compiler's version from the debug information of this executable, or else the oldest possible one.
    private static var swiftVersion: String {
        if let file = ChildProcess.executable, let data = try? Data(contentsOf: file, options: .alwaysMapped),
            let found = data.range(of: Data("Swift version ".utf8))
        {
            let text = data[found.upperBound...].prefix(12).prefix { (0x2E...0x39).contains($0) && $0 != 0x2F }
            if text.count > 2 { return String(decoding: text, as: UTF8.self) }
        }
        #if compiler(>=6.4)
            return "6.4 or later"
        #elseif compiler(>=6.3)
            return "6.3"
        #else
            return "6.2"
        #endif
    }

    private static var libcurlVersion: String? {
        // Foundation loads it with the first session at the latest.
        _ = URLSession.shared
        typealias Version = @convention(c) () -> UnsafePointer<CChar>?
        guard let symbol = dlsym(nil, "curl_version") else { return nil }
        return unsafeBitCast(symbol, to: Version.self)().map { String(cString: $0) }
    }

    private static var systemVersion: String {
        var name = utsname()
        guard uname(&name) == 0 else { return ProcessInfo.processInfo.operatingSystemVersionString }
        return [text(of: &name.sysname), text(of: &name.release), text(of: &name.machine)].joined(separator: " ")
    }

    private static func text<Tuple>(of tuple: inout Tuple) -> String {
        withUnsafeBytes(of: &tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static var machineName: String {
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = info.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        let memory = NumberText.bytes(Double(ProcessInfo.processInfo.physicalMemory))
        let cores = "\(ProcessInfo.processInfo.activeProcessorCount) cores, \(memory)"
        return model.map { "\($0.trimmingCharacters(in: .whitespaces)), \(cores)" } ?? cores
    }
}
