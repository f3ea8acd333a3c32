/// The lines of a tour.
protocol TourVoice: Sendable {
    var output: CommandOutput { get }
    var style: TerminalStyle { get }
}

extension TourVoice {
    func heading(_ text: String) {
        output.text("\n" + style(text, .cyan))
    }

    func say(_ text: String) {
        output.text("  " + text)
    }

    func good(_ text: String) {
        output.text("  " + style(text, .green))
    }

    func bad(_ text: String) {
        output.text("  " + style(text, .yellow))
    }
}
