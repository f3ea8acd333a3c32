public import Foundation
public import NetKit

/// The contents of the response.
extension ServerReply {
    /// Returns the reply with an additional header line.
    ///
    /// A `Content-Length` or `Transfer-Encoding` replaces the correct one, even if it is wrong. A `Content-Type`
    /// replaces that of the body.
    public func header(_ name: String, _ value: String) -> ServerReply { rawHeaderLine("\(name): \(value)") }

    /// Returns the reply with an additional header line exactly as given, such as a folded one: `"X-A: 1\r\n 2"`.
    public func rawHeaderLine(_ line: String) -> ServerReply { rawHeaderLine(Data(line.utf8)) }

    /// Returns the reply with an additional header line of arbitrary bytes.
    public func rawHeaderLine(_ line: Data) -> ServerReply { changed { $0.lines.append(line) } }

    /// Returns the reply with a status line exactly as given.
    public func statusLine(_ line: String) -> ServerReply { changed { $0.statusLine = line } }

    /// Returns the reply with another line ending in its head.
    public func lineEnding(_ ending: LineEnding) -> ServerReply { changed { $0.lineEnding = ending } }

    /// Returns the reply with `Connection: close`, after which the connection is closed.
    ///
    /// In contrast, `.header("Connection", "close")` only announces it, and `.closing(at: .end)` closes without
    /// announcing it.
    public func connectionClose() -> ServerReply { changed { $0.closes = true } }

    /// Returns the reply with an informational response before it, such as 103 with `Link` fields.
    public func informational(_ status: HTTPStatus, _ headers: HTTPHeaders = [:]) -> ServerReply {
        changed { reply in
            var text = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
            for field in headers { text += "\(field.name): \(field.value)\r\n" }
            reply.preface.append(contentsOf: Data((text + "\r\n").utf8))
        }
    }

    /// Returns the reply with `100 Continue` before it, whether or not the client expects it.
    public func continue100() -> ServerReply { informational(100) }
}

/// The timing of the response.
extension ServerReply {
    /// Returns the reply sent as soon as a part of the request was read.
    ///
    /// The rest is read after it.
    public func after(_ depth: Depth) -> ServerReply { changed { $0.depth = depth } }

    /// Returns the reply sent at a limited rate.
    public func dripping(bytesPerSecond: Int) -> ServerReply { changed { $0.bytesPerSecond = max(1, bytesPerSecond) } }

    /// Returns the reply with a pause in real time.
    public func pausing(_ duration: Duration, at moment: Moment = .start) -> ServerReply {
        with(.pause(duration), at: moment)
    }

    /// Returns the reply with a stall that lasts until the server's `release()`.
    public func stalling(at moment: Moment) -> ServerReply { with(.stall, at: moment) }
}

/// The end of the connection.
extension ServerReply {
    /// Returns the reply cut off by closing the connection.
    public func closing(at moment: Moment) -> ServerReply { with(.close, at: moment) }

    /// Returns the reply cut off by a reset.
    public func resetting(at moment: Moment) -> ServerReply { with(.reset, at: moment) }

    /// Returns the reply without the last bytes of its body, before which the connection is closed.
    public func bodyCutShort(by count: Int) -> ServerReply { changed { $0.bytesMissing = max(0, count) } }

    /// Returns the reply after which the connection is closed just as the next request arrives.
    public func closingIdleConnection() -> ServerReply { with(.closeOnNextRequest, at: .end) }

    func with(_ step: ServerStep, at moment: Moment) -> ServerReply {
        changed { $0.incidents.append(Incident(moment: moment, step: step)) }
    }

    private func changed(_ change: (inout ServerReply) -> Void) -> ServerReply {
        var reply = self
        change(&reply)
        return reply
    }
}
