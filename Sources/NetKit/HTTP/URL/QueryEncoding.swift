/// Splits an `Encodable` into names and values, in the order in which it encodes them.
enum QueryEncoding {
    static func members(
        of value: some Encodable,
        nesting: QueryFormat.Nesting
    ) throws -> [(name: String, value: QueryValue)] {
        let sink = Sink(nesting: nesting.kind)
        try Encoding(sink: sink, place: .whole, codingPath: []).encode(anything: value)
        if let refusal = sink.refusal { throw refusal }
        return sink.members
    }

    /// The destination of a value: without a name yet, an item of its own, or an element of a list.
    fileprivate enum Place {
        case whole
        case item(String)
        case element(Int)
    }

    /// A collector of the encoded values, which exists during one call only.
    fileprivate final class Sink {
        /// The maximum depth of nested values.
        static let maxDepth = 64

        let nesting: QueryFormat.Nesting.Kind
        private(set) var members: [(name: String, value: QueryValue)] = []
        /// The error of a nested container, whose creation cannot throw.
        var refusal: (any Error)?

        init(nesting: QueryFormat.Nesting.Kind) { self.nesting = nesting }

        func beginList(_ name: String) -> Int {
            members.append((name, .list([])))
            return members.count - 1
        }

        func write(_ value: QueryValue, to place: Place, _ path: [any CodingKey]) throws {
            switch place {
            case .item(let name): members.append((name, value))
            case .element(let index):
                guard case .list(var values) = members[index].value.kind else { return }
                // The list would be copied for the change while the member holds it as well.
                members[index].value = .nothing
                values.append(value)
                members[index].value = .list(values)
            case .whole: throw Self.unfit("A query has names; encode a value with members.", path)
            }
        }

        func name(of key: any CodingKey, in place: Place, _ path: [any CodingKey]) throws -> String {
            guard path.count <= Self.maxDepth else { throw Self.unfit("The value is nested too deeply.", path) }
            switch place {
            case .whole: return key.stringValue
            case .item(let name):
                return nesting == .brackets ? "\(name)[\(key.stringValue)]" : "\(name).\(key.stringValue)"
            case .element: throw Self.unfit("A query cannot hold a list of values with members.", path)
            }
        }

        static func unfit(_ text: String, _ path: [any CodingKey]) -> EncodingError {
            .invalidValue("", EncodingError.Context(codingPath: path, debugDescription: text))
        }
    }

    fileprivate struct Encoding: Encoder {
        let sink: Sink
        let place: Place
        var codingPath: [any CodingKey]
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            KeyedEncodingContainer(Members<Key>(sink: sink, place: place, codingPath: codingPath))
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer {
            Elements(sink: sink, place: place, codingPath: codingPath)
        }

        func singleValueContainer() -> any SingleValueEncodingContainer { self }

        /// Writes values that have a query form in that form, and all others as they encode themselves.
        func encode(anything value: some Encodable) throws {
            guard let convertible = value as? any QueryConvertible else { return try value.encode(to: self) }
            let queryValue = convertible.queryValue
            switch (queryValue.kind, place) {
            case (.nothing, _): break
            // Without a name, only its members can be written.
            case (.list, .whole): try value.encode(to: self)
            default: try sink.write(queryValue, to: place, codingPath)
            }
        }
    }

    fileprivate struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let sink: Sink
        let place: Place
        var codingPath: [any CodingKey]

        mutating func encodeNil(forKey key: Key) {}

        mutating func encode(_ value: some Encodable, forKey key: Key) throws {
            try inner(key).encode(anything: value)
        }

        mutating func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Inner> {
            nested(key).container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            nested(key).unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder {
            Encoding(sink: sink, place: place, codingPath: codingPath)
        }

        mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

        private func inner(_ key: Key) throws -> Encoding {
            let path = codingPath + [key]
            return Encoding(sink: sink, place: .item(try sink.name(of: key, in: place, path)), codingPath: path)
        }

        private func nested(_ key: Key) -> Encoding {
            do {
                return try inner(key)
            } catch {
                sink.refusal = error
                return Encoding(sink: sink, place: .whole, codingPath: codingPath + [key])
            }
        }
    }

    fileprivate struct Elements: UnkeyedEncodingContainer {
        let sink: Sink
        let place: Place
        var codingPath: [any CodingKey]
        private(set) var count = 0
        private var list: Int?

        init(sink: Sink, place: Place, codingPath: [any CodingKey]) {
            (self.sink, self.place, self.codingPath) = (sink, place, codingPath)
            if case .item(let name) = place { list = sink.beginList(name) }
        }

        mutating func encodeNil() {}

        mutating func encode(_ value: some Encodable) throws { try next().encode(anything: value) }

        mutating func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
            next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }

        mutating func superEncoder() -> any Encoder { next() }

        private mutating func next() -> Encoding {
            defer { count += 1 }
            return Encoding(sink: sink, place: list.map { .element($0) } ?? place, codingPath: codingPath)
        }
    }
}

extension QueryEncoding.Encoding: SingleValueEncodingContainer {
    func encodeNil() {}

    func encode(_ value: some Encodable) throws { try encode(anything: value) }
}
