/// The settings of one call; everything else comes from the configuration of the client.
///
/// One value can be used for any number of calls, even concurrent ones.
public struct CallOptions: Sendable {
    /// The identifier of the call, with which it can be cancelled.
    ///
    /// By default, each call gets its own. Calls with the same identifier are cancelled together.
    public var id: CallID?
    /// The urgency of the call.
    ///
    /// A priority that is set here, even `.medium`, overrides the endpoint's. The default is the endpoint's priority,
    /// or `.medium`.
    public var priority: TaskPriority {
        get { TaskPriority(rawValue: rawPriority ?? TaskPriority.medium.rawValue) }
        set { rawPriority = newValue.rawValue }
    }
    /// The priority as a number, or `nil` if none was set.
    ///
    /// A type whose size the compiler knows, because options are copied for each call.
    private(set) var rawPriority: UInt8?
    /// The limit for the whole call; the earliest of all deadlines counts.
    public var timeout: Duration?
    /// The limits of the call; `nil` for those of the client.
    public var timeouts: Timeouts?
    /// The way in which the body is delivered; `nil` uses the default of the kind of call.
    ///
    /// Typed calls are buffered, and plain ones are streamed.
    public var delivery: Delivery?
    /// The key by which a server recognizes repetitions of this call.
    ///
    /// A key of your own, from `.value(_:)`, is for one call: to the server, several calls with it are repetitions.
    /// With `.automatic`, each call that uses the options gets a key of its own.
    public var idempotencyKey: IdempotencyKey?
    /// The principal on whose behalf the request is sent.
    public var principal: Principal?
    /// The use of a cache; `nil` leaves it to the endpoint and the cache.
    public var cachePolicy: CachePolicy?
    /// Values of your own, which interceptors can read.
    ///
    /// The retry policy of the call is kept among them. Replacing all of them at once removes it.
    public var tags: CallTags
    /// The recipient of progress updates, for the body of the request or for a download.
    ///
    /// It is for one call, because it ends with the first call that uses it.
    public var progress: TransferUpdates?
    /// The identity that the call requires; the call fails before anything is sent if the client has another one.
    var requiredIdentity: CredentialIdentity?
    /// Whether a first login, under which the required identity goes on, counts as another identity.
    var endsAtLogin = false
    /// The calls that this one belongs to, and whose identity it has; `nil` for a call of its own.
    var sequence: CallSequence?
    /// Whether `progress` counts the bytes of the request's body.
    var countsSentBytes = true
    /// Whether `progress` ends with the response; a transfer of several steps ends it itself.
    var endsProgress = true
    /// Whether the client's attempt limit holds.
    ///
    /// It does not hold for the transfer of a file, for which the idle limit is used instead, and for an attempt of an
    /// offline queue with a limit of its own.
    var limitsAttempts = true
    /// Whether the call is a stream of events, for which the client's idle and total limits do not hold.
    var isEndless = false
}

extension CallOptions {
    /// Creates options; a setting that is not named has its default.
    public init(
        id: CallID? = nil,
        priority: TaskPriority? = nil,
        timeout: Duration? = nil,
        timeouts: Timeouts? = nil,
        delivery: Delivery? = nil,
        idempotencyKey: IdempotencyKey? = nil,
        principal: Principal? = nil,
        cachePolicy: CachePolicy? = nil,
        tags: CallTags = CallTags(),
        progress: TransferUpdates? = nil
    ) {
        // The members one by one would be assembled in memory, and copied from there for each call.
        self.init(
            id: id,
            rawPriority: priority?.rawValue,
            timeout: timeout,
            timeouts: timeouts,
            delivery: delivery,
            idempotencyKey: idempotencyKey,
            principal: principal,
            cachePolicy: cachePolicy,
            tags: tags,
            progress: progress
        )
    }
}

/// The key by which a server recognizes repetitions of one logical call.
public struct IdempotencyKey: Hashable, Sendable {
    /// The key; `nil` if the client generates one.
    let value: String?

    /// A key that is generated once for the logical call, and is the same for all of its attempts.
    public static let automatic = IdempotencyKey(value: nil)

    /// Returns a key of your own; an empty or blank text stands for `automatic`.
    public static func value(_ key: String) -> IdempotencyKey { IdempotencyKey(value: key.isHTTPBlank ? nil : key) }
}

/// The way in which the body of a response reaches the caller.
public struct Delivery: Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of bytes that are collected; `nil` if the body is streamed.
    public let maxBufferedBytes: Int?

    /// Returns the delivery of the whole body in memory, before the call returns.
    ///
    /// A larger body is an error, `.bodyTooLarge`. If the body fails on the way, the attempt fails and can be retried.
    /// A redirect that is followed, and a failure after which the request is sent again, may always have 64 KiB.
    public static func buffered(upTo limit: Int) -> Delivery { Delivery(maxBufferedBytes: max(0, limit)) }

    /// The delivery of the body as it arrives, at the pace of its reader.
    public static let streamed = Delivery(maxBufferedBytes: nil)

    /// Returns the maximum number of bytes that an exchange collects of a response with a status; `nil` if the body is
    /// streamed.
    ///
    /// A failure may have 64 KiB, because its status counts first: a redirect, a new token or a retry discards the
    /// body. The bound of the delivery then holds for the response that the caller gets. A transport that enforces the
    /// bound itself uses this one.
    public func maxBufferedBytes(of status: HTTPStatus) -> Int? {
        guard let maxBufferedBytes, !status.isSuccess else { return maxBufferedBytes }
        return max(maxBufferedBytes, NetKitError.Response.defaultMaxBodyBytes)
    }

    /// Whether the body is streamed.
    public var isStreamed: Bool { maxBufferedBytes == nil }

    /// A description of the delivery.
    public var description: String {
        maxBufferedBytes.map { "buffered up to \($0) bytes" } ?? "streamed"
    }
}

extension CallOptions {
    /// Runs a transfer of one or more steps, and ends the progress after the last one.
    func endingProgress<Result: Sendable>(
        isSuccess: (Result) -> Bool = { _ in true },
        _ transfer: (CallOptions) async throws -> Result
    ) async throws -> Result {
        var options = self
        options.endsProgress = false
        do {
            let result = try await transfer(options)
            progress?.end(isSuccess: isSuccess(result))
            return result
        } catch {
            progress?.end(isSuccess: false)
            throw error
        }
    }
}
