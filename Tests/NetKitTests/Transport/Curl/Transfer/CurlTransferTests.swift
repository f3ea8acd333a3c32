#if os(Linux)
    import Foundation
    import NetKitTesting
    import Testing

    @testable import NetKit

    struct CurlTransferTests {
        private let time = TestClock()

        private func transfer(over transport: CurlTransport) throws -> CurlTransfer {
            let url = try #require(URL(string: "http://127.0.0.1/"))
            return CurlTransfer(
                HTTPRequest(.get, url),
                to: CurlAddress(url),
                upload: .none,
                context: .test(clock: time.clock),
                loop: transport.loops[0],
                start: time.now
            )
        }

        @Test func anAlarmReplacesTheOneBefore() async throws {
            let transport = try CurlTransport()
            let transfer = try transfer(over: transport)
            for seconds in 1...3 {
                transfer.setAlarm(at: time.now.advanced(by: .seconds(seconds)))
                #expect(time.alarmCount == 1)
            }
            transfer.dropAlarm()
            #expect(time.alarmCount == 0)
            await transport.shutdown()
        }

        /// The server has nothing to do with it.
        @Test(
            arguments: [
                (EMFILE, "the process has too many open files"), (ENFILE, "the machine has too many open files"),
                (ENOMEM, "no memory left"), (ENOBUFS, "no memory left"), (EACCES, nil), (0, nil),
            ] as [(Int32, String?)]
        )
        func aMissingSocketSaysWhatTheMachineLacks(systemError: Int32, shortage: String?) async throws {
            let transport = try CurlTransport()
            let transfer = try transfer(over: transport)
            transfer.socketError = systemError
            // libcurl's number for a connection that could not be made.
            let error = transfer.failure(7)
            #expect(error.code == .connect)
            #expect(error.outcome == .notSent)
            #expect(error.message.contains(shortage ?? "Check that the server runs"), "\(error.message)")
            #expect(error.isLocalShortage == (shortage != nil))
            await transport.shutdown()
        }

        /// libcurl runs out of its memory for the line, or, from 8.6 on, says that the line is too large.
        @Test(arguments: [27, 100] as [Int32])
        func aTrailerThatIsTooLongIsNoLostConnection(code: Int32) async throws {
            let transport = try CurlTransport()
            let transfer = try transfer(over: transport)
            transfer.watch = IdleTimeout(timeouts: .none, hasBody: false, start: time.now)
            transfer.isHeadComplete = true
            #expect(transfer.failure(code).code == .invalidResponse)
            await transport.shutdown()
        }

        /// libcurl sends a request again if its connection was closed, and the new connection may be refused.
        @Test func aRefusalOfTheClientSaysNothingAboutAnEarlierConnection() async throws {
            let transport = try CurlTransport()
            let transfer = try transfer(over: transport)
            func outcome() -> NetKitError.Outcome {
                let error = CurlFailure.error(
                    35,
                    text: "TLS alert 116: certificate required",
                    hasConnected: true,
                    wasSentBefore: transfer.wasSentBefore,
                    limit: nil,
                    attempt: transfer.attempt
                )
                return error.outcome
            }
            transfer.noteSendingBegan()
            #expect(outcome() == .notSent)
            close(transfer.createSocket(AF_INET, 1, 0))
            #expect(outcome() == .unknown)
            await transport.shutdown()
        }

        /// With a count that is always 0, a request that the server has read would count as not sent.
        @Test(arguments: [(0x08_06_00, true), (0x08_07_01, false), (0x08_08_00, true)] as [(UInt32, Bool)])
        func theCountOfAVersionThatCountsNothingIsNotUsed(version: UInt32, isUsed: Bool) {
            #expect(CurlLibrary.countsRequests(version) == isUsed)
        }

        /// libcurl may send the request again on another kept connection, for which it opens no socket.
        @Test func aSecondKeptConnectionIsKnownAsSuch() async throws {
            let transport = try CurlTransport()
            let transfer = try transfer(over: transport)
            for wasSentBefore in [false, true] {
                #expect(transfer.beginRequest(nil, localPort: 0) == 0)
                #expect(transfer.wasSentBefore == wasSentBefore)
            }
            await transport.shutdown()
        }

        @Test(arguments: [(false, NetKitError.Outcome.notSent), (true, .unknown)])
        func aRefusedAddressSaysNothingAboutAnEarlierConnection(
            wasSent: Bool,
            outcome: NetKitError.Outcome
        ) async throws {
            let transport = try CurlTransport()
            let transfer = try transfer(over: transport)
            if wasSent { transfer.noteSendingBegan() }
            #expect(!transfer.isAllowed("127.0.0.1", by: AddressGuard()))
            let error = try #require(transfer.stopReason as? NetKitError)
            #expect(error.code == .addressRefused)
            #expect(error.outcome == outcome)
            await transport.shutdown()
        }

        @Test func theSystemsErrorForTheLastSocketIsKept() async throws {
            let transport = try CurlTransport()
            let transfer = try transfer(over: transport)
            #expect(transfer.createSocket(-1, 1, 0) == -1)
            #expect(transfer.socketError == EAFNOSUPPORT)
            let socket = transfer.createSocket(AF_INET, 1, 0)
            #expect(socket >= 0)
            #expect(transfer.socketError == 0)
            close(socket)
            await transport.shutdown()
        }

        @Test(arguments: [(EMFILE, true), (EIO, false)])
        func aLookupWithoutDescriptorsSaysNothingAboutTheNetwork(systemError: Int32, isShortage: Bool) async throws {
            let transport = try CurlTransport()
            let reason = SystemLookup.error(of: "a.test", EAI_SYSTEM, systemError)
            let error = try transfer(over: transport).unresolved("a.test", reason)
            #expect(error.code == .dns)
            #expect(error.isLocalShortage == isShortage)
            #expect(NetworkEvidenceInterceptor.evidence(of: error) == (isShortage ? nil : .failed))
            await transport.shutdown()
        }
    }
#endif
