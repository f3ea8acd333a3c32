import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The memory and the descriptors of this process; `nil` if the system does not report them.
enum ProcessMemory {
    /// The number of bytes that are resident.
    static var resident: Int? { status("VmRSS") }

    /// The peak of `resident` since the start, or since the last reset.
    ///
    /// `ru_maxrss` is not used, because a child process inherits it from its parent.
    static var peak: Int? { status("VmHWM") }

    static func resetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    /// The number of open descriptors of this process.
    static var descriptorCount: Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private static func status(_ field: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        return number(of: field, inStatus: text).map { $0 * 1024 }
    }

    /// Returns the value of a field of `/proc/<pid>/status`, in kB.
    static func number(of field: String, inStatus text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(field + ":") {
            return Int(line.dropFirst(field.count + 1).filter(\.isNumber))
        }
        return nil
    }
}
