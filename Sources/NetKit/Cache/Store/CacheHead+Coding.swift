public import Foundation

extension CacheHead {
    private static let version: UInt8 = 1

    /// The head as bytes, without its secret fields.
    public var encoded: Data {
        var writer = CacheByteWriter()
        writer.add(Self.version)
        switch content {
        case .response(let response):
            writer.add(UInt8(1))
            writer.add(UInt64(bitPattern: Int64(response.status.code)))
            writer.add(response.requestDate.timeIntervalSince1970.bitPattern)
            writer.add(response.responseDate.timeIntervalSince1970.bitPattern)
            writer.add(UInt64(bitPattern: response.receivedAge))
            writer.add((response.ttl ?? .nan).bitPattern)
            writer.add(UInt8(response.mayGuess ? 1 : 0))
            writer.add(response.bodyID)
            let fields = response.headers.fields.filter { !response.secretNames.contains($0.name.lowercased()) }
            writer.add(UInt64(fields.count))
            for field in fields {
                writer.add(field.name)
                writer.add(field.value)
            }
        case .variants(let sets):
            writer.add(UInt8(2))
            writer.add(sets.generation)
            writer.add(UInt64(sets.sets.count))
            for set in sets.sets {
                writer.add(UInt64(set.count))
                for name in set { writer.add(name) }
            }
        case .value(let start, let end):
            writer.add(UInt8(3))
            writer.add(start.timeIntervalSince1970.bitPattern)
            writer.add(end.timeIntervalSince1970.bitPattern)
        }
        return writer.data
    }

    /// Creates a head from the bytes of `encoded`; `nil` for any other bytes.
    public init?(encoded: Data) {
        var reader = CacheByteReader(encoded)
        guard reader.readByte() == Self.version, let kind = reader.readByte() else { return nil }
        let content: Content? =
            switch kind {
            case 1: Self.response(&reader).map(Content.response)
            case 2: Self.variants(&reader).map(Content.variants)
            case 3: Self.value(&reader)
            default: nil
            }
        guard let content, reader.isAtEnd else { return nil }
        self.init(content)
    }

    private static func response(_ reader: inout CacheByteReader) -> StoredResponse? {
        guard let code = reader.readWord(), let sent = reader.readDate(), let received = reader.readDate(),
            let age = reader.readWord(), let ttl = reader.readWord(), let mayGuess = reader.readByte(),
            let bodyID = reader.readWord(), let count = reader.readCount()
        else { return nil }
        var fields: [HTTPHeaders.Field] = []
        for _ in 0..<count {
            guard let name = reader.readText(), let value = reader.readText() else { return nil }
            fields.append(HTTPHeaders.Field(name, value))
        }
        let life = Double(bitPattern: ttl)
        return StoredResponse(
            status: HTTPStatus(Int(truncatingIfNeeded: code)),
            headers: HTTPHeaders(fields),
            requestDate: sent,
            responseDate: received,
            receivedAge: Int64(bitPattern: age),
            ttl: life.isNaN ? nil : life,
            mayGuess: mayGuess == 1,
            bodyID: bodyID
        )
    }

    private static func variants(_ reader: inout CacheByteReader) -> VariantSets? {
        guard let generation = reader.readWord(), let count = reader.readCount() else { return nil }
        var sets: [[String]] = []
        for _ in 0..<count {
            guard let size = reader.readCount() else { return nil }
            var set: [String] = []
            for _ in 0..<size {
                guard let name = reader.readText() else { return nil }
                set.append(name)
            }
            sets.append(set)
        }
        return VariantSets(generation: generation, sets: sets)
    }

    private static func value(_ reader: inout CacheByteReader) -> Content? {
        guard let date = reader.readDate() else { return nil }
        // Earlier versions of the library wrote only the end.
        guard !reader.isAtEnd else { return .value(from: .distantPast, until: date) }
        return reader.readDate().map { .value(from: date, until: $0) }
    }
}
