import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes whole lines, each with one system call, so that nothing that a killed process printed is lost.
enum Output {
    static func line(_ text: String) {
        write(text, to: 1)
    }

    static func note(_ text: String) {
        write(text, to: 2)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        #if canImport(Glibc)
            _ = Glibc.write(descriptor, bytes, bytes.count)
        #elseif canImport(Musl)
            _ = Musl.write(descriptor, bytes, bytes.count)
        #else
            _ = Darwin.write(descriptor, bytes, bytes.count)
        #endif
    }
}
