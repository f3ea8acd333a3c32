extension CacheCall {
    /// Renews a stale answer in the background, once however many ask for it.
    func refresh(_ sight: LookupResult) {
        guard let found = sight.found, cache.book.beginRefresh(of: found.key) else { return }
        var plain = request
        plain.method = .get
        for name in ["Range", "If-Range", "If-None-Match", "If-Modified-Since"] { plain.headers.remove(name) }
        // It outlives the call that starts it, so it goes by nobody's deadline; its attempts keep their limits.
        let call = CacheCall(
            cache: cache,
            request: plain,
            context: RequestContext(call: context.call.shared()),
            next: next,
            ask: CacheRequest(plain),
            policy: policy,
            partition: partition
        )
        let task = startImmediately {
            defer { call.cache.book.endRefresh(of: found.key) }
            try await InheritedDeadline.$current.withValue(nil) {
                let asking = found.answer.hasValidator ? found : nil
                let response = try await call.exchange(sight, asking: asking, reason: .stale)
                for try await _ in response.body {}
            }
        }
        cache.book.attachRefresh(of: found.key, task)
    }
}
