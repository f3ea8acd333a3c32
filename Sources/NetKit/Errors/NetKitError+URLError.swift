import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension NetKitError {
    /// Creates an error with the code and the outcome for a `URLError`.
    ///
    /// The result is `nil` for `.cancelled`, which is not a failure.
    init?(_ error: URLError) {
        let error = error.withoutURLs
        let underlying = Self.underlyingText(of: error)
        if let meaning = Self.meaning(ofTextIn: error) {
            self.init(meaning, underlying, cause: error)
            return
        }
        switch error.code {
        case .cancelled:
            return nil
        case .timedOut:
            self.init(
                .timeout,
                "The request timed out. Raise the limit or check the server.",
                outcome: .unknown,
                cause: error
            )
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            self.init(.offline, "There is no network connection.", cause: error)
        case .cannotFindHost, .dnsLookupFailed:
            self.init(.unresolved, cause: error)
        case .cannotConnectToHost:
            self.init(.unreachable, underlying, cause: error)
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            self.init(.untrusted, underlying, cause: error)
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid:
            self.init(.outdated, underlying, cause: error)
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired,
            .appTransportSecurityRequiresSecureConnection:
            self.init(.insecure, underlying, cause: error)
        case .badURL, .unsupportedURL:
            self.init(.invalidURL, "The URL cannot be used\(underlying).", cause: error)
        case .networkConnectionLost:
            self.init(.lost, cause: error)
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .zeroByteResource:
            self.init(.notUnderstood, underlying, cause: error)
        case .dataLengthExceedsMaximum:
            self.init(.bodyTooLarge, "The response is larger than allowed.", outcome: .answered, cause: error)
        case .httpTooManyRedirects, .redirectToNonExistentLocation:
            self.init(.redirect, "The redirect cannot be followed.", outcome: .answered, cause: error)
        case .userAuthenticationRequired, .userCancelledAuthentication:
            self.init(.unauthorized, "The server asks for a credential.", outcome: .answered, cause: error)
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotCreateFile, .cannotOpenFile,
            .cannotWriteToFile, .cannotCloseFile, .cannotMoveFile, .cannotRemoveFile:
            self.init(.file, "A file could not be read or written\(underlying).", outcome: .unknown, cause: error)
        default:
            self.init(.connectionLost, "The exchange failed\(underlying).", outcome: .unknown, cause: error)
        }
    }

    /// Returns the meaning of the error's text, if its code says too little.
    private static func meaning(ofTextIn error: URLError) -> TransferFailureText.Meaning? {
        guard let text = error.errorUserInfo[NSLocalizedDescriptionKey] as? String else { return nil }
        switch error.code {
        #if canImport(FoundationNetworking)
            case .cannotConnectToHost where !text.isEmpty:
                // Foundation reports any failure so if an earlier address of the host has refused the connection.
                return TransferFailureText.meaning(of: text) ?? .lost
        #endif
        case .unknown, .badServerResponse, .timedOut, .cannotConnectToHost, .unsupportedURL:
            return TransferFailureText.meaning(of: text)
        default:
            return nil
        }
    }

    private init(_ meaning: TransferFailureText.Meaning, _ detail: String = "", cause: URLError) {
        self.init(meaning.code, meaning.message(detail), outcome: meaning.outcome, cause: cause)
    }

    /// Returns libcurl's own message, as FoundationNetworking keeps it; it distinguishes a refused connection from a
    /// reset one.
    private static func underlyingText(of error: URLError) -> String {
        let text = (error.errorUserInfo[NSLocalizedDescriptionKey] as? String) ?? ""
        return text.isEmpty ? "" : " (\(text))"
    }
}

extension URLError {
    /// The same error without the URL that Foundation adds, and without that of a proxy: they may contain secrets, and
    /// the request line has the rest.
    fileprivate var withoutURLs: URLError { URLError(code, userInfo: Self.shown(errorUserInfo)) }

    /// Returns the entries without URLs, also in the underlying error, in which Foundation repeats the text of libcurl.
    private static func shown(_ info: [String: Any]) -> [String: Any] {
        var kept = info
        kept["NSErrorFailingURLKey"] = nil
        kept["NSErrorFailingURLStringKey"] = nil
        if let text = info[NSLocalizedDescriptionKey] as? String {
            kept[NSLocalizedDescriptionKey] = TransferFailureText.withoutProxyURL(text)
        }
        if let underlying = info[NSUnderlyingErrorKey] as? any Error {
            let inner = underlying as NSError
            let innerInfo = shown(inner.userInfo)
            kept[NSUnderlyingErrorKey] = NSError(domain: inner.domain, code: inner.code, userInfo: innerInfo)
        }
        return kept
    }
}
