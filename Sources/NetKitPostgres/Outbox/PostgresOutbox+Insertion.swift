public import Foundation
public import NetKit

extension PostgresOutbox {
    /// A statement that adds an entry to a queue, for any driver and for any transaction.
    ///
    /// ```swift
    /// let insertion = try database.outbox("orders").insertion(of: QueuedRequest(request, lane: "a"))
    /// try await driver.query(insertion.sql, insertion.parameters.map { value in … })
    /// ```
    public struct Insertion: Sendable {
        /// The value of a parameter; null if it has neither text nor bytes.
        public struct Value: Sendable, Hashable {
            /// The text, to be sent as the type `text`.
            public let text: String?
            /// The bytes, to be sent as the type `bytea`.
            public let bytes: Data?
        }

        /// The statement.
        ///
        /// Its first parameter is `$1`. It casts each parameter to the type that it needs.
        public let sql: String
        /// The values of the parameters.
        public let parameters: [Value]
    }

    /// Returns a statement that adds a request in a transaction of the caller.
    ///
    /// The request is sent after the transaction was committed, and never if it was rolled back. A queue of this name
    /// has to exist in the database, which it does after it was opened once. The statement only inserts a row, so that
    /// transactions never wait for each other. Entries of the same coalescing key are therefore replaced when one of
    /// them is about to be sent. The bounds of the queue do not apply. The time from now until `expiresAt` begins when
    /// the statement runs.
    ///
    /// - Parameters:
    ///   - request: The request; its body is data.
    ///   - wakes: Whether the commit notifies the process that sends it. Otherwise it is found within 5 seconds.
    ///     Transactions with notifications are committed one after the other, which slows down a busy database.
    ///   - redaction: The rules for sensitive values, which are not kept.
    /// - Returns: The statement and its parameters.
    /// - Throws: `.invalidRequest` for a request that can never be sent or must not be kept, or for a body that is a
    ///   file or has more than 8 MiB, `.encoding` for a body that cannot be encoded, or an error of the seal.
    public func insertion(
        of request: QueuedRequest,
        wakes: Bool = false,
        redaction: Redaction = .standard
    ) throws -> Insertion {
        let request = try request.prepared(redactions: [redaction], random: .system, clock: table.database.clock)
        if let body = request.body, body.bytes == nil {
            throw NetKitError(
                .invalidRequest,
                "The body of the request is a file. In a transaction of the caller, give its bytes."
            )
        }
        let columns = try OutboxRequest(request, body: request.body?.bytes, OutboxForm(seal: seal))
        // The dates of this machine may be wrong.
        let lifetime = request.lifetime(at: table.database.clock.date)
        func text(_ value: String?) -> Insertion.Value { Insertion.Value(text: value, bytes: nil) }
        return Insertion(
            sql: table.database.schema.naming(
                """
                SELECT netkit.enqueue($1::text, $2::text::jsonb, lane => $3::text, body => $4::bytea, \
                id => $5::text::uuid, priority => $6::text::integer, \
                expires_at => clock_timestamp() + $7::text::bigint * interval '1 microsecond', \
                subject => $8::text, rule => $9::text, max_attempts => $10::text::integer, identity => $11::text, \
                wake => $12::text::boolean)
                """
            ),
            parameters: [
                text(table.queue),
                text(String(decoding: columns.json, as: UTF8.self)),
                text(request.lane),
                Insertion.Value(text: nil, bytes: columns.body),
                text(request.id.uuidString),
                text(String(Int32(clamping: request.priority))),
                // In the text of an interval, PostgreSQL 14 and earlier read no number above 32 bits.
                text(lifetime.map { "\($0.clampedNanoseconds / 1000)" }),
                text(request.coalescingKey),
                text(request.coalescingKey == nil ? "append" : request.coalescing.description),
                text(request.maxAttempts.map { String(Int32(clamping: $0)) }),
                text(request.identity),
                text(wakes ? "true" : "false"),
            ]
        )
    }
}
