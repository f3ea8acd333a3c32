import NetKit
import Service

/// Uploads and downloads through a folder of their own.
struct FileChecks {
    let checks: Checks

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "netkit-consumer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appending(path: "report.csv")
        let target = folder.appending(path: "saved.csv")
        try Data("a,b\n1,2\n".utf8).write(to: source)

        let transport = MockTransport()
        transport.stub(.put, "/reports", headers: ["Content-Type": "text/csv"], .status(201))
        let length = MockResponse.respond { request, _ in
            HTTPResponse(status: .ok, body: ResponseBody(Data("\(request.body?.length ?? -1)".utf8)))
        }
        transport.stub(.post, "/reports/part", length)
        transport.stub(.get, "/reports/1", .text("x,y\n").header("Content-Length", "4"), .status(500))
        let reports = Reports(HTTPClient(baseURL: URL(string: "https://api.example.com/v1"), transport: transport))

        checks.equal("a file is uploaded", try await reports.upload(source), .created)
        checks.equal("as it is", transport.requests[0].bodyText, "a,b\n1,2\n")
        checks.equal("a part of a file is uploaded", try await reports.uploadPart(of: source, from: 4), "4")
        checks.equal("as it is, too", transport.requests[1].bodyText, "1,2\n")
        checks.equal("a file is downloaded", try await reports.download(to: target), 4)
        checks.equal("whole", try String(contentsOf: target, encoding: .utf8), "x,y\n")
        await checks.throwing("a failed download", "server, answered") { try await reports.download(to: target) }
        checks.equal("leaves the file alone", try String(contentsOf: target, encoding: .utf8), "x,y\n")
        await checks.throwing("a file that is not there", "file, not sent") {
            try await reports.upload(folder.appending(path: "none"))
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
        checks.equal("nothing is left beside", left, ["report.csv", "saved.csv"])
    }
}
