#if os(Linux)
    import Foundation

    /// A terminal that controls the process, for a test that has the process for itself.
    struct OwnTerminal {
        private let descriptor: Int32

        /// Makes the process the first of a session of its own; nil if the system lets it have no terminal.
        init?() {
            guard setsid() > 0 || getsid(0) == getpid() else { return nil }
            descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
            // TIOCSPTLCK and TIOCGPTN.
            var (isLocked, number): (Int32, Int32) = (0, 0)
            guard descriptor >= 0, ioctl(descriptor, 0x4004_5431, &isLocked) == 0,
                ioctl(descriptor, 0x8004_5430, &number) == 0, open("/dev/pts/\(number)", O_RDWR) >= 0,
                open("/dev/tty", O_RDWR) >= 0
            else { return nil }
        }

        /// The text that was written to it.
        var text: String {
            var bytes = [UInt8](repeating: 0, count: 10_000)
            return String(decoding: bytes.prefix(max(0, read(descriptor, &bytes, bytes.count))), as: UTF8.self)
        }
    }
#endif
