import NetKit
import Testing

/// Tests of both edges of every reserved range, and the addresses beside them (IANA special-purpose registries).
struct IPAddressPublicTests {
    @Test(
        arguments: [
            ("0.0.0.0", "0.255.255.255", nil, "1.0.0.0"), ("10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
            ("100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
            ("127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"),
            ("169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
            ("172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
            ("192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"),
            ("192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"),
            ("192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"),
            ("192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
            ("198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
            ("198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"),
            ("203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"),
            ("224.0.0.0", "255.255.255.255", "223.255.255.255", nil),
        ] as [(String, String, String?, String?)]
    )
    func knowsTheReservedRangesOfIPv4(_ first: String, _ last: String, _ before: String?, _ after: String?) throws {
        for text in [first, last] { #expect(try !#require(IPAddress(text)).isPublic) }
        for text in [before, after].compactMap({ $0 }) { #expect(try #require(IPAddress(text)).isPublic) }
    }

    @Test(
        arguments: [
            ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "2000::"),
            ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::", nil),
            (
                "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "2001:200::"
            ),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::", "2001:db9::"),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff::", "3fff:1000::"),
        ] as [(String, String, String?, String?)]
    )
    func knowsTheReservedRangesOfIPv6(_ first: String, _ last: String, _ before: String?, _ after: String?) throws {
        for text in [first, last] { #expect(try !#require(IPAddress(text)).isPublic) }
        for text in [before, after].compactMap({ $0 }) { #expect(try #require(IPAddress(text)).isPublic) }
    }

    @Test(arguments: [
        "::1", "::", "100::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "5f00::1",
        "64:ff9b:1::8.8.8.8",
        "::ffff:0:8.8.8.8", "2001:0:1234::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "fe80::1%eth0",
        "169.254.169.254", "100.100.100.200", "127.1", "2130706433", "0x7f.1", "0177.1", "192.168.1.1", "0",
    ])
    func takesSpecialAddressesForPrivate(_ text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888",
    ])
    func knowsPublicAddresses(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    /// Mapped, compatible, NAT64 and 6to4.
    @Test(arguments: ["::ffff:", "::", "64:ff9b::"])
    func judgesAnEmbeddedIPv4AddressAsWhatItIs(_ prefix: String) throws {
        for text in ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.0.1", "255.255.255.255"] {
            #expect(try !#require(IPAddress(prefix + text)).isPublic)
        }
        #expect(try #require(IPAddress(prefix + "8.8.8.8")).isPublic)
    }

    @Test(arguments: [
        ("2002:0a00:0001::", false), ("2002:7f00:1::1", false), ("2002:a9fe:a9fe::", false), ("2002:c0a8:1::", false),
        ("2002:808:808::1", true),
    ])
    func judgesTheIPv4AddressBehindSixToFour(_ text: String, _ isPublic: Bool) throws {
        #expect(try #require(IPAddress(text)).isPublic == isPublic)
    }
}
