import Foundation
import Testing

@testable import NetKit

struct WebLinkTests {
    private static let vectors = ((try? VectorFile("link"))?.cases ?? []).filter { $0["headers"] != nil }

    private func headers(_ vector: JSONValue) -> HTTPHeaders {
        HTTPHeaders((vector["headers"]?.array ?? []).map { HTTPHeaders.Field("Link", $0.string ?? "") })
    }

    /// The links as in that suite: one for each relation, parameters by name, the first `rel`, `title`, `type` and
    /// `media`.
    private func listed(_ links: [WebLink]) -> [JSONValue] {
        links.flatMap { link -> [JSONValue] in
            var parameters: [WebLink.Parameter] = []
            for parameter in link.parameters {
                let isSingle = ["rel", "title", "type", "media"].contains(parameter.name)
                if isSingle, parameters.contains(where: { $0.name == parameter.name }) { continue }
                parameters.append(parameter)
            }
            let relations = parameters.first { $0.name == "rel" }?.value.split(separator: " ").map(String.init) ?? []
            guard !relations.isEmpty else { return [value(link.target, parameters)] }
            return relations.map { relation in
                value(link.target, parameters.map { $0.name == "rel" ? .init(name: "rel", value: relation) : $0 })
            }
        }
    }

    private func value(_ target: String, _ parameters: [WebLink.Parameter]) -> JSONValue {
        let pairs = parameters.map { "\($0.name)=\($0.value)" }.sorted()
        return ["uri": .string(target), "params": .array(pairs.map { .string($0) })]
    }

    private func value(_ expected: JSONValue) -> JSONValue {
        let pairs = (expected["params"]?.array ?? []).map { parameter in
            "\(parameter["name"]?.string ?? "")=\(parameter["value"]?.string ?? "")"
        }
        return ["uri": expected["uri"] ?? .null, "params": .array(pairs.sorted().map { .string($0) })]
    }

    @Test func thereAreVectors() {
        #expect(Self.vectors.count >= 40)
    }

    /// The public cases that parse; a value in a character set other than UTF-8 and ISO 8859-1 is left out.
    @Test(arguments: vectors)
    func readsThePublicCases(_ vector: JSONValue) throws {
        let links = WebLink.links(in: headers(vector))
        let isEncoded = vector["test"]?.string?.contains("GB2312") == true
        switch vector["check"]?.string {
        case "links":
            let expected = (vector["expected"]?.array ?? []).map { value($0) }
            if isEncoded {
                #expect(links.first?.parameters == [WebLink.Parameter(name: "rel", value: "start")])
            } else {
                #expect(listed(links) == expected)
            }
        case "same_as_headers":
            let fields = (vector["expected"]?.array ?? []).map { HTTPHeaders.Field("Link", $0.string ?? "") }
            #expect(links == WebLink.links(in: HTTPHeaders(fields)))
        case "count": #expect(listed(links).count == vector["expected"]?.int)
        case "has", "lookup", "lookup_count":
            let name = vector["param"]?.string ?? ""
            let wanted = vector["value"]?.string ?? ""
            let found = links.filter { link in
                if name == "rel" {
                    return wanted.isEmpty ? link["rel"] == "" : link.relations.contains(wanted.lowercased())
                }
                return link.parameters.contains { $0.name == name && $0.value == wanted }
            }
            if vector["check"]?.string == "has" { #expect(!found.isEmpty == (vector["expected"]?.bool ?? true)) }
            if vector["check"]?.string == "lookup_count" { #expect(found.count == vector["expected"]?.int) }
            if vector["check"]?.string == "lookup", let expected = vector["expected"], expected.object != nil {
                let index = vector["index"]?.int ?? 0
                #expect(found.indices.contains(index) && found[index].target == expected["uri"]?.string)
            }
        default: break
        }
    }

    @Test(arguments: ["GB2312'cn'%C6%F3", "UTF-8''%FF", "UTF-8''%ZZ", "plain"])
    func aPlainValueStandsInForOneThatCannotBeDecoded(_ value: String) {
        let links = WebLink.links(in: "<x>; title*=\(value); title=\"Chapter\"; rel=next")
        #expect(links.first?["title"] == "Chapter")
        #expect(links.first?.relations == ["next"])
    }

    /// Each public header, cut at every byte: nothing traps, and no link appears that the whole header does not have
    /// first.
    @Test(arguments: vectors)
    func survivesEveryCut(_ vector: JSONValue) {
        for field in headers(vector).values(of: "Link") {
            let bytes = Array(field.utf8)
            let whole = WebLink.links(in: field)
            for cut in 0...bytes.count {
                let links = WebLink.links(in: String(decoding: bytes[..<cut], as: UTF8.self))
                #expect(links.count <= whole.count)
            }
        }
    }

    @Test func noInputCrashes() {
        let pieces = [
            "<", ">", "https://a.example/x", ";", ",", "rel", "=", "\"", "next", "title*", "UTF-8''%C3%A9", "\\", " ",
            "\r\n ",
        ]
        ParserFuzz.texts(pieces) { _ = WebLink.links(in: $0) }
        #expect(
            ParserFuzz.isLinear(["<", ">", "<a>,", ";", "\"", ";a=b", " ", ",", "\r\n "], prefix: "<x>") {
                _ = WebLink.links(in: $0)
            }
        )
    }
}
