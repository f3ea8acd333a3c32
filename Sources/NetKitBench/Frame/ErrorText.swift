import Foundation
import NetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Short texts for errors, the same for the same kind of error.
enum ErrorText {
    static func short(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "CancellationError"
        case let error as NetKitError:
            "NetKitError.\(error.code)" + (error.timeoutPhase.map { " (\($0))" } ?? "")
        case let error as URLError: "URLError \(error.code.rawValue)\(name(of: error.code).map { " \($0)" } ?? "")"
        case let error as UnexpectedResponse: error.text
        default: "\(type(of: error)): \((error as NSError).domain) \((error as NSError).code)"
        }
    }

    private static func name(of code: URLError.Code) -> String? {
        switch code {
        case .unknown: "unknown"
        case .cancelled: "cancelled"
        case .timedOut: "timedOut"
        case .badURL: "badURL"
        case .unsupportedURL: "unsupportedURL"
        case .cannotFindHost: "cannotFindHost"
        case .cannotConnectToHost: "cannotConnectToHost"
        case .networkConnectionLost: "networkConnectionLost"
        case .notConnectedToInternet: "notConnectedToInternet"
        case .badServerResponse: "badServerResponse"
        case .cannotParseResponse: "cannotParseResponse"
        case .cannotDecodeContentData: "cannotDecodeContentData"
        case .cannotDecodeRawData: "cannotDecodeRawData"
        case .dataLengthExceedsMaximum: "dataLengthExceedsMaximum"
        case .httpTooManyRedirects: "httpTooManyRedirects"
        default: nil
        }
    }
}

/// The error of a response that the server of a bench does not give.
struct UnexpectedResponse: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
