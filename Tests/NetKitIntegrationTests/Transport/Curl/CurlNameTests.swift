#if os(Linux)
    import Foundation
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of calls by name with a name server that is silent or slow, each in a network and a file system of its
    /// own.
    @Suite(.needsTheMachine, .needsNamespaces, .needs(.python3), .needsNameProbe)
    struct CurlNameTests {
        /// Answers names that begin with `slow` after 300 ms, those that begin with `silent` never, and all others at
        /// once.
        ///
        /// On port 1080, there is a SOCKS5 proxy that takes only IPv4 addresses.
        private static let nameServer = """
            import socket, struct, threading, time
            server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            server.bind(("127.0.0.1", 53))
            proxy = socket.create_server(("127.0.0.1", 1080))
            def read(peer, count):
                return peer.recv(count, socket.MSG_WAITALL)
            def copy(source, target):
                while data := source.recv(65536):
                    target.sendall(data)
                target.shutdown(socket.SHUT_WR)
            def relay(peer):
                read(peer, read(peer, 2)[1])
                peer.sendall(bytes([5, 0]))
                if read(peer, 4)[3] != 1:
                    return peer.close()
                host = socket.inet_ntoa(read(peer, 4))
                target = socket.create_connection((host, struct.unpack("!H", read(peer, 2))[0]))
                peer.sendall(bytes([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
                threading.Thread(target=copy, args=(target, peer), daemon=True).start()
                copy(peer, target)
            def accept():
                while True:
                    threading.Thread(target=relay, args=(proxy.accept()[0],), daemon=True).start()
            threading.Thread(target=accept, daemon=True).start()
            print("ready", flush=True)
            def answer(query, peer):
                length = query[12]
                name = query[13:13 + length].decode()
                end = query.index(0, 12) + 5
                kind = struct.unpack("!H", query[end - 4:end - 2])[0]
                if name.startswith("silent"):
                    return
                if name.startswith("slow"):
                    time.sleep(0.3)
                question = query[12:end]
                record = struct.pack("!HHHIH4B", 0xC00C, 1, 1, 60, 4, 127, 0, 0, 1) if kind == 1 else b""
                head = query[:2] + struct.pack("!HHHHH", 0x8180, 1, 1 if record else 0, 0, 0)
                server.sendto(head + question + record, peer)
            while True:
                query, peer = server.recvfrom(4096)
                threading.Thread(target=answer, args=(query, peer), daemon=True).start()
            """

        private struct Line {
            let milliseconds: Int
            let end: String
        }

        /// Runs the program with a name server of its own, and returns its lines by their first words.
        private func probe(_ scenario: String) async throws -> [String: [Line]] {
            let folder = try TemporaryFolder()
            let server = try folder.write(Data(Self.nameServer.utf8), to: "server.py")
            let resolver = try folder.write(Data("nameserver 127.0.0.1\n".utf8), to: "resolv.conf")
            let order = try folder.write(Data("hosts: files dns\n".utf8), to: "nsswitch.conf")
            let python = try Peer.python3.required()
            let ip = try #require(SystemTool.find("ip"), "install Debian's iproute2")
            let script = """
                "$1" link set lo up
                mount --bind "$2" /etc/resolv.conf
                mount --bind "$3" /etc/nsswitch.conf
                "$4" "$5" >"$6" &
                server=$!
                trap 'kill $server' EXIT
                until [ -s "$6" ]; do sleep 0.02; done
                "$7" "$8"
                """
            let program = try #require(BuiltCommand.nameProbe)
            let arguments = [
                ip.path, resolver.path(), order.path(), python.path, server.path(),
                folder.file("ready").path(),
                program.path(), scenario,
            ]
            let launcher = Namespaces.command(["--mount", "--net"])
            let result = try await BuiltCommand.run(
                URL(fileURLWithPath: launcher[0]),
                launcher.dropFirst() + ["sh", "-c", script, "sh"] + arguments
            )
            #expect(result.status == 0, "\(result.notes)")
            var lines: [String: [Line]] = [:]
            for line in result.output.split(separator: "\n") {
                let words = line.split(separator: " ", maxSplits: 2).map(String.init)
                guard words.count > 1, let milliseconds = Int(words[1]) else { continue }
                lines[words[0], default: []].append(
                    Line(milliseconds: milliseconds, end: words.dropFirst(2).first ?? "")
                )
            }
            return lines
        }

        /// Runs a scenario until its calls were quick, five times at most: a busy machine may delay one run, and a
        /// lookup that hangs delays all.
        private func probe(
            _ scenario: String,
            until isQuick: ([String: [Line]]) -> Bool
        ) async throws -> [String: [Line]] {
            var lines = try await probe(scenario)
            for _ in 0..<4 where !isQuick(lines) { lines = try await probe(scenario) }
            return lines
        }

        @Test func aSilentServerDelaysNoOtherCall() async throws {
            let lines = try await probe("deadline") { lines in
                lines.values.joined().allSatisfy { $0.milliseconds < 1000 }
                    && lines["deadline"]?.first?.end.contains("being resolved") == true
            }
            let late = try #require(lines["deadline"]?.first)
            #expect(late.milliseconds >= 299 && late.milliseconds < 1000)
            #expect(late.end.hasPrefix("timeout not sent"))
            #expect(
                late.end.contains(
                    "The deadline of 300 ms passed while the name `silent.test` was being resolved."
                )
            )
            // A second is far more than a call takes, and far less than a lookup that hangs.
            #expect(try #require(lines["cancelled"]?.first).milliseconds < 1000)
            #expect(try #require(lines["beside"]?.first).milliseconds < 1000)
        }

        @Test func shutdownDoesNotWaitForIt() async throws {
            let lines = try await probe("shutdown") { ($0["shutdown"]?.first?.milliseconds ?? .max) < 2000 }
            let end = try #require(lines["shutdown"]?.first)
            #expect(end.milliseconds < 2000)
            #expect(end.end.hasPrefix("closed not sent"))
        }

        @Test func aSlowNameIsUsedAsSoonAsItIsThere() async throws {
            var (shortest, shortestAgain) = (Int.max, Int.max)
            // A busy machine may take longer, but not each time.
            for _ in 0..<5 where shortest >= 480 || shortestAgain >= 300 {
                let lines = try await probe("slow")
                let slow = try #require(lines["slow"])
                #expect(slow.count == 4)
                #expect(slow.allSatisfy { $0.end == "ok" && $0.milliseconds >= 300 })
                shortest = min(shortest, slow.map(\.milliseconds).min() ?? .max)
                let again = try #require(lines["again"]?.first)
                #expect(again.end == "ok")
                shortestAgain = min(shortestAgain, again.milliseconds)
            }
            // A wake-up that is lost costs 200 ms more each time.
            #expect(shortest < 480)
            #expect(shortestAgain < 300)
        }

        @Test func aNameThatIsNotRememberedIsUsedOnce() async throws {
            let ends = try #require(try await probe("uncached")["uncached"]).map(\.end)
            #expect(ends == ["ok", "ok"])
        }

        /// For a new connection, libcurl asks for the address once more, and then begins the transfer again.
        @Test func aRequestThatTheServerHasReadIsNotSentAgain() async throws {
            let lines = try await probe("repeated")
            let ends = try #require(lines["repeated"]).map(\.end)
            #expect(ends.count == 2)
            #expect(ends.first == "ok")
            #expect(ends.last?.hasPrefix("connectionLost outcome unknown") == true, "\(ends)")
            #expect(try #require(lines["requests"]?.first).milliseconds == 2)
        }

        /// The proxy takes addresses, and the name has another one than the guard was told.
        @Test func aProxyConnectsToNoAddressThatTheGuardRefuses() async throws {
            let lines = try await probe("guarded")
            #expect(try #require(lines["guarded"]?.first).end.hasPrefix("addressRefused not sent"))
            #expect(try #require(lines["connections"]?.first).milliseconds == 0)
        }

        /// libcurl asks for the address of the proxy, and for that of the server.
        @Test func aProxyThatTakesAddressesIsGoneThrough() async throws {
            let lines = try await probe("proxied")
            for proxy in ["127.0.0.1", "proxy.test"] {
                #expect(try #require(lines[proxy]).map(\.end) == ["ok", "ok", "ok"], "\(proxy)")
            }
        }

        @Test func unresolvedNamesLeaveTheOthersAlone() async throws {
            let lines = try await probe("crowd")
            for word in ["literal", "open", "known", "localhost"] {
                let line = try #require(lines[word]?.first)
                #expect(line.end == "ok", "\(word): \(line.end)")
            }
            let new = try #require(lines["new"]?.first)
            #expect(new.end.hasPrefix("dns not sent"))
            #expect(new.end.contains("has not answered"))
            #expect(try #require(lines["refused"]?.first).milliseconds > 150)
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Skips, with the reason, if the program was not built.
        static var needsNameProbe: ConditionTrait {
            .enabled(
                if: BuiltCommand.nameProbe != nil,
                "the program NetKitNameProbe is not beside the tests"
            )
        }
    }
#endif
