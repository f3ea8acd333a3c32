#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// The state of resolving the names that a transfer's connection needs.
    struct CurlNaming {
        /// A name of a server or a proxy, and the port there.
        struct Name {
            let host: String
            let port: Int

            var needsNoResolver: Bool {
                host == "localhost" || host.hasSuffix(".localhost") || SystemLookup.literal(host) != nil
            }

            /// Returns the addresses in libcurl's format; because of the leading sign, libcurl forgets them soon.
            func line(_ addresses: [String]) -> String {
                let list = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
                return "+\(host):\(port):\(list)"
            }
        }

        /// A name whose addresses are being looked up.
        struct Wait {
            let host: String
            let start: NetKitClock.Instant
            var ticket: NameResolver.Ticket?
        }

        /// Whether libcurl has asked for an address that it was not given.
        var isNeeded = false
        /// The current lookup; until it is over, libcurl does not have the transfer.
        var wait: Wait?
        /// The number of times that addresses were set.
        var rounds = 0
        /// The time that lookups have taken so far.
        var delay = Duration.zero
    }

    extension CurlTransfer {
        /// The names for which libcurl needs addresses to make the connection.
        ///
        /// libcurl handles literals and this machine by itself, without a resolver.
        var names: [CurlNaming.Name] {
            guard let origin = Origin(url) else { return [] }
            var names: [CurlNaming.Name] = []
            let proxy = proxy
            if let proxy { names.append(CurlNaming.Name(host: proxy.host, port: proxy.port)) }
            if proxy?.resolvesTargets != true {
                names.append(CurlNaming.Name(host: origin.host, port: origin.port))
            }
            return names.filter { !$0.needsNoResolver }
        }

        /// Returns whether libcurl may look up addresses itself.
        func mayResolve() -> Bool {
            guard !names.isEmpty else { return true }
            naming.isNeeded = true
            return false
        }

        /// The time at which a lookup has used up the limit for connecting.
        var namingEnd: NetKitClock.Instant? {
            guard naming.wait != nil, let limit = context.timeouts.connect else { return nil }
            return start.advanced(by: limit)
        }

        /// Gives libcurl the addresses of its names, and the remaining time for connecting.
        func give(_ lines: [String]) throws(NetKitError) {
            try handle?.set(names: lines)
            guard let limit = context.timeouts.connect else { return }
            let rest = max(.milliseconds(1), limit - naming.delay)
            handle?.easy.set(NK_CURLOPT_CONNECTTIMEOUT_MS, rest.curlMilliseconds)
        }

        func unresolved(_ host: String, _ error: any Error) -> NetKitError {
            let reason = (error as? ResolverError)?.reason ?? "\(error)"
            let message = "The name \"\(host)\" could not be resolved: \(reason)."
            return NetKitError(.dns, message, outcome: context.attempt.outcome)
        }

        func unanswered(_ host: String) -> NetKitError {
            let within = context.timeouts.connect.map { " within \($0.shortText)" } ?? ""
            let message =
                "The name \"\(host)\" could not be resolved: the resolver has not answered\(within). "
                + "Check the system's name servers."
            return NetKitError(.dns, message, outcome: context.attempt.outcome)
        }
    }

    /// Names are resolved outside of libcurl, which would wait for the resolver's thread when a transfer ends.
    extension CurlLoopCore {
        /// The number of times that libcurl may ask for a name again before that counts as a failure.
        private static let maxRounds = 4

        /// Looks up the addresses that libcurl needs, and returns whether the transfer has begun again at once.
        func findNames(_ transfer: CurlTransfer) -> Bool {
            takeOut(transfer)
            transfer.naming.isNeeded = false
            return proceed(transfer)
        }

        private func proceed(_ transfer: CurlTransfer) -> Bool {
            let (resolver, names) = (transfer.loop.names, transfer.names)
            guard transfer.naming.rounds < Self.maxRounds else {
                refuse(
                    transfer,
                    names.first?.host ?? "",
                    ResolverError(host: "", reason: "libcurl does not take its address")
                )
                return false
            }
            var lines: [String] = []
            for name in names {
                switch resolver.remembered(name.host, notOlderThan: transfer.nameAge) {
                case .success(let addresses): lines.append(name.line(addresses))
                case .failure(let error):
                    refuse(transfer, name.host, error)
                    return false
                case nil:
                    ask(resolver, name.host, for: transfer)
                    return false
                }
            }
            transfer.naming.rounds += 1
            do throws(NetKitError) {
                try transfer.give(lines)
            } catch {
                transfer.fail(error)
                end(transfer, code: Int32(NK_CURLE_OUT_OF_MEMORY))
                return false
            }
            beginAgain(transfer)
            return true
        }

        private func ask(_ resolver: NameResolver, _ host: String, for transfer: CurlTransfer) {
            transfer.naming.wait = CurlNaming.Wait(host: host, start: transfer.clock.now)
            transfer.attempt.noteResolving(host)
            let inbox = transfer.loop.inbox
            transfer.naming.wait?.ticket = resolver.ask(host, notOlderThan: transfer.nameAge) { lookup in
                inbox.post(.resolved(transfer, lookup))
            }
            watchLimits(of: transfer)
        }

        /// Takes the addresses that a transfer waits for.
        func takeNames(_ transfer: CurlTransfer, _ lookup: NameResolver.Lookup) {
            guard transfer.isAdded, let wait = transfer.naming.wait else { return }
            transfer.naming.wait = nil
            transfer.attempt.noteResolving(nil)
            transfer.naming.delay += wait.start.duration(to: transfer.clock.now)
            // A transfer that was stopped meanwhile ends with its own command.
            guard transfer.stopReason == nil else { return }
            if case .failure(let error) = lookup { return refuse(transfer, wait.host, error) }
            _ = proceed(transfer)
        }

        private func refuse(_ transfer: CurlTransfer, _ host: String, _ error: any Error) {
            transfer.fail(transfer.unresolved(host, error))
            end(transfer, code: Int32(NK_CURLE_COULDNT_RESOLVE_HOST))
        }
    }

    extension CurlTransfer {
        fileprivate var nameAge: Duration { loop.configuration.connections.nameCacheTime }
    }
#endif
