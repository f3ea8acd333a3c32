#if os(Linux)
    import Foundation
    import NetKitTesting
    import Testing

    @testable import NetKit

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Tests of log lines on their way to a pipe.
    struct LogOutputTests {
        /// A pipe that does not block.
        private final class Pipe {
            let reading: Int32
            let writing: Int32

            init() throws {
                var ends: [Int32] = [-1, -1]
                try #require(pipe(&ends) == 0)
                (reading, writing) = (ends[0], ends[1])
                for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            }

            deinit {
                close(reading)
                close(writing)
            }

            /// Returns the bytes that are in the pipe.
            func text() -> String {
                var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
                while true {
                    let count = read(reading, &buffer, buffer.count)
                    guard count > 0 else { return String(decoding: text, as: UTF8.self) }
                    text += buffer.prefix(count)
                }
            }
        }

        private static let long = String(repeating: "x", count: 100_000)

        @Test func aLineIsWrittenWithItsLineBreak() throws {
            let pipe = try Pipe()
            let output = LogOutput.stream(pipe.writing, patience: .zero)
            output.write("one")
            output.write("two")
            #expect(pipe.text() == "one\ntwo\n")
        }

        @Test func noLineIsGluedToOneThatFoundNoRoom() throws {
            let pipe = try Pipe()
            let output = LogOutput.stream(pipe.writing, patience: .zero)
            output.write(Self.long)
            output.write("dropped")
            let torn = pipe.text()
            #expect(!torn.isEmpty && torn.count < Self.long.count && torn.allSatisfy { $0 == "x" })
            output.write("whole")
            output.write("next")
            #expect(pipe.text() == "\nwhole\nnext\n")
        }

        /// The bound is never reached, because the pipe is read meanwhile.
        @Test func aLineWaitsForRoom() async throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            let (reading, writing) = (ends[0], ends[1])
            _ = fcntl(writing, F_SETFL, O_NONBLOCK)
            let count = await withCheckedContinuation { continuation in
                Thread {
                    var (count, buffer) = (0, [UInt8](repeating: 0, count: 1 << 16))
                    while true {
                        let more = read(reading, &buffer, buffer.count)
                        guard more > 0 else { break }
                        count += more
                    }
                    continuation.resume(returning: count)
                }
                .start()
                LogOutput.stream(writing, patience: .seconds(600)).write(Self.long)
                close(writing)
            }
            close(reading)
            #expect(count == Self.long.count + 1)
        }
    }
#endif
