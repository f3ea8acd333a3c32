import Foundation
import Testing

@testable import NetKit

struct NetKitErrorURLErrorTests {
    private struct Row: CustomTestStringConvertible, Sendable {
        let code: URLError.Code
        let expected: NetKitError.Code
        let outcome: NetKitError.Outcome

        init(_ code: URLError.Code, _ expected: NetKitError.Code, _ outcome: NetKitError.Outcome) {
            (self.code, self.expected, self.outcome) = (code, expected, outcome)
        }

        var testDescription: String { "\(code.rawValue) \(expected)" }
    }

    /// Every code that Foundation defines on all platforms, with what is certain about the request.
    private static let rows: [Row] = [
        Row(.unknown, .connectionLost, .unknown),
        Row(.badURL, .invalidURL, .notSent),
        Row(.timedOut, .timeout, .unknown),
        Row(.unsupportedURL, .invalidURL, .notSent),
        Row(.cannotFindHost, .dns, .notSent),
        Row(.cannotConnectToHost, .connect, .notSent),
        Row(.networkConnectionLost, .connectionLost, .unknown),
        Row(.dnsLookupFailed, .dns, .notSent),
        Row(.httpTooManyRedirects, .redirect, .answered),
        Row(.resourceUnavailable, .connectionLost, .unknown),
        Row(.notConnectedToInternet, .offline, .notSent),
        Row(.redirectToNonExistentLocation, .redirect, .answered),
        Row(.badServerResponse, .invalidResponse, .unknown),
        Row(.userCancelledAuthentication, .unauthorized, .answered),
        Row(.userAuthenticationRequired, .unauthorized, .answered),
        Row(.zeroByteResource, .invalidResponse, .unknown),
        Row(.cannotDecodeRawData, .invalidResponse, .unknown),
        Row(.cannotDecodeContentData, .invalidResponse, .unknown),
        Row(.cannotParseResponse, .invalidResponse, .unknown),
        Row(.appTransportSecurityRequiresSecureConnection, .tls, .notSent),
        Row(.fileDoesNotExist, .file, .unknown),
        Row(.fileIsDirectory, .file, .unknown),
        Row(.noPermissionsToReadFile, .file, .unknown),
        Row(.dataLengthExceedsMaximum, .bodyTooLarge, .answered),
        Row(.secureConnectionFailed, .tls, .notSent),
        Row(.serverCertificateHasBadDate, .tls, .notSent),
        Row(.serverCertificateUntrusted, .tls, .notSent),
        Row(.serverCertificateHasUnknownRoot, .tls, .notSent),
        Row(.serverCertificateNotYetValid, .tls, .notSent),
        Row(.clientCertificateRejected, .tls, .notSent),
        Row(.clientCertificateRequired, .tls, .notSent),
        Row(.cannotLoadFromNetwork, .connectionLost, .unknown),
        Row(.cannotCreateFile, .file, .unknown),
        Row(.cannotOpenFile, .file, .unknown),
        Row(.cannotCloseFile, .file, .unknown),
        Row(.cannotWriteToFile, .file, .unknown),
        Row(.cannotRemoveFile, .file, .unknown),
        Row(.cannotMoveFile, .file, .unknown),
        Row(.downloadDecodingFailedMidStream, .connectionLost, .unknown),
        Row(.downloadDecodingFailedToComplete, .connectionLost, .unknown),
        Row(.internationalRoamingOff, .offline, .notSent),
        Row(.callIsActive, .offline, .notSent),
        Row(.dataNotAllowed, .offline, .notSent),
        Row(.requestBodyStreamExhausted, .connectionLost, .unknown),
        Row(.backgroundSessionRequiresSharedContainer, .connectionLost, .unknown),
        Row(.backgroundSessionInUseByAnotherProcess, .connectionLost, .unknown),
        Row(.backgroundSessionWasDisconnected, .connectionLost, .unknown),
    ]

    @Test(arguments: rows)
    private func saysWhatTheCodeMeansAndWhatIsCertain(_ row: Row) throws {
        let error = try #require(NetKitError(URLError(row.code)))
        #expect(error.code == row.expected)
        #expect(error.outcome == row.outcome)
        #expect((error.cause as? URLError)?.code == row.code)
        #expect(error.attempts == 0)
    }

    @Test func aCancelledRequestIsNotAFailure() {
        #expect(NetKitError(URLError(.cancelled)) == nil)
    }

    @Test func includesTheSystemsMessageAboutAConnection() throws {
        let system = URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: "Connection refused"])
        let error = try #require(NetKitError(system))
        let hint = "Check that the server runs and listens there."
        #expect(error.message == "No connection could be made (Connection refused). \(hint)")
    }

    #if canImport(FoundationNetworking)
        /// libcurl keeps the refusal by one address of a host, even if another one took the request.
        @Test func aFailureAfterARefusedAddressMayHaveReachedTheServer() throws {
            let text = "Error in the HTTP2 framing layer"
            let error = try #require(
                NetKitError(URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: text]))
            )
            #expect(error.code == .connectionLost)
            #expect(error.outcome == .unknown)
            #expect(error.message.contains(text))
        }
    #endif

    /// The texts of libcurl about a proxy that it cannot use; the error buffer may end inside the URL.
    @Test(arguments: [
        "Unsupported proxy syntax in 'http://me:s3cret@proxy.example:port': Port number was not a decimal number",
        "Unsupported proxy scheme for 'gopher://me:s3cret@proxy.example'", "Unsupported proxy syntax in 'me:s3cret",
    ])
    func omitsTheURLOfAProxy(text: String) throws {
        let error = try #require(NetKitError(URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])))
        #expect(error.message.contains("(Unsupported proxy s"))
        #expect(!error.message.contains("s3cret"))
        let cause = try #require(error.cause as? URLError)
        #expect(!"\(cause.errorUserInfo)".contains("s3cret"))
    }

    /// Foundation gives its own error, with the same text, as the underlying one.
    @Test func omitsURLsOfAnUnderlyingError() throws {
        let text = "Unsupported proxy scheme for 'gopher://me:s3cret@proxy.example'"
        let url = "https://api.example.com/?token=s3cret"
        let info = [NSLocalizedDescriptionKey: text, "NSErrorFailingURLStringKey": url]
        let inner = NSError(domain: NSURLErrorDomain, code: -1, userInfo: info)
        let outer = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text, NSUnderlyingErrorKey: inner])
        let cause = try #require(NetKitError(outer)?.cause as? URLError)
        let kept = try #require(cause.errorUserInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(kept.domain == NSURLErrorDomain)
        #expect(kept.code == -1)
        #expect(kept.userInfo[NSLocalizedDescriptionKey] as? String == "Unsupported proxy scheme for …")
        #expect(!"\(cause.errorUserInfo)".contains("s3cret"))
    }

    @Test func keepsOtherTextsInQuotationMarks() throws {
        let text = "SSL: no alternative certificate subject name matches target host name 'proxy.example'"
        let error = try #require(NetKitError(URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])))
        #expect(error.message.contains(text))
    }

    @Test func omitsAnEmptyMessageOfTheSystem() throws {
        let system = URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: ""])
        let error = try #require(NetKitError(system))
        #expect(error.message == "No connection could be made. Check that the server runs and listens there.")
    }
}
