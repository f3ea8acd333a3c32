extension RandomAccessCollection where Index == Int {
    /// Returns the first index of an element that is not before a place, in a collection that is in order; the end if
    /// all elements are before it.
    func firstIndexOfSorted(where isNotBefore: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isNotBefore(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
