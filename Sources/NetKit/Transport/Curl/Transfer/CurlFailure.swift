#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// The meaning of libcurl's codes.
    enum CurlFailure {
        /// Returns the error for a code.
        ///
        /// `hasConnected` is `true` if the request was about to be sent; before that, no byte of it had left. If
        /// `wasSentBefore` is `true`, it may have arrived before the last connection was made.
        static func error(
            _ code: Int32,
            text: String,
            hasConnected: Bool,
            wasSentBefore: Bool,
            limit: Duration?,
            attempt: Attempt
        ) -> NetKitError {
            let shown = NetKitError.oneLine(text, limit: 300)
            if Int(code) == NK_CURLE_OPERATION_TIMEDOUT, !hasConnected {
                let within = limit.map { " within \($0.shortText)" } ?? ""
                return NetKitError(
                    .timeout,
                    "No connection could be made\(within) (\(shown)). Raise `timeouts.connect` or check the server.",
                    timeoutPhase: .connect
                )
            }
            let meaning = meaning(of: Int(code), text, hasConnected: hasConnected)
            let isRefused = meaning.code == .tls && CurlTLSReason.refusesClient(text)
            let outcome = wasSentBefore || (hasConnected && !isRefused) ? attempt.outcome : .notSent
            let reason = meaning.code == .tls ? CurlTLSReason.text(of: text, code: Int(code)) : ""
            return NetKitError(meaning.code, meaning.adding("\(reason) (\(shown))").message, outcome: outcome)
        }

        /// Returns the error of a connection for which there was no socket, because too many files are open or there is
        /// no memory; `nil` for any other error of the system.
        static func missingSocket(_ systemError: Int32) -> NetKitError? {
            SystemShortage.explanation(of: systemError).map {
                NetKitError(.connect, "No connection could be made, because \($0).", cause: LocalShortage())
            }
        }

        /// Returns the error of a proxy that would refuse again; `nil` for any other failure.
        static func proxyRefusal(_ code: Int32, by proxy: CurlProxies.Server, _ easy: CurlEasy) -> NetKitError? {
            let place = "The proxy `\(proxy.place)`"
            let status = easy.long(NK_CURLINFO_HTTP_CONNECTCODE)
            if (400..<500).contains(status) {
                let advice =
                    status == 407 || status == 401
                    ? "Put the user and the password into the proxy's URL." : "It might not allow this server or port."
                return NetKitError(.proxy, "\(place) refused the connection with status \(status). \(advice)")
            }
            guard Int(code) == NK_CURLE_PROXY, !passingReplies.contains(easy.long(NK_CURLINFO_PROXY_ERROR)) else {
                return nil
            }
            let advice = "Check its type, the user and the password, and its rules."
            return NetKitError(.proxy, "\(place) refused the connection. \(advice)")
        }

        /// The replies of a SOCKS proxy that may be temporary, by libcurl's numbers: closed, not received or sent,
        /// refused by the server, a general failure, not reachable, not resolved.
        private static let passingReplies: Set<Int> = [3, 13, 14, 15, 16, 19, 20, 21, 22, 24, 27, 28, 29, 30]

        /// Returns the meaning of a code; the outcome is that of the attempt.
        private static func meaning(of code: Int, _ text: String, hasConnected: Bool) -> TransferFailureText.Meaning {
            switch code {
            case NK_CURLE_UNSUPPORTED_PROTOCOL where hasConnected, NK_CURLE_WEIRD_SERVER_REPLY, NK_CURLE_WRITE_ERROR,
                NK_CURLE_BAD_CONTENT_ENCODING, NK_CURLE_CHUNK_FAILED, NK_CURLE_TOO_LARGE,
                NK_CURLE_OUT_OF_MEMORY where hasConnected, NK_CURLE_BAD_FUNCTION_ARGUMENT where hasConnected:
                .notUnderstood
            case NK_CURLE_URL_MALFORMAT, NK_CURLE_UNSUPPORTED_PROTOCOL:
                TransferFailureText.Meaning(.invalidURL, .notSent, "The URL cannot be used.")
            case NK_CURLE_COULDNT_RESOLVE_HOST, NK_CURLE_COULDNT_RESOLVE_PROXY:
                .unresolved
            case NK_CURLE_COULDNT_CONNECT, NK_CURLE_PROXY, NK_CURLE_INTERFACE_FAILED,
                NK_CURLE_NO_CONNECTION_AVAILABLE:
                .unreachable
            case NK_CURLE_SSL_CONNECT_ERROR where TransferFailureText.isLoss(text):
                .brokenOff
            case NK_CURLE_SSL_CONNECT_ERROR, NK_CURLE_SSL_ENGINE_NOTFOUND, NK_CURLE_SSL_ENGINE_SETFAILED,
                NK_CURLE_SSL_CERTPROBLEM, NK_CURLE_SSL_CIPHER, NK_CURLE_PEER_FAILED_VERIFICATION,
                NK_CURLE_USE_SSL_FAILED, NK_CURLE_SSL_ENGINE_INITFAILED, NK_CURLE_SSL_CACERT_BADFILE,
                NK_CURLE_SSL_CRL_BADFILE, NK_CURLE_SSL_ISSUER_ERROR, NK_CURLE_SSL_PINNEDPUBKEYNOTMATCH,
                NK_CURLE_SSL_INVALIDCERTSTATUS, NK_CURLE_SSL_CLIENTCERT:
                .insecure
            case NK_CURLE_OPERATION_TIMEDOUT:
                .tooLate
            case NK_CURLE_RECV_ERROR where CurlTLSReason.isRefusal(text):
                .insecure
            case NK_CURLE_RECV_ERROR where TransferFailureText.meaning(of: text)?.code == .invalidResponse:
                .notUnderstood
            case NK_CURLE_RECV_ERROR where !hasConnected, NK_CURLE_SEND_ERROR where !hasConnected:
                .brokenOff
            case NK_CURLE_FAILED_INIT, NK_CURLE_NOT_BUILT_IN, NK_CURLE_UNKNOWN_OPTION,
                NK_CURLE_BAD_FUNCTION_ARGUMENT:
                TransferFailureText.Meaning(.unsupported, .notSent, "This libcurl cannot do that.")
            default:
                .lost
            }
        }
    }
#endif
