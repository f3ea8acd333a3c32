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
        let text = Self.underlyingText(of: error)
        let meaning = Self.meaning(ofTextIn: error)?.adding(text) ?? Self.meaning(of: error.code, text)
        guard let meaning else { return nil }
        self.init(meaning.code, meaning.message, outcome: meaning.outcome, cause: error)
    }

    /// Returns the meaning of an error's code, with the system's text if the meaning does not say it all.
    private static func meaning(of code: URLError.Code, _ text: String) -> TransferFailureText.Meaning? {
        typealias Meaning = TransferFailureText.Meaning
        switch code {
        case .cancelled:
            return nil
        case .timedOut:
            return Meaning(.timeout, .unknown, "The request timed out. Raise the limit or check the server.")
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            return Meaning(.offline, .notSent, "There is no network connection.")
        case .cannotFindHost, .dnsLookupFailed:
            return Meaning.unresolved
        case .cannotConnectToHost:
            return Meaning.unreachable.adding(text)
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            return Meaning.untrusted.adding(text)
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid:
            return Meaning.outdated.adding(text)
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired,
            .appTransportSecurityRequiresSecureConnection:
            return Meaning.insecure.adding(text)
        case .badURL, .unsupportedURL:
            return Meaning(.invalidURL, .notSent, "The URL cannot be used.").adding(text)
        case .networkConnectionLost:
            return Meaning.lost
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .zeroByteResource:
            return Meaning.notUnderstood.adding(text)
        case .dataLengthExceedsMaximum:
            return Meaning(.bodyTooLarge, .answered, "The response is larger than allowed.")
        case .httpTooManyRedirects, .redirectToNonExistentLocation:
            return Meaning(.redirect, .answered, "The redirect cannot be followed.")
        case .userAuthenticationRequired, .userCancelledAuthentication:
            return Meaning(.unauthorized, .answered, "The server asks for a credential.")
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotCreateFile, .cannotOpenFile,
            .cannotWriteToFile, .cannotCloseFile, .cannotMoveFile, .cannotRemoveFile:
            return Meaning(.file, .unknown, "A file could not be read or written.").adding(text)
        default:
            return Meaning(.connectionLost, .unknown, "The exchange failed.").adding(text)
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
