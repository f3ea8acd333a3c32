#if os(Linux)
    import Foundation

    /// What the process has, as the kernel counts it.
    enum OwnProcess {
        static func counts() throws -> (loops: Int, descriptors: Int) {
            let files = FileManager.default
            let threads = try files.contentsOfDirectory(atPath: "/proc/self/task")
            let loops = threads.filter { thread in
                let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
                return name?.hasPrefix("netkit.curl") == true
            }
            return (loops.count, try files.contentsOfDirectory(atPath: "/proc/self/fd").count)
        }

        /// The counts once they are as expected, or after ten seconds: nothing tells when a thread has ended.
        static func settled(
            _ isExpected: ((loops: Int, descriptors: Int)) -> Bool
        ) async throws -> (loops: Int, descriptors: Int) {
            var counts = try counts()
            for _ in 0..<1000 where !isExpected(counts) {
                try await Task.sleep(for: .milliseconds(10))
                counts = try self.counts()
            }
            return counts
        }
    }
#endif
