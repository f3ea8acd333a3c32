public import Foundation
public import NetKit

/// What the answer says.
extension ServerReply {
    /// The reply with one more header line, behind those that are there.
    ///
    /// A `Content-Length` or `Transfer-Encoding` given here replaces the one that the body would get, true or not.
    public func header(_ name: String, _ value: String) -> ServerReply { rawHeaderLine("\(name): \(value)") }

    /// The reply with one more header line exactly as given, such as a folded one: `"X-A: 1\r\n 2"`.
    public func rawHeaderLine(_ line: String) -> ServerReply { rawHeaderLine(Data(line.utf8)) }

    /// The reply with one more header line of any bytes, such as a value that is no UTF-8.
    public func rawHeaderLine(_ line: Data) -> ServerReply { changed { $0.lines.append(line) } }

    /// The reply with another status line, exactly as given.
    public func statusLine(_ line: String) -> ServerReply { changed { $0.statusLine = line } }

    /// The reply with its head's lines ended in another way.
    public func lineEnding(_ ending: LineEnding) -> ServerReply { changed { $0.lineEnding = ending } }

    /// The reply with `Connection: close`, and the connection closed behind it.
    ///
    /// `.header("Connection", "close")` only says so, and `.closing(at: .end)` only does so.
    public func connectionClose() -> ServerReply { changed { $0.closes = true } }

    /// The reply with an informational answer ahead of it, such as 103 with `Link` fields.
    public func informational(_ status: HTTPStatus, _ headers: HTTPHeaders = HTTPHeaders()) -> ServerReply {
        changed { reply in
            var text = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
            for field in headers { text += "\(field.name): \(field.value)\r\n" }
            reply.preface.append(contentsOf: Data((text + "\r\n").utf8))
        }
    }

    /// The reply with `100 Continue` ahead of it, whether the client expects that or not.
    public func continue100() -> ServerReply { informational(100) }
}

/// When and how fast it comes.
extension ServerReply {
    /// The reply as soon as a part of the request was read; the rest is read behind it.
    public func after(_ depth: Depth) -> ServerReply { changed { $0.depth = depth } }

    /// The reply at a rate.
    public func dripping(bytesPerSecond: Int) -> ServerReply { changed { $0.bytesPerSecond = max(1, bytesPerSecond) } }

    /// The reply with a pause at a moment, in real time.
    public func pausing(_ duration: Duration, at moment: Moment = .start) -> ServerReply {
        with(.pause(duration), at: moment)
    }

    /// The reply with a stop at a moment that lasts until the server's `release()`.
    public func stalling(at moment: Moment) -> ServerReply { with(.stall, at: moment) }
}

/// How the connection ends.
extension ServerReply {
    /// The reply cut off by closing the connection at a moment.
    public func closing(at moment: Moment) -> ServerReply { with(.close, at: moment) }

    /// The reply cut off by a reset at a moment.
    public func resetting(at moment: Moment) -> ServerReply { with(.reset, at: moment) }

    /// The reply whose body lacks its last bytes, because the connection is closed ahead of them.
    public func bodyCutShort(by count: Int) -> ServerReply { changed { $0.bytesMissing = max(0, count) } }

    /// The reply whose connection is closed just as the next request arrives on it, which is not read.
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
