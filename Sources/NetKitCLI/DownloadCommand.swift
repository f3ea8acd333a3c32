import Foundation
import NetKit

/// `netkit download`, which downloads a file and shows its progress.
struct DownloadCommand {
    let options: DownloadOptions
    let output: CommandOutput
    let isTerminal: Bool

    func run() async throws -> ExitCode {
        let client = HTTPClient(configuration: try .fromEnvironment())
        let bar = isTerminal && !options.isQuiet ? ProgressBar() : nil
        let options = options
        let show: (@Sendable (TransferProgress) -> Void)? = if let bar { { bar.show($0) } } else { nil }
        // Only the part that `--resume` continues is kept after an interruption.
        let result = await interruptible {
            try await client.download(
                RequestPath(raw: options.url.absoluteString),
                to: options.destination,
                headers: options.headers,
                rules: options.rules,
                progress: show
            )
        }
        switch result {
        case .success(let saved):
            if !options.isQuiet { output.note(summary(of: saved)) }
            output.text(saved.url.path(percentEncoded: false))
            await client.shutdown(within: .seconds(1))
            return .success
        case .failure(let error):
            bar?.leave()
            if let interruption = error as? Interruption {
                let kept =
                    options.rules.isResumable
                    ? "`--resume` continues if the server supports it, and starts over if not" : "nothing is kept"
                output.note("netkit download: interrupted; \(kept).")
                return interruption.exitCode
            }
            if let problem = UsageError(refused: error) { throw problem }
            guard let refusal = error as? NetKitError, refusal.code == .server else { throw error }
            output.note("netkit download: \(refusal)")
            // No file was saved, so a status below 400 is a failure too, except 304: there is no newer file.
            guard let status = refusal.status else { return .serverError }
            return status.code < 400 && status != .notModified ? .failure : ExitCode(status)
        }
    }

    private func summary(of saved: DownloadedFile) -> String {
        var parts = ["\(saved.byteCount) bytes"]
        if saved.resumedFrom > 0 { parts.append("\(saved.resumedFrom) of them from before") }
        if let digest = saved.sha256 { parts.append("SHA-256 \(digest)") }
        return parts.joined(separator: ", ")
    }
}
