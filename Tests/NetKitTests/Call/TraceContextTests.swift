import Foundation
import NetKit
import NetKitTesting
import Testing

/// The public test cases of W3C Trace Context: the incoming context and the outgoing one.
struct TraceContextTests {
    private struct Dropping: SpanExporter {
        func export(_ span: Span) {}
    }

    private static func cases(_ kind: String) throws -> [JSONValue] {
        let cases = try VectorFile("traceparent").cases.filter { $0["kind"]?.string == kind }
        try #require(!cases.isEmpty)
        return cases
    }

    private static func headers(_ value: JSONValue?) -> HTTPHeaders {
        HTTPHeaders(
            (value?.array ?? []).map { .init($0.array?.first?.string ?? "", $0.array?.last?.string ?? "") }
        )
    }

    @Test func theIncomingContextDecidesTheOutgoingOne() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [TracingInterceptor(Dropping())]
        )
        for (number, one) in try Self.cases("propagate").enumerated() {
            let name = "\(number) \(one["test"]?.string ?? "")"
            let parent = TraceContext(Self.headers(one["headers"]))
            transport.removeAllRequests()
            let count = one["outgoing_requests"]?.int ?? 1
            try await TraceContext.$current.withValue(parent) {
                for _ in 0..<count { _ = try await client.send(HTTPRequest(.get, "/x")) }
            }
            let sent = transport.requests.map(\.headers)
            let contexts = sent.compactMap { TraceContext($0) }
            try #require(contexts.count == count, "\(name)")
            let expected = try #require(one["expected"])
            judge(contexts, expected, name)
            for headers in sent { judge(headers.values(of: "tracestate"), expected["tracestate"], name) }
        }
    }

    private func judge(_ contexts: [TraceContext], _ expected: JSONValue, _ name: String) {
        if let trace = expected["trace_id_value"]?.string {
            #expect(contexts.allSatisfy { $0.traceID == trace }, "\(name)")
        }
        for forbidden in expected["trace_id_must_not_be"]?.array ?? [] {
            #expect(contexts.allSatisfy { $0.traceID != forbidden.string }, "\(name)")
        }
        for forbidden in expected["parent_id_must_not_be"]?.array ?? [] {
            #expect(contexts.allSatisfy { $0.spanID != forbidden.string }, "\(name)")
        }
        if let count = expected["distinct_trace_ids"]?.int {
            #expect(Set(contexts.map(\.traceID)).count == count, "\(name)")
        }
        if let count = expected["distinct_parent_ids"]?.int {
            #expect(Set(contexts.map(\.spanID)).count == count, "\(name)")
        }
        for bits in expected["flag_bits_set"]?.array ?? [] {
            let flags = contexts.compactMap { UInt8($0.traceparent.suffix(2), radix: 16) }
            #expect(flags.allSatisfy { Int($0) & (bits.int ?? 0) == bits.int }, "\(name)")
        }
    }

    private func judge(_ fields: [String], _ expected: JSONValue?, _ name: String) {
        guard let expected else { return }
        let state = fields.first.flatMap { TraceState($0) }
        if expected["result"]?.string == "dropped" {
            #expect(fields.isEmpty, "\(name)")
            return
        }
        #expect(fields.count == 1, "\(name)")
        for (key, value) in expected["members"]?.object ?? [:] {
            #expect(state?[key] == value.string, "\(name) \(key)")
        }
        for (key, values) in expected["one_of"]?.object ?? [:] {
            #expect(values.array?.contains { $0.string == state?[key] } == true, "\(name) \(key)")
        }
        if let count = expected["member_count"]?.int { #expect(state?.keys.count == count, "\(name)") }
        if let order = expected["order"]?.array { #expect(state?.keys == order.map { $0.string ?? "" }, "\(name)") }
    }

    @Test func aValueIsReadAsItsVersionAllows() throws {
        for one in try Self.cases("parse-traceparent") {
            let text = try #require(one["value"]?.string)
            let isZero = text.contains("-\(String(repeating: "0", count: 32))-") || text.contains("-0000000000000000-")
            let isRead = one["syntax_ok_any_version"]?.bool == true && !isZero
            #expect((TraceContext(traceparent: text) != nil) == isRead, "\(text)")
            if one["valid_version_00"]?.bool == true {
                let read = try #require(TraceContext(traceparent: text))
                #expect(read.traceparent.prefix(53) == text.prefix(53), "\(text)")
                #expect(read.isSampled == ["1", "3", "f"].contains(text.suffix(1)), "\(text)")
            }
        }
    }

    @Test func aListOfVendorsIsReadAsAWhole() throws {
        for one in try Self.cases("parse-tracestate") {
            let text = try #require(one["value"]?.string)
            let keys = one["keys_in_order"]?.array?.compactMap(\.string)
            #expect(TraceState(text)?.keys == keys, "\(text)")
        }
        for one in try Self.cases("tracestate-member") {
            let (key, value) = (one["key"]?.string ?? "", one["value"]?.string ?? "")
            let isValid = one["valid"]?.bool == true
            #expect((TraceState("\(key)=\(value)") != nil) == isValid, "\(key)=\(value)")
            var state = TraceState()
            state[key] = value
            #expect(state.isEmpty != isValid, "\(key)=\(value)")
        }
    }

    @Test func aChangedMemberMovesToTheFront() throws {
        for one in try Self.cases("tracestate-update") {
            var state = try #require(TraceState(one["start"]?.string ?? ""))
            for pair in one["set"]?.array ?? [] { state[pair.array?.first?.string ?? ""] = pair.array?.last?.string }
            #expect(state.description == one["expected"]?.string)
        }
        var full = TraceState()
        for number in 0..<40 { full["k\(number)"] = "v" }
        #expect(full.keys.count == 32)
        #expect(full.keys.first == "k39")
        full["k39"] = nil
        #expect(full["k39"] == nil)
    }

    @Test func aNewTraceHasRandomIdentifiers() {
        let first = TraceContext(random: RandomSource { 7 })
        #expect(first.traceparent == "00-00000000000000070000000000000007-0000000000000007-01")
        #expect(TraceContext(isSampled: false, random: RandomSource { 0 }).traceparent.hasSuffix("0001-00"))
        #expect(TraceContext(traceparent: TraceContext().traceparent) != nil)
        let child = first.child(random: RandomSource { 9 })
        #expect(child.traceID == first.traceID)
        #expect(child.spanID == "0000000000000009")
    }
}
