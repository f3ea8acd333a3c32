extension ArraySlice {
    /// Removes the first elements, and frees them.
    ///
    /// `removeFirst` alone only moves the start of a slice, whose memory keeps them for as long as it has room for
    /// others. At most as many of them stay as the slice has elements.
    mutating func freeFirst(_ count: Int = 1) {
        removeFirst(count)
        if startIndex > self.count { self = Array(self)[...] }
    }
}
