/// The output of a tour.
protocol TourOutput: Sendable {
    var output: CommandOutput { get }
    var style: TerminalStyle { get }
}

extension TourOutput {
    func heading(_ text: String) {
        output.text("\n" + style(text, .cyan))
    }

    func text(_ text: String) {
        output.text("  " + text)
    }

    func success(_ text: String) {
        output.text("  " + style(text, .green))
    }

    func warning(_ text: String) {
        output.text("  " + style(text, .yellow))
    }
}
