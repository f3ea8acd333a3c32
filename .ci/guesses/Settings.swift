// Names that newcomers guess: settings. Each line with a comment has to be refused with that text; every other line
// compiles. `guesses.py` compares.

import Foundation
import FoundationNetworking
import NetKit
import NetKitPostgres
import NetKitTesting

private struct Person: Codable, Sendable, Identifiable, Equatable { var id: Int }
private struct PersonPage: Codable, Sendable { var items: [Person]; var next: String? }

// Client creation.
private func settings1(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = HTTPClient(url: url)  // error: 'init(url:)' has been renamed to 'init(baseURL:transport:interceptors:configuration:)'
    _ = HTTPClient(baseUrl: url)  // error: 'init(baseUrl:)' has been renamed to 'init(baseURL:transport:interceptors:configuration:)'
    _ = HTTPClient(host: "api.example.com")  // error: 'init(host:)' is unavailable: Pass a URL: HTTPClient(baseURL: URL(string: "https://api.example.com")).
    _ = HTTPClient(base: url)  // error: 'init(base:)' has been renamed to 'init(baseURL:transport:interceptors:configuration:)'
    _ = HTTPClient(baseURL: url, session: URLSession.shared)  // error: 'init(baseURL:session:)' is unavailable: Pass a transport: HTTPClient(baseURL: base, transport: URLSessionTransport()).
    _ = HTTPClient(session: URLSession.shared)  // error: 'init(baseURL:session:)' is unavailable: Pass a transport: HTTPClient(baseURL: base, transport: URLSessionTransport()).
    _ = HTTPClient(transport: .mock)  // error: 'mock' is unavailable: Create it, and keep it for its stubs: let mock = MockTransport().
    _ = HTTPClient(transport: .urlSession)  // error: 'urlSession' is unavailable: Create it: transport: URLSessionTransport().
    _ = try HTTPClient(transport: .curl)  // error: 'curl' is unavailable: Create it: transport: try CurlTransport().
    _ = HTTPClient(baseURL: url, interceptors: .none)  // error: 'none' is unavailable: Pass an empty list: interceptors: [].
    _ = HTTPClient(baseURL: url, interceptors: .default)  // error: 'default' has been renamed to 'standard'
    _ = HTTPClient(baseURL: url, middleware: [RetryInterceptor()])  // error: 'init(baseURL:middleware:)' has been renamed to 'init(baseURL:transport:interceptors:configuration:)'
    _ = HTTPClient(baseURL: url, middlewares: [RetryInterceptor()])  // error: 'init(baseURL:middlewares:)' has been renamed to 'init(baseURL:transport:interceptors:configuration:)'
    _ = HTTPClient(baseURL: url, interceptor: RetryInterceptor())  // error: 'init(baseURL:interceptor:)' is unavailable: Pass a list: HTTPClient(baseURL: base, interceptors: .standard + [mine]).
    _ = HTTPClient(baseURL: url, timeouts: Timeouts())  // error: 'init(baseURL:timeouts:)' is unavailable: Set configuration.timeouts, and pass it: HTTPClient(baseURL:configuration:).
    _ = HTTPClient(baseURL: url, proxy: url)  // error: 'init(baseURL:proxy:)' is unavailable: Create the transport with it: CurlTransport(configuration:) has the proxy.
    _ = HTTPClient(baseURL: url, decoder: JSONDecoder())  // error: 'init(baseURL:decoder:)' is unavailable: Set the coder: configuration.json = .snakeCase, or .standard.with(decoder:).
    _ = HTTPClient(baseURL: url, bearerToken: "x")  // error: 'init(baseURL:bearerToken:)' is unavailable: Add an AuthInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor.bearer(token)]).
    _ = HTTPClient(baseURL: url, token: "x")  // error: 'init(baseURL:token:)' is unavailable: Add an AuthInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor.bearer(token)]).
    _ = HTTPClient(baseURL: url, retries: 3)  // error: 'init(baseURL:retries:)' is unavailable: Add a RetryInterceptor to the list: HTTPClient(baseURL: base, interceptors: [RetryInterceptor(RetryPolicy(maxRetries: 3))]).
    _ = HTTPClient(baseURL: url, retryPolicy: .standard)  // error: 'init(baseURL:retryPolicy:)' is unavailable: Add a RetryInterceptor to the list: HTTPClient(baseURL: base, interceptors: [RetryInterceptor(policy)]).
    _ = HTTPClient(baseURL: url, maxRetries: 3)  // error: 'init(baseURL:maxRetries:)' is unavailable: Add a RetryInterceptor to the list: HTTPClient(baseURL: base, interceptors: [RetryInterceptor(RetryPolicy(maxRetries: 3))]).
    _ = HTTPClient(eventLoopGroupProvider: .singleton)  // error: 'init(eventLoopGroupProvider:)' is unavailable: A client has no event loops: HTTPClient(baseURL: URL(string: "https://api.example.com")).
    _ = HTTPClient.Builder()  // error: 'Builder' is unavailable: Pass the settings at once: HTTPClient(baseURL:transport:interceptors:configuration:).
    _ = HTTPClient.builder()  // error: 'builder()' is unavailable: Pass the settings at once: HTTPClient(baseURL:transport:interceptors:configuration:).
    _ = HTTPClient(config: HTTPClient.Configuration())  // error: 'init(baseURL:config:)' has been renamed to 'init(baseURL:transport:interceptors:configuration:)'
    _ = HTTPClient(baseURL: url, logger: .standardError)  // error: 'init(baseURL:logger:)' is unavailable: Add a LoggingInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [LoggingInterceptor(.standardError)]).
    _ = HTTPClient(configuration: HTTPClient.Configuration(timeout: .seconds(3)))  // error: 'init(timeout:)' is unavailable: Set its properties: var configuration = HTTPClient.Configuration(); configuration.timeouts.total = .seconds(10).
    _ = HTTPClient(configuration: HTTPClient.Configuration(timeouts: Timeouts(total: .seconds(3))))  // error: 'init(timeouts:redirects:json:maxBufferedBytes:)' is unavailable: Set its properties: var configuration = HTTPClient.Configuration(); configuration.timeouts.total = .seconds(10).
    _ = HTTPClient(configuration: .init(json: .snakeCase))  // error: 'init(timeouts:redirects:json:maxBufferedBytes:)' is unavailable: Set its properties: var configuration = HTTPClient.Configuration(); configuration.timeouts.total = .seconds(10).
    _ = HTTPClient(configuration: .standard)  // error: 'standard' is unavailable: Write HTTPClient.Configuration().
}

