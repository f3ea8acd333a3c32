extension BinaryInteger {
    /// Returns the number with a noun, which has an “s” unless the number is one.
    package func counting(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}
