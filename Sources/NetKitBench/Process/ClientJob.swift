import NetKit

/// Work of one client in a separate process.
protocol ClientJob: ChildJob where Result == Measurement {
    /// The name of the client, or of the floor.
    var client: String { get }
    var server: ServerAddress { get }
    var settings: ClientSettings { get }

    /// Prepares the parts that must not be measured.
    func prepare()

    /// Measures the work with a client that has already connected, so that only the work is measured.
    func measure(_ client: any BenchClient) async throws -> Measurement

    #if os(Linux)
        /// Measures the same work with libcurl driven from C.
        func measure(_ floor: Floor) async throws -> Measurement
    #endif
}

extension ClientJob {
    var settings: ClientSettings { ClientSettings() }

    func prepare() {}

    @concurrent
    func run() async throws -> Measurement {
        ProcessLimits.raiseDescriptors()
        prepare()
        #if os(Linux)
            if let kind = FloorKind.all.first(where: { $0.name == self.client }) {
                let floor = try Floor(kind)
                _ = try await floor.measure(Floor.Task(url: server.small, extent: .calls(1)))
                return try await Measurement.withMemory { try await measure(floor) }
            }
        #endif
        let own = try ClientKind.named(client).make(settings)
        _ = try await own.get(server.small)
        return try await Measurement.withMemory { try await measure(own) }
    }

    #if os(Linux)
        func measure(_ floor: Floor) async throws -> Measurement {
            throw BenchError("The floor does not support \(Self.name).")
        }
    #endif
}
