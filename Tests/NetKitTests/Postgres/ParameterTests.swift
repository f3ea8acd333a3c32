import Testing

@testable import NetKitPostgres

struct ParameterTests {
    /// PostgreSQL refuses the character 0. With another one in its place, it would find the entries of another tenant.
    @Test func aTextKeepsAllOfItsBytes() {
        #expect(Parameter.text("a\0b").bytes == Array("a\0b".utf8))
        #expect(Parameter.texts(["a\0b"]).bytes != Parameter.texts(["a b"]).bytes)
    }
}
