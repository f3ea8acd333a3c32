extension Call {
    /// A call for an exchange that several calls share: the same in everything but the deadline, which each keeps itself.
    func shared() -> Call {
        Call(
            options: CallOptions(
                id: id,
                priority: priority,
                principal: principal,
                cachePolicy: cachePolicy,
                tags: tags
            ),
            delivery: delivery,
            timeouts: timeouts,
            deadline: nil,
            idempotencyKey: idempotencyKey,
            settings: settings,
            identity: identity,
            reporter: reporter
        )
    }
}
