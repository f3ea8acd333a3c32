import Foundation
import NetKit

/// Colours for a terminal, and none for anything else.
struct TerminalStyle: Sendable {
    enum Colour: Int {
        case red = 31
        case green, yellow, blue, magenta, cyan
        case grey = 90
    }

    let isOn: Bool

    static let plain = TerminalStyle(isOn: false)

    /// Colours where a descriptor is a terminal that has them, and nobody has asked for none.
    static func of(descriptor: Int32) -> TerminalStyle {
        let environment = ProcessInfo.processInfo.environment
        let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return TerminalStyle(isOn: isatty(descriptor) == 1 && !isUnwanted && environment["TERM"] != "dumb")
    }

    func callAsFunction(_ text: String, _ colour: Colour) -> String {
        isOn ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// A status in the colour of its class.
    func status(_ status: HTTPStatus) -> String {
        switch status.code {
        case ..<300: self("\(status)", .green)
        case ..<400: self("\(status)", .cyan)
        case ..<500: self("\(status)", .yellow)
        default: self("\(status)", .red)
        }
    }
}
