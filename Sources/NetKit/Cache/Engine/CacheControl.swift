/// The directives of `Cache-Control`, of a request or of a response (RFC 9111, section 5.2).
///
/// Contradictions are read strictly: two different `max-age` values, or one that is not a number, count as 0. Unknown
/// directives are ignored.
struct CacheControl: Sendable, Equatable {
    /// Whether there is a `Cache-Control` field at all.
    var isPresent = false
    var maxAge: Int64?
    var noStore = false
    /// `no-cache` without the names of fields.
    var noCache = false
    /// The fields that `no-cache` names, in lower case.
    var noCacheFields: [String] = []
    var isPublic = false
    var mustRevalidate = false
    var mustUnderstand = false
    var isImmutable = false
    var staleWhileRevalidate: Int64?
    var staleIfError: Int64?
    /// The staleness that a request accepts; the largest number if it names none.
    var maxStale: Int64?
    var minFresh: Int64?
    var onlyIfCached = false

    init() {}

    init(_ headers: HTTPHeaders) {
        for field in headers where HTTPHeaders.isEqual(field.name, "Cache-Control") {
            isPresent = true
            var reader = CacheDirectiveReader(field.value)
            while let (name, argument) = reader.next() { add(name, argument) }
        }
    }

    private mutating func add(_ name: String, _ argument: CacheDirectiveReader.Argument) {
        switch name {
        case "max-age": maxAge = Self.strict(maxAge, Self.seconds(argument) ?? 0)
        case "no-store": noStore = true
        case "no-cache": addNoCache(argument)
        case "public": isPublic = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": isImmutable = true
        case "only-if-cached": onlyIfCached = true
        case "stale-while-revalidate": Self.lower(&staleWhileRevalidate, Self.seconds(argument))
        case "stale-if-error": Self.lower(&staleIfError, Self.seconds(argument))
        case "max-stale": Self.lower(&maxStale, argument == .none ? DeltaSeconds.maxValue : Self.seconds(argument))
        case "min-fresh": if let seconds = Self.seconds(argument) { minFresh = max(minFresh ?? 0, seconds) }
        default: break
        }
    }

    private mutating func addNoCache(_ argument: CacheDirectiveReader.Argument) {
        var names: [String] = []
        if case .text(let list) = argument {
            names = HeaderList.words(of: list).map { $0.lowercased() }
        }
        noCacheFields += names
        if names.isEmpty { noCache = true }
    }

    private static func seconds(_ argument: CacheDirectiveReader.Argument) -> Int64? {
        guard case .text(let text) = argument else { return nil }
        return DeltaSeconds.parse(text.utf8)
    }

    private static func strict(_ known: Int64?, _ value: Int64) -> Int64 {
        known == nil || known == value ? value : 0
    }

    private static func lower(_ known: inout Int64?, _ value: Int64?) {
        guard let value else { return }
        known = min(known ?? value, value)
    }
}

/// Numbers of seconds as caching headers write them (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// The value that replaces every larger number.
    static let maxValue: Int64 = 2_147_483_648

    /// Returns the number, limited to `maxValue`; `nil` for anything but digits.
    static func parse(_ bytes: some Sequence<UInt8>) -> Int64? {
        var value: Int64 = 0
        var isEmpty = true
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = min(maxValue, value * 10 + Int64(byte - UInt8(ascii: "0")))
            isEmpty = false
        }
        return isEmpty ? nil : value
    }

    /// Returns the received age: the first member of the first field (RFC 9111, section 5.1); 0 if it is not a number.
    static func age(in headers: HTTPHeaders) -> Int64 {
        guard let line = headers.first(where: { HTTPHeaders.isEqual($0.name, "Age") }) else { return 0 }
        let first = line.value.utf8.prefix { $0 != UInt8(ascii: ",") }
        return parse(first.trimmingBlanks) ?? 0
    }
}
