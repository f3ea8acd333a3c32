/// A transport that tells how much of it is in use.
protocol ConnectionCounting {
    var connectionsInUse: Int { get }
}
