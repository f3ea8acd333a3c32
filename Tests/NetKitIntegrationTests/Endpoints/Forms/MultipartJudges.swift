import Foundation
import Testing

/// The location of independent parsers of forms, on machines that have them.
enum MultipartJudges {
    static let script = ProcessInfo.processInfo.environment["NETKIT_MULTIPART_JUDGES"]
    static let python = ProcessInfo.processInfo.environment["NETKIT_MULTIPART_PYTHON"] ?? "python3"
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, if the parsers are not there.
    static var needsMultipartJudges: ConditionTrait {
        .enabled(if: MultipartJudges.script != nil, "set NETKIT_MULTIPART_JUDGES to the script with the parsers")
    }
}
