public import Foundation

extension OTLPSpanExporter {
    /// Creates an exporter with a client of its own.
    ///
    /// - Parameters:
    ///   - serviceName: The name of the service.
    ///   - endpoint: The URL to which traces are sent. The default is a collector on this machine.
    ///   - headers: Further header fields, such as a key of the collector. They are secret: a redirect to another
    ///     server does not carry them.
    ///   - resource: Further attributes of the service, such as `service.version`.
    ///   - configuration: The limits for queueing and sending spans.
    ///   - transport: The transport that sends them.
    ///   - clock: The clock of the exporter.
    public convenience init(
        serviceName: String,
        endpoint: URL? = nil,
        headers: HTTPHeaders = [:],
        resource: [String: String] = [:],
        configuration: Configuration = Configuration(),
        transport: some Transport = .platformDefault,
        clock: NetKitClock = .system
    ) {
        var clientConfiguration = HTTPClient.Configuration()
        clientConfiguration.clock = clock
        // The key of a collector must not follow a redirect to another server.
        clientConfiguration.redaction.headerNames.formUnion(headers.fields.map { $0.name.lowercased() })
        var policy = RetryPolicy(retryableStatusCodes: [429, 502, 503, 504])
        policy.retryableMethods.insert(.post)
        let client = HTTPClient(
            transport: transport,
            interceptors: [RetryInterceptor(policy)],
            configuration: clientConfiguration
        )
        self.init(
            client: client,
            serviceName: serviceName,
            endpoint: endpoint,
            headers: headers,
            resource: resource,
            configuration: configuration,
            clock: clock
        )
    }
}
