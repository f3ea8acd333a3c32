public import Foundation

/// The data that a store keeps with a body: the head of a response, or other data of the cache.
///
/// A store of your own keeps `encoded`, which has no secret fields, and creates the head from it again.
public struct CacheHead: Sendable {
    enum Content: Sendable {
        case response(StoredResponse)
        /// The request fields that select among the responses of a URL.
        case variants(VariantSets)
        /// A value of the caller, valid from the date of its arrival until another one.
        case value(from: Date, until: Date)
    }

    let content: Content

    init(_ content: Content) { self.content = content }

    var response: StoredResponse? {
        if case .response(let response) = content { response } else { nil }
    }

    /// The identifier of the body.
    ///
    /// An update applies only to an entry with the same one.
    public var bodyID: UInt64 {
        if case .response(let response) = content { response.bodyID } else { 0 }
    }

    /// The time after which the entry cannot be used, if it is known; a store may remove it then.
    public var deadline: Date? {
        if case .value(_, let date) = content { date } else { nil }
    }

    /// Whether the response is useful without its secret fields, such as the target of a redirect or the link to the
    /// next page.
    var isUsefulWithoutSecrets: Bool {
        response.map { !$0.secretNames.hasSecretLink } ?? true
    }

    /// The rough number of bytes it takes in memory.
    var memoryCost: Int {
        switch content {
        case .response(let response): response.memoryCost
        case .variants(let sets): sets.memoryCost
        case .value: 400
        }
    }
}

/// The request fields that select among the responses of a URL, newest set first, and their generation.
struct VariantSets: Sendable, Equatable {
    /// The maximum number of different `Vary` fields of one URL that are kept.
    static let maxCount = 4

    let generation: UInt64
    private(set) var sets: [[String]]

    init(generation: UInt64, sets: [[String]]) {
        self.generation = generation
        self.sets = Array(sets.prefix(Self.maxCount))
    }

    mutating func add(_ names: [String]) {
        sets = Array(([names] + sets.filter { $0 != names }).prefix(Self.maxCount))
    }

    /// Returns the keys under which a response to a request may be stored.
    func keys(in headers: HTTPHeaders, of primary: CacheKey, secret: CacheHashKey) -> [CacheKey] {
        sets.map { key(for: $0, in: headers, of: primary, secret: secret) }
    }

    /// Returns the key of the response to requests with the same values in the named fields.
    func key(for names: [String], in headers: HTTPHeaders, of primary: CacheKey, secret: CacheHashKey) -> CacheKey {
        let values = names.flatMap { name in
            [name, VaryNames.value(of: name, in: headers).map { "=" + $0 } ?? ""]
        }
        var buffer: [UInt8] = []
        for part in [primary.description, String(generation, radix: 16)] + values {
            CacheKey.add(part.utf8, to: &buffer)
        }
        return CacheKey(of: primary.resource, hashing: buffer, secret: secret)
    }

    var memoryCost: Int {
        sets.joined().reduce(400) { $0 + 64 + $1.utf8.count }
    }
}
