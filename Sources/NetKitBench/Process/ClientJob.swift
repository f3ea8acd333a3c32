import NetKit

/// Work that one client does in a process of its own.
protocol ClientJob: ChildJob where Result == Measurement {
    /// The name of the client, or the floor's.
    var client: String { get }
    var server: ServerAddress { get }
    var settings: ClientSettings { get }

    /// Makes ready what is not to be measured.
    func prepare()

    /// Does the work with a client that has made a connection: libraries are loaded, and what is measured is the work.
    func measure(_ client: any BenchClient) async throws -> Measurement

    #if os(Linux)
        /// Does the same with libcurl driven from C.
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
            throw BenchError("\(Self.name) is nothing that the floor does.")
        }
    #endif
}
