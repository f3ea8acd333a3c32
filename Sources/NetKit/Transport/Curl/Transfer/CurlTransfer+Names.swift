#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// The state of resolving the names that a transfer's connection needs.
    struct CurlNaming: ~Copyable {
        /// A name of a server or a proxy, and the port there.
        struct Name {
            let host: String
            let port: Int

            /// A colon stands only in an IPv6 address, which may have a zone.
            var needsNoResolver: Bool {
                host == "localhost" || host.hasSuffix(".localhost") || host.contains(":")
                    || SystemLookup.literal(host) != nil
            }

            /// Returns the addresses in libcurl's format, or `nil` if every address has a zone; because of the leading
            /// sign, libcurl forgets them soon.
            ///
            /// libcurl refuses all of them if one has a zone, so those are left out.
            func line(_ addresses: [String]) -> String? {
                let usable = addresses.filter { !$0.contains("%") }
                guard !usable.isEmpty else { return nil }
                let list = usable.map(\.asURLHost).joined(separator: ",")
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
        /// The results of lookups for the connection that comes next.
        var found: [String: NameResolver.Lookup] = [:]
        /// Whether libcurl looks up the names itself, because it takes their addresses in no other way.
        var isLeftToLibcurl = false
        /// The number of times that addresses were set.
        var rounds = 0
        /// The time that lookups have taken so far.
        var delay = Duration.zero
    }

    extension CurlTransfer {
        /// The name of the server or proxy to connect to, unless libcurl looks it up itself.
        ///
        /// libcurl handles literals and this machine without a resolver.
        var peerName: CurlNaming.Name? {
            guard loop.library.takesAddresses, let origin = Origin(url) else { return nil }
            let proxy = proxy
            let name = CurlNaming.Name(host: proxy?.host ?? origin.host, port: proxy?.port ?? origin.port)
            return name.needsNoResolver ? nil : name
        }

        /// The name of the server if a proxy has to be told its address instead.
        ///
        /// libcurl is given that address with the request. Otherwise, it would take one from its cache, or reuse a
        /// connection to one, that this call has not looked up, and that the address guard has not judged.
        var targetName: CurlNaming.Name? {
            guard let proxy, !proxy.resolvesTargets, loop.configuration.unixSocketPath == nil, let origin = Origin(url)
            else { return nil }
            let name = CurlNaming.Name(host: origin.host, port: origin.port)
            return name.needsNoResolver ? nil : name
        }

        /// Returns whether libcurl may look up addresses itself.
        ///
        /// Once it has opened a socket to a proxy, it asks only for a server that needs no resolver.
        func mayResolve() -> Bool {
            guard peerName != nil, openedSockets.isEmpty, !naming.isLeftToLibcurl else { return true }
            // When libcurl gets the transfer again, it counts from zero what it has sent.
            naming.isNeeded = mayBeSent()
            return false
        }

        /// The time at which a lookup has used up the limit for connecting.
        var namingEnd: NetKitClock.Instant? {
            guard let wait = naming.wait, let limit = context.timeouts.connect else { return nil }
            return wait.start.advanced(by: limit - naming.delay)
        }

        /// Gives libcurl the lines for the addresses of its names, the address that a proxy is told, and the remaining
        /// time for connecting.
        func give(_ lines: [String], connectTo targets: [String]) throws(NetKitError) {
            try handle?.set(addresses: lines)
            if !targets.isEmpty { try handle?.set(connectTo: targets) }
            guard let limit = context.timeouts.connect else { return }
            let rest = max(.milliseconds(1), limit - naming.delay)
            handle?.easy.set(NK_CURLOPT_CONNECTTIMEOUT_MS, rest.curlMilliseconds)
        }

        func unresolved(_ host: String, _ error: any Error) -> NetKitError {
            let known = error as? ResolverError
            let message = "The name \"\(host)\" could not be resolved: \(known?.reason ?? "\(error)")."
            let cause = known?.isLocalShortage == true ? LocalShortage() : nil
            return NetKitError(.dns, message, outcome: context.attempt.outcome, cause: cause)
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

        /// Looks up the addresses that a transfer needs, and returns whether libcurl was given it at once.
        func proceed(_ transfer: CurlTransfer) -> Bool {
            guard transfer.naming.rounds < Self.maxRounds else {
                refuse(
                    transfer,
                    transfer.peerName?.host ?? "",
                    ResolverError(host: "", reason: "libcurl does not take its address")
                )
                return false
            }
            guard let lines = addressLines(for: transfer), let targets = proxyTargets(for: transfer)
            else { return false }
            transfer.naming.rounds += 1
            transfer.naming.found.removeAll()
            do throws(NetKitError) {
                try transfer.give(lines, connectTo: targets)
            } catch {
                transfer.fail(error)
                end(transfer, code: Int32(NK_CURLE_OUT_OF_MEMORY))
                return false
            }
            add(transfer)
            return true
        }

        /// Returns libcurl's line for the addresses of the peer, if it needs one; `nil` if the transfer waits for them,
        /// or has ended without them.
        private func addressLines(for transfer: CurlTransfer) -> [String]? {
            guard let name = transfer.peerName else { return [] }
            guard let addresses = addresses(of: name, for: transfer) else { return nil }
            if let line = name.line(addresses) { return [line] }
            transfer.naming.isLeftToLibcurl = true
            return []
        }

        /// Returns libcurl's entry for the address that a proxy is told, if it is told one; `nil` if the transfer waits
        /// for it, or has ended without it.
        private func proxyTargets(for transfer: CurlTransfer) -> [String]? {
            guard let name = transfer.targetName else { return [] }
            guard let addresses = addresses(of: name, for: transfer) else { return nil }
            guard transfer.allows(addresses) else {
                end(transfer, code: Int32(NK_CURLE_COULDNT_CONNECT))
                return nil
            }
            guard let address = transfer.proxy?.passableAddress(of: addresses) else {
                let reason = "the proxy takes none of its addresses"
                refuse(transfer, name.host, ResolverError(host: name.host, reason: reason))
                return nil
            }
            // For every host and port.
            return ["::\(address):\(name.port)"]
        }

        /// Returns the addresses of a name; `nil` if the transfer waits for them, or has ended without them.
        private func addresses(of name: CurlNaming.Name, for transfer: CurlTransfer) -> [String]? {
            if let text = transfer.loop.configuration.addressOverrides[name.host] {
                // libcurl takes several addresses, and brackets.
                return text.split(separator: ",").map { String($0).trimmingBrackets }
            }
            let resolver = transfer.loop.names
            switch transfer.naming.found[name.host] ?? resolver.remembered(name.host, notOlderThan: transfer.nameAge) {
            case .success(let addresses): return addresses
            case .failure(let error): refuse(transfer, name.host, error)
            case nil: ask(resolver, name.host, for: transfer)
            }
            return nil
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
            // Another limit than that of the lookup may come first now.
            watchLimits(of: transfer)
            // It may be too old already to be remembered.
            transfer.naming.found[wait.host] = lookup
            _ = proceed(transfer)
        }

        private func refuse(_ transfer: CurlTransfer, _ host: String, _ error: any Error) {
            transfer.fail(transfer.unresolved(host, error))
            end(transfer, code: Int32(NK_CURLE_COULDNT_RESOLVE_HOST))
        }
    }

    extension CurlTransfer {
        fileprivate var nameAge: Duration { loop.configuration.connections.nameCacheTime }

        /// Returns whether the address guard allows a proxy to connect to the addresses of the server; if not, the
        /// transfer fails.
        ///
        /// A connection to the server itself is judged when it is made.
        fileprivate func allows(_ addresses: [String]) -> Bool {
            guard let addressGuard = context.call.addressGuard else { return true }
            return addresses.allSatisfy { isAllowed($0, by: addressGuard) }
        }
    }
#endif
