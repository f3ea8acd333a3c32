#if os(Linux)
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests that `CurlTransport` keeps every promise, in this process and without an exception.
    @Suite(.needsTheMachine)
    struct CurlConformanceTests {
        private static let conformance = TransportConformance { _ in try CurlTransport() }

        @Test(arguments: TransportConformance.cases)
        func keepsItsPromise(_ conformanceCase: ConformanceCase) async {
            let result = await Self.conformance.run(conformanceCase)
            #expect(result.isExpected, "\(result)")
        }
    }
#endif
