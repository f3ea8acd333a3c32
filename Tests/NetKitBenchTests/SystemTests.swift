import Foundation
import NetKit
import Testing

@testable import netkit_bench

/// Tests of the values that the bench reads from the system and writes for it.
struct SystemTests {
    @Test func memoryIsReadFromTheStatusOfAProcess() {
        let status = "Name:\tbench\nVmHWM:\t  123456 kB\nVmRSS:\t    4567 kB\n"
        #expect(ProcessMemory.number(of: "VmHWM", inStatus: status) == 123_456)
        #expect(ProcessMemory.number(of: "VmRSS", inStatus: status) == 4567)
        #expect(ProcessMemory.number(of: "VmSwap", inStatus: status) == nil)
    }

    @Test func nginxKeepsToItsFolderAndToLoopback() {
        let text = NginxConfiguration(folder: URL(fileURLWithPath: "/tmp/a b"), port: 4711).text
        #expect(text.contains("listen 127.0.0.1:4711 "))
        #expect(text.contains("pid \"/tmp/a b/nginx.pid\";"))
        #expect(text.contains("client_body_temp_path \"/tmp/a b/client_body\";"))
        let body = String(repeating: "x", count: 1024)
        #expect(text.contains("return 200 \"\(body)\";"))
        let (opened, closed) = (text.filter { $0 == "{" }, text.filter { $0 == "}" })
        #expect(opened.count == closed.count)
    }

    @Test func withACertificateNginxSpeaksTLSAsWell() {
        let folder = URL(fileURLWithPath: "/tmp/a b")
        let certificate = ServerCertificate(
            certificate: folder.appending(path: "server.pem"),
            key: folder.appending(path: "server.key"),
            authorities: folder.appending(path: "authorities.pem")
        )
        let text = NginxConfiguration(folder: folder, port: 1, secure: (4712, 4713, certificate)).text
        #expect(text.contains("listen 127.0.0.1:4712 ssl backlog"))
        #expect(text.contains("listen 127.0.0.1:4713 ssl http2 backlog"))
        #expect(text.contains("ssl_certificate_key \"/tmp/a b/server.key\";"))
        let (opened, closed) = (text.filter { $0 == "{" }, text.filter { $0 == "}" })
        #expect(opened.count == closed.count)
        #expect(!NginxConfiguration(folder: folder, port: 1).text.contains("ssl"))
    }

    @Test func errorsAreTheSameWordsForTheSameKind() {
        #expect(ErrorText.short(CancellationError()) == "CancellationError")
        #expect(ErrorText.short(NetKitError(.timeout, "a", timeoutPhase: .idle)) == "NetKitError.timeout (idle)")
        #expect(ErrorText.short(URLError(.timedOut)) == "URLError -1001 timedOut")
        #expect(ErrorText.short(UnexpectedResponse("status 500")) == "status 500")
    }

    @Test func aScratchFolderIsGoneWhenItIsRemoved() throws {
        let folder = try ScratchFolder()
        let file = try folder.sparseFile("zeros", size: 100_000)
        #expect(
            try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))[.size] as? Int == 100_000
        )
        folder.remove()
        #expect(!FileManager.default.fileExists(atPath: folder.url.path(percentEncoded: false)))
    }

    @Test func aFileWithoutAFolderIsAMistake() {
        #expect(throws: UsageError("There is no folder for /nowhere/at/all.html.")) {
            try OutputFile.check([nil, "/nowhere/at/all.html"])
        }
        #expect(throws: UsageError("/tmp is a folder.")) { try OutputFile.check(["/tmp"]) }
        #expect(throws: Never.self) { try OutputFile.check([nil, NSTemporaryDirectory() + "a.html"]) }
    }
}