// Configuration.
private func settings2(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    do { var f = HTTPClient.Configuration(); f.timeouts.response = .seconds(3) }  // error: 'response' has been renamed to 'firstByte'
    do { var f = HTTPClient.Configuration(); f.timeouts.resource = .seconds(3) }  // error: 'resource' has been renamed to 'total'
    do { var f = HTTPClient.Configuration(); f.timeouts.write = .seconds(3) }  // error: 'write' has been renamed to 'idle'
    do { var f = HTTPClient.Configuration(); f.timeouts.connection = .seconds(3) }  // error: 'connection' has been renamed to 'connect'
    do { var f = HTTPClient.Configuration(); f.timeouts.call = .seconds(3) }  // error: 'call' has been renamed to 'total'
    do { var f = HTTPClient.Configuration(); f.timeouts.pool = .seconds(3) }  // error: 'pool' is unavailable: Bound the wait for a turn with ConcurrencyLimitInterceptor(maxWait:).
    do { var f = HTTPClient.Configuration(); f.encoder = JSONEncoder() }  // error: 'encoder' is unavailable: Set the coder: configuration.json = .snakeCase, or .standard.with(encoder:decoder:).
    do { var f = HTTPClient.Configuration(); f.decoder = JSONDecoder() }  // error: 'decoder' is unavailable: Set the coder: configuration.json = .snakeCase, or .standard.with(decoder:).
    do { var f = HTTPClient.Configuration(); f.jsonDecoder = JSONDecoder() }  // error: 'jsonDecoder' is unavailable: Set the coder: configuration.json = .snakeCase, or .standard.with(encoder:decoder:).
    do { var f = HTTPClient.Configuration(); f.json.keyDecodingStrategy = .convertFromSnakeCase }  // error: 'keyDecodingStrategy' is unavailable: Write .snakeCase, or .standard.with(decoder: { $0.keyDecodingStrategy = … }).
    do { var f = HTTPClient.Configuration(); f.followRedirects = false }  // error: 'followRedirects' is unavailable: Write configuration.redirects = .none for no redirects.
    do { var f = HTTPClient.Configuration(); f.redirects = .disallow }  // error: 'disallow' has been renamed to 'none'
    do { var f = HTTPClient.Configuration(); f.redirects = .disabled }  // error: 'disabled' has been renamed to 'none'
    do { var f = HTTPClient.Configuration(); f.redirects = .follow(max: 5) }  // error: 'follow(max:allowCycles:)' is unavailable: Write RedirectPolicy(maxHops: 5).
    do { var f = HTTPClient.Configuration(); f.redirects.max = 5 }  // error: 'max' has been renamed to 'maxHops'
    do { var f = HTTPClient.Configuration(); f.maxRedirects = 5 }  // error: 'maxRedirects' has been renamed to 'redirects.maxHops'
    do { var f = HTTPClient.Configuration(); f.redirectConfiguration = .disallow }  // error: 'redirectConfiguration' has been renamed to 'redirects'
    do { var f = HTTPClient.Configuration(); f.tls.verify = false }  // error: 'tls' is unavailable: Create the transport with it: CurlTransport(configuration:) has the settings of TLS.
    do { var f = HTTPClient.Configuration(); f.maxConnectionsPerHost = 3 }  // error: 'maxConnectionsPerHost' is unavailable: Create the transport with it: CurlTransport(configuration:) has the bounds of connections.
    do { var f = HTTPClient.Configuration(); f.httpMaximumConnectionsPerHost = 3 }  // error: 'httpMaximumConnectionsPerHost' is unavailable: Create the transport with it: CurlTransport(configuration:) has the bounds of connections.
    do { var f = HTTPClient.Configuration(); f.httpVersion = .http1Only }  // error: 'httpVersion' is unavailable: Create the transport with it: CurlTransport(configuration:) has the version of HTTP.
    do { var f = HTTPClient.Configuration(); f.logger = nil }  // error: 'logger' is unavailable: Add a LoggingInterceptor to the interceptors of the client.
    do { var f = HTTPClient.Configuration(); f.connectTimeout = .seconds(3) }  // error: 'connectTimeout' has been renamed to 'timeouts.connect'
    do { var f = HTTPClient.Configuration(); f.requestTimeout = .seconds(3) }  // error: 'requestTimeout' has been renamed to 'timeouts.total'
    do { var f = HTTPClient.Configuration(); f.urlCache = nil }  // error: 'urlCache' is unavailable: Add a CacheInterceptor with a store to the interceptors of the client.
    do { var f = HTTPClient.Configuration(); f.cachePolicy = .reload }  // error: 'cachePolicy' is unavailable: Pass it to CacheInterceptor(store, policy: policy), or to the call: CallOptions(cachePolicy: policy).
    do { var f = HTTPClient.Configuration(); f.interceptors = [] }  // error: 'interceptors' is unavailable: Pass them to the client: HTTPClient(baseURL: base, interceptors: .standard + [mine]).
    do { var f = HTTPClient.Configuration(); f.defaultHeaders = [:] }  // error: 'defaultHeaders' is unavailable: Add a HeadersInterceptor to the interceptors of the client.
    do { var f = HTTPClient.Configuration(); f.waitsForConnectivity = true }  // error: 'waitsForConnectivity' is unavailable: Add a ConnectivityInterceptor(monitor, .wait(upTo: .seconds(30))) to the interceptors of the client.
    _ = Timeouts(request: .seconds(3))  // error: 'init(request:resource:)' is unavailable: Write idle: for the wait for bytes, and total: for the whole call: Timeouts(idle: .seconds(30), total: .seconds(60)).
    _ = Timeouts(read: .seconds(3))  // error: 'init(connect:read:write:)' is unavailable: Write idle: for the wait for bytes, and total: for the whole call: Timeouts(idle: .seconds(30), total: .seconds(60)).
    _ = Timeouts(.seconds(3))  // error: 'init(_:)' is unavailable: Name the limit: Timeouts(total: .seconds(10)).
    _ = Timeouts(connect: .seconds(1), read: .seconds(3))  // error: 'init(connect:read:write:)' is unavailable: Write idle: for the wait for bytes, and total: for the whole call: Timeouts(idle: .seconds(30), total: .seconds(60)).
    c.timeout = .seconds(3)  // error: 'timeout' is unavailable: Pass the limit to the call, or set configuration.timeouts before you create the client.
    c.headers["a"] = "b"  // error: 'headers' is unavailable: Add a HeadersInterceptor to the interceptors of the client.
}

