extension BidirectionalCollection<UInt8> {
    /// Without the spaces and tabs at both ends, which mean nothing around the parts of a field (RFC 9110, section 5.6.3).
    var trimmingBlanks: SubSequence {
        let start = drop(while: \.isHTTPBlank)
        guard let last = start.lastIndex(where: { !$0.isHTTPBlank }) else { return start }
        return start[...last]
    }
}
