import Foundation
import NetKit
import NetKitTesting

/// Probes of the cost of much work.
extension Probes {
    static let loads: [Probe] = [
        Probe(
            name: "file-upload",
            title: "a file of 100 MB sent",
            timeLimit: .seconds(30),
            arrange: { servers, _ in servers.main.on(nil, "/**", .text("hello")) },
            act: { subject, site in
                let file = site.folder.appending(path: "large")
                try Data(count: 100_000_000).write(to: file)
                var request = ProbeRequest("POST", site.url("upload"))
                request.headers = [("Content-Type", "application/octet-stream")]
                request.body = .file(file)
                let (words, measurement) = await ProbeWords.measured { [request] in
                    await ProbeWords.outcome { try await subject.send(request) }
                }
                return "\(words) after \(NumberText.seconds(measurement.seconds)) and "
                    + "\(NumberText.seconds(measurement.cpuSeconds)) of CPU, \(ProbeWords.memory(measurement))"
            },
            observe: { servers in
                "\(NumberText.text(Double(servers.main.requests.first?.body.count ?? 0))) bytes"
            }
        ),
        Probe(
            name: "growth",
            title: "50,000 small requests, 16 at a time: the growth of memory after the first 10,000",
            timeLimit: .seconds(90),
            arrange: sayHelloWithoutEnd,
            act: { subject, site in
                await many(10_000, subject, site.url("hello"))
                ProcessMemory.resetPeak()
                guard let before = ProcessMemory.resident else { throw NotOffered("cannot be measured here") }
                await many(40_000, subject, site.url("hello"))
                let growth = Double((ProcessMemory.resident ?? before) - before)
                return
                    "\(NumberText.text((growth / 40_000).rounded())) bytes a request (\(NumberText.bytes(growth)) in all)"
            }
        ),
        Probe(
            name: "speed",
            title: "64 callers of a small GET",
            timeLimit: .seconds(20),
            arrange: sayHelloWithoutEnd,
            act: { subject, site in
                let request = ProbeRequest("GET", site.url("hello"))
                _ = try await subject.send(request)
                let measurement = await Measurement.during(.seconds(2), callers: 64) {
                    _ = try await subject.send(request)
                }
                let failed = measurement.failureCount > 0 ? ", \(measurement.failureCount) failed" : ""
                return "\(NumberText.text(measurement.perSecond)) a second, "
                    + "\(NumberText.text(measurement.cpu)) µs of CPU each\(failed)"
            }
        ),
    ]

    @Sendable private static func sayHelloWithoutEnd(_ servers: ProbeServers, _ part: String) {
        servers.main.on(nil, "/**", .text("hello"))
        servers.main.forgetRegularly()
    }

    private static func many(_ count: Int, _ subject: any ProbeSubject, _ url: URL) async {
        let callers = 16
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    for _ in 0..<(count / callers) { _ = try? await subject.send(ProbeRequest("GET", url)) }
                }
            }
        }
    }
}
