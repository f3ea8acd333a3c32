import Foundation
import NetKit

/// `netkit monitor`, which shows the network's status and every change.
struct MonitorCommand {
    let options: MonitorOptions
    let output: CommandOutput
    /// Whether the output is a terminal, on which a line can be redrawn.
    let isTerminal: Bool

    func run() async -> ExitCode {
        #if os(Linux)
            let monitor = LinuxNetworkMonitor(probes: options.probes)
            defer { monitor.stop() }
        #else
            let monitor = PlatformNetworkMonitor.platformDefault
            if !options.probes.targets.isEmpty { output.note("netkit monitor: targets are probed only on Linux.") }
        #endif
        var last = NetworkStatus.disconnected
        for await status in monitor.updates {
            last = status
            if options.isOnce, mayChangeSoon(status) { continue }
            show(status)
            if options.isOnce { break }
        }
        return last.isConnected ? .success : .failure
    }

    /// Returns whether the targets are still being probed.
    ///
    /// Until then, the status follows from the link alone.
    private func mayChangeSoon(_ status: NetworkStatus) -> Bool {
        #if os(Linux)
            status.isConnected && !status.isVerified && !options.probes.targets.isEmpty
        #else
            false
        #endif
    }

    private func show(_ status: NetworkStatus) {
        if options.showsJSON { return output.text(Self.json(status, at: Date())) }
        let time = Date().formatted(Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false))
        let line = "\(time)  \(status)\(options.texts.banner(for: status).map { ". \($0)" } ?? "")"
        if isTerminal, !options.isOnce {
            output.data(Data("\r\u{1B}[K\(line)".utf8))
        } else {
            output.text(line)
        }
    }

    /// Returns a status as one line of JSON with sorted members.
    static func json(_ status: NetworkStatus, at date: Date) -> String {
        struct Line: Encodable {
            let condition: String
            let connected: Bool
            let interface: String?
            let time: String
            let type: String
            let verified: Bool
        }
        let line = Line(
            condition: status.condition.description,
            connected: status.isConnected,
            interface: status.interfaceName,
            time: date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            type: status.connectionType.description,
            verified: status.isVerified
        )
        return (try? JSONText.text(of: line)) ?? "{}"
    }
}
