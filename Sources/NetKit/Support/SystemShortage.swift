import Foundation

/// The lack of file descriptors or memory on this machine.
enum SystemShortage {
    /// Returns what an error of the system says is missing, and what to do; `nil` for any other error.
    static func explanation(of systemError: Int32) -> String? {
        switch systemError {
        case EMFILE: "the process has too many open files; raise the limit, or close files and connections"
        case ENFILE: "the machine has too many open files; raise the limit, or close files and connections"
        case ENOMEM, ENOBUFS: "the system has no memory left; free some, or close files and connections"
        default: nil
        }
    }
}
