import Foundation
import Testing

@testable import NetKit

struct QueryEncodingTests {
    private struct Filter: Encodable {
        enum Kind: String, Encodable { case big }

        struct Range: Encodable {
            var from: Int?
            var to: Double
        }

        var name: String
        var tags: [String]
        var since: Date
        var kind: Kind
        var range: Range
        var missing: String?
        var isOn: Bool
        var id: UUID?
    }

    private struct Wrapper<Value: Encodable>: Encodable { var list: Value }

    private struct Names: Encodable, QueryConvertible {
        var names: [String]

        var queryValue: QueryValue { .list(names.map { .text($0) }) }
    }

    /// Written by the compiler with a nested container for each case.
    private enum Condition: Encodable {
        case price(from: Int)
        case tags([String])
    }

    private class Base: Encodable { var first = 1 }

    private final class Derived: Base {
        var second = 2

        private enum Key: String, CodingKey { case second }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(second, forKey: .second)
        }
    }

    private let filter = Filter(
        name: "a b",
        tags: ["x", "y,z"],
        since: Date(timeIntervalSince1970: 0),
        kind: .big,
        range: Filter.Range(from: nil, to: 1.5),
        missing: nil,
        isOn: true,
        id: nil
    )

    private func plain(_ query: QueryBuilder) -> String {
        query.items.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
    }

    @Test func membersKeepTheirOrder() {
        #expect(
            plain(QueryBuilder(encoding: filter))
                == "name=a b&tags=x&tags=y,z&since=1970-01-01T00:00:00Z&kind=big&range[to]=1.5&isOn=true"
        )
    }

    @Test func theFormatIsTheBuilders() {
        let format = QueryFormat(lists: .brackets, dates: .secondsSince1970, nesting: .dots)
        #expect(
            plain(QueryBuilder(encoding: filter, format: format))
                == "name=a b&tags[]=x&tags[]=y,z&since=0&kind=big&range.to=1.5&isOn=true"
        )
        #expect(plain(QueryBuilder(encoding: ["a": [1, 2]], format: .init(lists: .comma))) == "a=1,2")
    }

    @Test func classesAndDictionariesWork() {
        #expect(plain(QueryBuilder(encoding: Derived())) == "first=1&second=2")
        #expect(plain(QueryBuilder(encoding: ["only": ["inner": "x"]])) == "only[inner]=x")
        #expect(plain(QueryBuilder(encoding: Wrapper(list: [Filter.Kind.big]))) == "list=big")
        #expect(plain(QueryBuilder(encoding: Wrapper(list: [Int?.none, 2]))) == "list=2")
    }

    @Test func aListIsWrittenAsItIsAdded() {
        let comma = QueryFormat(lists: .comma)
        let names = Names(names: ["x", "y"])
        #expect(plain(QueryBuilder(encoding: Wrapper(list: names))) == "list=x&list=y")
        #expect(plain(QueryBuilder(encoding: Wrapper(list: names), format: comma)) == "list=x,y")
        #expect(plain(QueryBuilder(encoding: Wrapper(list: [names, names]))) == "list=x&list=y&list=x&list=y")
        #expect(plain(QueryBuilder(encoding: Wrapper(list: Names(names: [])))).isEmpty)
        #expect(plain(QueryBuilder(encoding: names)) == "names=x&names=y")
        let nested = [[1], [2, 3]]
        #expect(plain(QueryBuilder(encoding: Wrapper(list: nested))) == plain(QueryBuilder().adding("list", nested)))
    }

    @Test func aValueWithoutNamesIsAProblem() {
        #expect(QueryBuilder(encoding: 5).problem != nil)
        #expect(QueryBuilder(encoding: [1, 2]).problem != nil)
        let listed = QueryBuilder(encoding: Wrapper(list: [["a": 1]])).problem ?? ""
        #expect(listed.contains("list of values with members"))
        let bare = QueryBuilder(encoding: "text").problem ?? ""
        #expect(bare.contains("A query has names"))
    }

    @Test func aListOfCasesWithValuesIsAProblem() {
        let lists: [[Condition]] = [[.price(from: 1)], [.tags(["x"])]]
        for list in lists {
            for query in [QueryBuilder(encoding: Wrapper(list: list)), QueryBuilder(encoding: Wrapper(list: [list]))] {
                #expect(query.problem?.contains("list of values with members") == true)
                #expect(query.isEmpty)
            }
        }
        #expect(plain(QueryBuilder(encoding: Wrapper(list: Condition.price(from: 1)))) == "list[price][from]=1")
        let members = QueryBuilder(encoding: Wrapper(list: [[["a": 1]]]))
        #expect(members.problem?.contains("list of values with members") == true)
        #expect(plain(QueryBuilder(encoding: Wrapper(list: [[Filter.Kind.big]]))) == "list=big")
    }

    @Test func endlessNestingIsAProblem() {
        final class Loop: Encodable {
            private enum Key: String, CodingKey { case next }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(self, forKey: .next)
            }
        }
        let problem = QueryBuilder(encoding: Loop()).problem ?? ""
        #expect(problem.contains("nested too deeply"))
    }

    @Test func aLongListTakesLinearTime() {
        let isLinear = ParserFuzz.isLinear(["x"]) { text in
            let query = QueryBuilder(encoding: Wrapper(list: Array(text.utf8)))
            #expect(query.items.count == text.utf8.count)
        }
        #expect(isLinear)
    }
}
