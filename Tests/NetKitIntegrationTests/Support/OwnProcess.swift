#if os(Linux)
    import Foundation

    /// The resources of the process, as the kernel counts them.
    enum OwnProcess {
        /// The threads of a name, by default that of the loops of `CurlTransport`.
        static func counts(of loop: String = "netkit.curl") throws -> (loops: Int, descriptors: Int) {
            let files = FileManager.default
            let threads = try files.contentsOfDirectory(atPath: "/proc/self/task")
            let loops = threads.filter { thread in
                let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
                return name?.hasPrefix(loop) == true
            }
            return (loops.count, try files.contentsOfDirectory(atPath: "/proc/self/fd").count)
        }

        /// Returns the counts once they are as expected, or after a minute. No event reports that a thread has
        /// ended.
        static func settled(
            of loop: String = "netkit.curl",
            _ isExpected: ((loops: Int, descriptors: Int)) -> Bool
        ) async throws -> (loops: Int, descriptors: Int) {
            var counts = try counts(of: loop)
            for _ in 0..<6000 where !isExpected(counts) {
                try await Task.sleep(for: .milliseconds(10))
                counts = try self.counts(of: loop)
            }
            return counts
        }
    }
#endif
