import Foundation
import NetKit

extension Process {
    private static let launching = Locked(())

    /// Starts the process while no other one is being started.
    ///
    /// Foundation learns of the end of a process from the end of a descriptor. Another process that is started at the
    /// same moment inherits it, and the end is noticed only after that one has ended as well, which may be never.
    func runAlone() throws {
        try Self.launching.withLock { _ in
            // In the background of a shell or under `nohup`, the tests ignore signals, which the process would inherit.
            let (interrupt, hangup) = (signal(SIGINT, SIG_DFL), signal(SIGHUP, SIG_DFL))
            defer { (_, _) = (signal(SIGINT, interrupt), signal(SIGHUP, hangup)) }
            try run()
        }
    }

    /// Starts a process that the test ends with a signal, while no other one is being started.
    ///
    /// It writes no coverage. A program that is killed at its end, while it writes its file, leaves half of it, and no
    /// file of the whole run can be merged.
    func runToBeKilled() throws {
        var variables = environment ?? ProcessInfo.processInfo.environment
        variables["LLVM_PROFILE_FILE"] = "/dev/null"
        environment = variables
        try runAlone()
    }
}
