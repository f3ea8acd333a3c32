@testable import netkit_bench

extension BenchEnvironment {
    static let example = BenchEnvironment(
        date: "2026-01-01T00:00:00Z",
        swift: "6.3",
        build: "release",
        libcurl: "libcurl/8 <&> more",
        kernel: "Linux 6",
        machine: "2 cores"
    )
}

extension ScenarioReport {
    static let example = ScenarioReport(
        name: "get",
        summary: "Small & fast.",
        server: "nginx/1",
        tables: [
            ResultTable(
                title: "1 caller",
                columns: [.init(name: "requests/s", isCharted: true), .init(name: "failed")],
                rows: [
                    .init(name: "NetKit", cells: [Summary([2000, 2500, 3000]), Summary(single: 0)]),
                    .init(name: "<other>", cells: [Summary([5000]), nil]),
                ]
            )
        ],
        figures: [
            Figure("ratio", 0.5, .atLeast(0.9)),
            Figure("failed", 0, .atMost(0)),
        ],
        notes: ["a <note>"]
    )
}
