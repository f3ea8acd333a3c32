extension UnsafeRawBufferPointer {
    /// Whether these are the first bytes, where wanted with letters of the other case: the prefix then has small ones.
    ///
    /// It is asked for each request, and `starts(with:)` takes ten times as long.
    func begins(with prefix: StaticString, ignoringCase ignoresCase: Bool = false) -> Bool {
        guard count >= prefix.utf8CodeUnitCount else { return false }
        return prefix.withUTF8Buffer { prefix in
            prefix.indices.allSatisfy { index in
                self[index] == prefix[index] || ignoresCase && self[index].lowercasedASCII == prefix[index]
            }
        }
    }
}