// Tls, proxies.
private func settings3(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = try CurlTransport(proxy: .none)  // error: 'init(proxy:tls:)' is unavailable: Pass a configuration: CurlTransport(configuration: configuration), with configuration.proxy and configuration.tls.
    _ = try CurlTransport(proxy: url)  // error: 'init(proxy:)' is unavailable: Pass a configuration: CurlTransport(configuration: configuration), with configuration.proxy and configuration.tls.
    _ = try CurlTransport(tls: CurlTransport.TLS())  // error: 'init(tls:)' is unavailable: Pass a configuration: CurlTransport(configuration: configuration), with configuration.proxy and configuration.tls.
    _ = try CurlTransport(.init())  // error: 'init(_:)' has been renamed to 'init(configuration:library:)'
    _ = CurlTransport.Configuration(proxy: .none)  // error: 'init(connections:httpVersion:tls:proxy:)' is unavailable: Set its properties: var configuration = CurlTransport.Configuration(); configuration.proxy = .environment.
    do { var t = CurlTransport.Configuration(); t.proxy = .http(host: "p", port: 3128) }  // error: 'http(host:port:)' is unavailable: Write .url(url) with the URL of the proxy, such as http://proxy.example.com:3128.
    do { var t = CurlTransport.Configuration(); t.proxy = .server(host: "p", port: 3128) }  // error: 'server(host:port:)' is unavailable: Write .url(url) with the URL of the proxy, such as http://proxy.example.com:3128.
    do { var t = CurlTransport.Configuration(); t.tls.verify = false }  // error: 'verify' is unavailable: Write verification = .insecure for no verification, or roots = .file(path) for an authority of your own.
    do { var t = CurlTransport.Configuration(); t.tls.certificateVerification = .none }  // error: 'certificateVerification' has been renamed to 'verification'
    do { var t = CurlTransport.Configuration(); t.tls.verification = .none }  // error: 'none' has been renamed to 'insecure'
    do { var t = CurlTransport.Configuration(); t.tls.trustRoots = .file("x") }  // error: 'trustRoots' has been renamed to 'roots'
    do { var t = CurlTransport.Configuration(); t.tls.ca = "x" }  // error: 'ca' is unavailable: Write roots = .file(path).
    do { var t = CurlTransport.Configuration(); t.tls.minimumTLSVersion = .tlsv12 }  // error: 'minimumTLSVersion' has been renamed to 'minVersion'
    do { var t = CurlTransport.Configuration(); t.tls.minVersion = .v1_3 }  // error: 'v1_3' has been renamed to 'tls13'
    do { var t = CurlTransport.Configuration(); t.tls.clientCertificate = nil }  // error: 'clientCertificate' has been renamed to 'identity'
    do { var t = CurlTransport.Configuration(); t.tls.certificate = nil }  // error: 'certificate' has been renamed to 'identity'
    do { var t = CurlTransport.Configuration(); t.tls.pinnedCertificates = [] }  // error: 'pinnedCertificates' is unavailable: Set pins, the hashes of public keys: pins = ["sha256//…"].
    do { var t = CurlTransport.Configuration(); t.tls.identity = .init(certificate: "a", key: "b") }  // error: 'init(certificate:key:passphrase:)' has been renamed to 'init(certificatePath:keyPath:passphrase:)'
    do { var t = CurlTransport.Configuration(); t.maxConnectionsPerHost = 3 }  // error: 'maxConnectionsPerHost' has been renamed to 'connections.maxPerHost'
    do { var t = CurlTransport.Configuration(); t.connections.idleTimeout = .seconds(3) }  // error: 'idleTimeout' has been renamed to 'idleTime'
    do { var t = CurlTransport.Configuration(); t.httpVersion = .http2 }  // error: 'http2' is unavailable: Write .automatic: HTTP/2 if the server agrees to it over TLS, otherwise HTTP/1.1.
    do { var t = CurlTransport.Configuration(); t.unixSocket = "/x" }  // error: 'unixSocket' has been renamed to 'unixSocketPath'
    do { var t = CurlTransport.Configuration(); t.dns = ["a": "b"] }  // error: 'dns' has been renamed to 'addressOverrides'
    _ = CurlTransport.TLS(verification: .insecure)  // error: 'init(roots:verification:identity:minVersion:pins:)' is unavailable: Set its properties: var tls = CurlTransport.TLS(); tls.roots = .file(path).
    _ = CurlTransport.Connections(maxConnections: 3)  // error: 'init(maxConnections:)' is unavailable: Write maxTotal: for all hosts, or maxPerHost: for each.
    _ = URLSessionTransport(session: URLSession.shared)  // error: 'init(session:)' is unavailable: Pass the configuration of the session: URLSessionTransport(configuration: session.configuration).
}
