import Foundation
import NetKit
import NetKitTesting

/// Runs probes one after the other, and shows the observations for each subject side by side.
struct ProbeRun {
    let command: BenchCommand

    func run(_ names: [String]) async throws {
        try OutputFile.check([command.markdown])
        var report = ProbeReport(environment: .current(), subjects: ProbeSubjects.all.map(\.name))
        print(TerminalReport.text(report.environment))
        for probe in Probes.all where names.isEmpty || names.contains(probe.name) {
            Progress.show(probe.name)
            var sightings: [String] = []
            for subject in ProbeSubjects.all { sightings.append(try await summary(of: probe, subject.name)) }
            let row = ProbeReport.Row(name: probe.name, title: probe.title, sightings: sightings)
            print(ProbeReport.text(row, subjects: report.subjects))
            report.rows.append(row)
        }
        print(ProbeReport.closingNote)
        if let markdown = command.markdown { try OutputFile.write(Data(report.markdown.utf8), to: markdown) }
    }

    private func summary(of probe: Probe, _ subject: String) async throws -> String {
        var sightings: [ProbeSighting] = []
        for part in probe.parts {
            for _ in 0..<probe.repeats { sightings.append(try await run(probe, part: part, subject)) }
        }
        return probe.isCounted ? ProbeSighting.counts(sightings) : ProbeSighting.text(sightings)
    }

    private func run(_ probe: Probe, part: String, _ subject: String) async throws -> ProbeSighting {
        let servers = try ProbeServers()
        defer { servers.stop() }
        let folder = try ScratchFolder()
        defer { folder.remove() }
        probe.arrange(servers, part)
        let site = ProbeSite(
            base: servers.main.baseURL,
            other: servers.other.baseURL,
            refused: servers.refused.baseURL,
            part: part,
            folder: folder.url
        )
        let job = ProbeJob(probe: probe.name, subject: subject, site: site)
        let payload = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
        let outcome = try await ChildProcess.run(["_probe", payload], timeLimit: probe.timeLimit)
        return ProbeSighting(part: part, outcome: outcome, servers: probe.observe?(servers))
    }
}
