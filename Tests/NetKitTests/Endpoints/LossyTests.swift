import Foundation
import NetKit
import Testing

struct LossyTests {
    private struct Item: Codable, Equatable, Sendable {
        var id: Int
        var at: Date?
    }

    private struct Page: Codable, Equatable {
        @LossyArray var items: [Item]
        var next: String?
    }

    private enum Medium: DefaultValue { static let defaultValue = "medium" }
    private enum Epoch: DefaultValue { static let defaultValue = Date(timeIntervalSince1970: 0) }

    private struct Options: Codable, Equatable {
        @Defaulted<Medium> var size: String
        @Defaulted<DefaultFalse> var isNew: Bool
        @Defaulted<DefaultTrue> var isOn: Bool
        @Defaulted<DefaultZero> var count: Int
        @Defaulted<DefaultEmptyString> var note: String
        @Defaulted<Epoch> var at: Date
    }

    private func page(_ text: String) throws -> Page {
        try JSONCoder.standard.decoder.decode(Page.self, from: Data(text.utf8))
    }

    private func options(_ text: String) throws -> Options {
        try JSONCoder.standard.decoder.decode(Options.self, from: Data(text.utf8))
    }

    @Test func oneBadElementDoesNotLoseAPage() throws {
        let page = try page(
            #"{"items":[{"id":1},{"id":"secret"},null,{},7,[[1],{"x":2}],{"id":2,"at":"2023-11-14T22:13:20Z"}],"next":"n"}"#
        )
        #expect(page.items == [Item(id: 1), Item(id: 2, at: Date(timeIntervalSince1970: 1_700_000_000))])
        #expect(page.next == "n")
        #expect(page.$items.failures.map(\.index) == [1, 2, 3, 4, 5])
        #expect(page.$items.failures.first?.reason == "id: expected Int, found another type")
        #expect(page.$items.failures[2].reason == "id: the key is missing")
        #expect(!page.$items.failures.contains { $0.reason.contains("secret") })
    }

    @Test(arguments: [#"{}"#, #"{"items":null}"#, #"{"items":{}}"#, #"{"items":"x"}"#, #"{"items":[]}"#])
    func aValueThatIsNotAListIsAnEmptyList(_ text: String) throws {
        #expect(try page(text).items.isEmpty)
    }

    @Test func elementsThatAreNilAreKept() throws {
        struct Sparse: Codable { @LossyArray var items: [Int?] }
        let sparse = try JSONDecoder().decode(Sparse.self, from: Data(#"{"items":[1,null,"x",2]}"#.utf8))
        #expect(sparse.items == [1, nil, 2])
    }

    @Test func aListIsWrittenAsAList() throws {
        let data = try JSONEncoder().encode(Page(items: [Item(id: 1)]))
        #expect(String(decoding: data, as: UTF8.self) == #"{"items":[{"id":1}]}"#)
    }

    @Test func aMissingValueHasItsDefault() throws {
        for text in ["{}", #"{"size":null,"isNew":7,"isOn":"yes","count":"1","note":[],"at":"yesterday"}"#] {
            let options = try options(text)
            #expect(
                options.size == "medium" && !options.isNew && options.isOn && options.count == 0 && options.note.isEmpty
            )
            #expect(options.at == Date(timeIntervalSince1970: 0))
        }
    }

    @Test func existingValuesAreRead() throws {
        let text = #"{"at":"2023-11-14T22:13:20Z","count":3,"isNew":true,"isOn":false,"note":"n","size":"big"}"#
        let options = try options(text)
        #expect(options.size == "big" && options.isNew && !options.isOn && options.count == 3 && options.note == "n")
        #expect(options.at == Date(timeIntervalSince1970: 1_700_000_000))
        let encoder = JSONCoder.standard.encoder
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(options), as: UTF8.self) == text)
    }

    @Test func everyBadElementOfALongListIsReported() throws {
        let text = #"{"items":["# + Array(repeating: #"{"id":"x"}"#, count: 5000).joined(separator: ",") + "]}"
        let page = try page(text)
        #expect(page.items.isEmpty)
        #expect(page.$items.failures.count == 5000)
    }
}
