#if os(Linux)
    import Foundation
    import NetKitTesting
    import Testing

    @testable import NetKit

    /// Tests of the file of the system's authorities.
    struct CurlTLSOptionsTests {
        private let folder: TemporaryFolder
        private let places: [String]

        init() throws {
            let folder = try TemporaryFolder()
            self.folder = folder
            places = ["0.pem", "1.pem"].map { folder.file($0).path(percentEncoded: false) }
        }

        private func file(_ environment: [String: String] = [:]) throws -> String? {
            let library = try CurlLibrary.standard().get()
            let options = CurlTLSOptions(
                CurlTransport.TLS(),
                library: library,
                environment: environment,
                systemFiles: places
            )
            return options.caFile
        }

        @Test func itIsTheFirstThatIsThere() throws {
            _ = try folder.write(Data(), to: "1.pem")
            #expect(try file() == places[1])
            _ = try folder.write(Data(), to: "0.pem")
            #expect(try file() == places[0])
            #expect(try file(["SSL_CERT_FILE": "/own.pem"]) == "/own.pem")
            #expect(try file(["SSL_CERT_DIR": "/own"]) == places[0])
        }

        /// The error then names the file, which may also be there later.
        @Test func aMissingOneIsNamedUnlessThereAreOthers() throws {
            #expect(try file() == places[0])
            #expect(try file(["SSL_CERT_FILE": ""]) == places[0])
            #expect(try file(["SSL_CERT_FILE": "/own.pem"]) == "/own.pem")
            #expect(try file(["SSL_CERT_DIR": "/own"]) == nil)
        }

        @Test func aMissingOneIsToldFromACertificateThatIsNotTrusted() {
            let reason = CurlTLSReason.text(of: "error setting certificate file: /a.pem", code: 77)
            #expect(reason.contains("the file of the trusted authorities cannot be read"))
            #expect(reason.contains("`ca-certificates`"))
        }
    }
#endif
