import Dispatch
import Foundation
import NetKit
import Testing

#if canImport(Glibc)
    import Glibc

    /// The program that responds to requests through a cache, until it is ended or killed.
    final class BridgeProcess: Sendable {
        struct Response: Decodable {
            let id: Int?
            let status: Int?
            let headers: [[String]]?
            let text: String?
            let base64: Data?
            let error: String?

            private enum CodingKeys: String, CodingKey {
                case id, status, headers, error
                case text = "body"
                case base64 = "bodyBase64"
            }

            var body: Data { base64 ?? Data((text ?? "").utf8) }

            /// Whether it came from the cache.
            var isHit: Bool {
                headers?.contains { $0.first == "Cache-Status" && $0.last?.hasPrefix("NetKit; hit") == true } ?? false
            }
        }

        // `Process` is not Sendable; the lock owns it.
        private let process: Locked<Process>
        private let id: Int32
        private let input: FileHandle
        private let output: FileHandle
        private let rest = Locked(Data())
        /// Finishes when the process has ended.
        private let end: AsyncStream<Never>

        init(_ arguments: [String]) async throws {
            let bridge = try #require(BuiltCommand.cacheBridge)
            let (input, output) = (Pipe(), Pipe())
            let (end, ending) = AsyncStream.makeStream(of: Never.self)
            let process = Process()
            process.executableURL = bridge
            process.arguments = arguments
            process.standardInput = input
            process.standardOutput = output
            process.terminationHandler = { _ in ending.finish() }
            try process.runToBeKilled()
            id = process.processIdentifier
            self.process = Locked(process)
            self.end = end
            self.input = input.fileHandleForWriting
            self.output = output.fileHandleForReading
        }

        /// Sends requests, and does not wait for anything.
        func send(_ lines: [String]) throws {
            try input.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        }

        /// Sends requests, and waits for as many responses.
        func ask(_ lines: [String]) async throws -> [Response] {
            try send(lines)
            let responses = await withCheckedContinuation { continuation in
                // Reading blocks, and the threads of the tests are few.
                DispatchQueue.global().async { continuation.resume(returning: self.read(lines.count)) }
            }
            return try responses.map { try JSONDecoder().decode(Response.self, from: $0) }
        }

        private func read(_ count: Int) -> [Data] {
            rest.withLock { rest in
                var lines: [Data] = []
                var looked = rest.startIndex
                while lines.count < count {
                    if let newline = rest[looked...].firstIndex(of: UInt8(ascii: "\n")) {
                        lines.append(Data(rest[..<newline]))
                        rest = Data(rest[(newline + 1)...])
                        looked = rest.startIndex
                        continue
                    }
                    looked = rest.endIndex
                    let more = output.availableData
                    if more.isEmpty { break }
                    rest.append(more)
                }
                return lines
            }
        }

        /// Kills it, and waits until it has ended.
        func kill() async {
            _ = Glibc.kill(id, SIGKILL)
            for await _ in end {}
        }

        /// Ends its input, and waits until it has ended.
        func finish() async -> Int32 {
            try? input.close()
            for await _ in end {}
            return process.withLock { $0.terminationStatus }
        }
    }
#endif
