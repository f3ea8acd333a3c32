import Foundation
import NetKit
import NetKitTesting

extension Tour {
    func upload() async throws {
        title("4. An upload from a file, over a slow line")
        let file = folder.appending(path: "photo.bin")
        try Data(count: 3_000_000).write(to: file)
        server.throttle(bytesPerSecond: 3_000_000)
        defer { server.throttle(bytesPerSecond: nil) }
        let form = MultipartForm { form in
            form.field("title", "Holiday")
            form.file("photo", at: file)
        }
        let answer = try await client.upload(form, to: "/photos") { progress($0) }
        good("The server has it: \(answer.status)")
        try FileManager.default.removeItem(at: file)
    }

    func download() async throws {
        title("5. A download that breaks off in its middle")
        server.forgetRequests()
        let saved = try await client.download(
            "/export",
            to: folder.appending(path: "export.bin"),
            rules: DownloadRules(isResumable: true)
        ) { progress($0) }
        let ranges = server.requests.compactMap { $0.headers["Range"] }.joined(separator: ", ")
        good("\(saved.byteCount) bytes are there; behind the break only \(ranges) was asked for")
        try FileManager.default.removeItem(at: saved.url)
    }
}
