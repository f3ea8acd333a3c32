import Foundation

/// The lines of standard input.
enum BridgeInput {
    /// Reads on a thread of its own, because reading blocks.
    static var lines: AsyncStream<String> {
        AsyncStream { continuation in
            Thread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
            .start()
        }
    }
}
