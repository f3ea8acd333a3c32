import NetKit
import Testing

struct InterceptorListTests {
    private static func named(_ summary: String) -> StagedInterceptor {
        StagedInterceptor(summary: summary) { try await $2($0, $1) }
    }

    @Test func keepsTheOrderOfALiteral() {
        let list: InterceptorList = [Self.named("a"), Self.named("b"), Self.named("c")]
        #expect(list.interceptors.map(\.summary) == ["a", "b", "c"])
    }

    @Test func plusAppends() {
        let list: InterceptorList = [Self.named("a")] + [Self.named("b"), Self.named("c")]
        #expect(list.interceptors.map(\.summary) == ["a", "b", "c"])
        #expect((list + []).interceptors.count == 3)
    }

    @Test func theStandardListCanBeExtended() {
        let extended = .standard + [Self.named("mine")]
        #expect(extended.interceptors.count == InterceptorList.standard.interceptors.count + 1)
        #expect(extended.interceptors.last?.summary == "mine")
    }

    @Test func canBeMadeFromAnArray() {
        #expect(InterceptorList([Self.named("a")]).interceptors.map(\.summary) == ["a"])
        #expect(InterceptorList([]).interceptors.isEmpty)
    }
}
