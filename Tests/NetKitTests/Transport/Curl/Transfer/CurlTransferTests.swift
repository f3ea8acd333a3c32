#if os(Linux)
    import Foundation
    import NetKitTesting
    import Testing

    @testable import NetKit

    struct CurlTransferTests {
        @Test func anAlarmReplacesTheOneBefore() async throws {
            let time = TestClock()
            let transport = try CurlTransport()
            let url = try #require(URL(string: "http://127.0.0.1/"))
            let transfer = CurlTransfer(
                HTTPRequest(.get, url),
                to: CurlAddress(url),
                upload: .none,
                context: .test(clock: time.clock),
                loop: transport.loops[0],
                start: time.now
            )
            for seconds in 1...3 {
                transfer.setAlarm(at: time.now.advanced(by: .seconds(seconds)))
                #expect(time.alarmCount == 1)
            }
            transfer.dropAlarm()
            #expect(time.alarmCount == 0)
            await transport.shutdown()
        }
    }
#endif
