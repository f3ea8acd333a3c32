extension BinaryInteger {
    /// Returns the number with a noun, which has an “s” unless the number is one.
    package func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
