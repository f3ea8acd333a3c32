package import Foundation

/// One step of a reply's script.
package enum ServerStep: Sendable {
    case send(Data)
    case pause(Duration)
    /// Nothing until the server's `release()`.
    case stall
    case close
    case reset
    /// Waits for the next request's first byte, then closes without reading it.
    case closeOnNextRequest
    /// Sends bytes again and again until the connection ends.
    case `repeat`(Data)

    /// Whether nothing of the script follows.
    var isLast: Bool {
        switch self {
        case .send, .pause, .stall: false
        case .close, .reset, .closeOnNextRequest, .repeat: true
        }
    }
}
