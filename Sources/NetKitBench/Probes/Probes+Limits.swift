import Foundation
import NetKit
import NetKitTesting

/// Probes of limits in time and in memory.
extension Probes {
    static let limits: [Probe] = [
        Probe(
            name: "slow-reader",
            title: "a reader that stands still for 2 s in a body of 200 MB",
            timeLimit: .seconds(30),
            arrange: { servers, _ in servers.main.on(nil, "/**", .data(Data(count: 200_000_000))) },
            act: { subject, site in
                let (words, measurement) = await ProbeWords.measured {
                    do {
                        let count = try await subject.readSlowly(site.url("large"), pause: .seconds(2))
                        return "\(NumberText.bytes(Double(count))) read"
                    } catch {
                        return ProbeWords.thrown(error)
                    }
                }
                return "\(words), \(ProbeWords.memory(measurement))"
            }
        ),
        Probe(
            name: "half-second",
            title: "a timeout of 0.5 s",
            parts: ["a response after 0.2 s", "no response"],
            arrange: { servers, part in
                let isSilent = part == "no response"
                servers.main.on(
                    nil,
                    "/**",
                    isSilent ? .text("hello").stalling(at: .start) : .text("hello").pausing(.milliseconds(200))
                )
            },
            act: { subject, site in
                var request = ProbeRequest("GET", site.url("slow"))
                request.idleLimit = .milliseconds(500)
                return await ProbeWords.timed { [request] in try await subject.send(request) }
            }
        ),
        Probe(
            name: "whole-limit",
            title: "a limit of 1 s for the whole of a response that drips for 4 s",
            timeLimit: .seconds(10),
            arrange: { servers, _ in
                servers.main.on(nil, "/**", .data(Data(count: 4000)).dripping(bytesPerSecond: 1000))
            },
            act: { subject, site in
                await ProbeWords.timed { try await subject.get(site.url("slow"), wholeLimit: .seconds(1)) }
            }
        ),
        Probe(
            name: "waiting-in-line",
            title: "24 calls at once to a server that takes 1.5 s, with a timeout of 2 s",
            timeLimit: .seconds(20),
            arrange: { servers, _ in servers.main.on(nil, "/**", .text("hello").pausing(.milliseconds(1500))) },
            act: { subject, site in
                var request = ProbeRequest("GET", site.url("slow"))
                request.idleLimit = .seconds(2)
                return ProbeWords.counted(await atOnce(24) { [request] in try await subject.send(request) })
            },
            observe: { servers in "\(servers.main.connectionCount) connections" }
        ),
        Probe(
            name: "slow-neighbor",
            title: "a call to one server while 24 calls wait for another one",
            arrange: { servers, _ in
                servers.main.on(nil, "/**", .text("hello").stalling(at: .start))
                servers.other.on(nil, "/**", .text("hello"))
            },
            act: { subject, site in
                for _ in 0..<24 {
                    Task { try await subject.send(ProbeRequest("GET", site.url("slow"))) }
                }
                try await Task.sleep(for: .milliseconds(500))
                return await ProbeWords.timed { try await subject.send(ProbeRequest("GET", site.other)) }
            }
        ),
        Probe(
            name: "cancelled-neighbor",
            title: "100 calls to one server while calls to another, a slow one, are cancelled all the time",
            timeLimit: .seconds(10),
            repeats: 3,
            arrange: { servers, _ in
                servers.main.on(nil, "/**", .text("hello").stalling(at: .start))
                servers.other.on(nil, "/**", .text("hello"))
            },
            act: { subject, site in
                let noise = Task {
                    await withTaskGroup(of: Void.self) { group in
                        for _ in 0..<8 {
                            group.addTask { await cancelAgainAndAgain(subject, site.url("slow")) }
                        }
                    }
                }
                defer { noise.cancel() }
                var seconds: [Double] = []
                for index in 1...100 {
                    ProbeJob.note("in call \(index)")
                    let start = ContinuousClock.now
                    _ = try await subject.send(ProbeRequest("GET", site.other))
                    seconds.append(start.duration(to: .now).seconds)
                }
                let summary = Summary(seconds)
                return
                    "median \(NumberText.seconds(summary?.median ?? 0)), longest \(NumberText.seconds(summary?.high ?? 0))"
            }
        ),
    ]

    private static func cancelAgainAndAgain(_ subject: any ProbeSubject, _ url: URL) async {
        while !Task.isCancelled {
            let call = Task { _ = try await subject.send(ProbeRequest("GET", url)) }
            try? await Task.sleep(for: .milliseconds(5))
            call.cancel()
            _ = await call.result
        }
    }

    /// Returns the results of a number of calls that start together.
    static func atOnce(_ count: Int, _ call: @escaping @Sendable () async throws -> ProbeResponse) async -> [String] {
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<count {
                group.addTask { await ProbeWords.outcome(call) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
