import Testing

@testable import NetKit

struct SetCookieValueTests {
    @Test(arguments: [
        ("a=1", ["a=1"]),
        ("a=1, b=2", ["a=1", "b=2"]),
        ("a=1,b=2", ["a=1", "b=2"]),
        (
            "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, b=2; Expires=Thu, 22-Oct-26 07:28:00 GMT",
            ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2; Expires=Thu, 22-Oct-26 07:28:00 GMT"]
        ),
        ("a=x, y; Path=/", ["a=x, y; Path=/"]),
        ("a=\"x, y\"", ["a=\"x, y\""]),
        ("a=, b=", ["a=", "b="]),
        ("", [""]),
        (",", [","]),
        ("a=1, ", ["a=1,"]),
        ("__Host-s=1; Secure, __Secure-t=2", ["__Host-s=1; Secure", "__Secure-t=2"]),
    ])
    func joinedFieldsComeApart(_ joined: String, _ expected: [String]) {
        #expect(SetCookieValue.split(joined) == expected)
    }

    /// The blanks at the end would be passed once for each comma.
    @Test func takesLinearTime() {
        let value = String(repeating: ",", count: 20_000) + String(repeating: " ", count: 20_000)
        let time = threadTime { #expect(SetCookieValue.split(value).count == 1) }
        #expect(time < .milliseconds(300))
    }
}
