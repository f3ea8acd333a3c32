public import Foundation
public import NetKit

/// What a simulated host does with a request.
public struct SimulatedAnswer: Sendable {
    enum Kind: Sendable {
        case respond(@Sendable (HTTPRequest, Duration) -> HTTPResponse)
        case refused
        case reset
        case stalled
        indirect case chance(rate: Double, SimulatedAnswer, otherwise: SimulatedAnswer)
    }

    let kind: Kind

    /// A status, with header fields and a body.
    public static func status(
        _ status: HTTPStatus,
        headers: HTTPHeaders = HTTPHeaders(),
        body: Data = Data()
    ) -> SimulatedAnswer {
        respond { _, _ in HTTPResponse(status: status, headers: headers, body: ResponseBody(body)) }
    }

    /// Whatever a function makes of the request and of the time that has passed.
    public static func respond(
        _ make: @escaping @Sendable (HTTPRequest, Duration) -> HTTPResponse
    ) -> SimulatedAnswer {
        SimulatedAnswer(kind: .respond(make))
    }

    /// No connection: the request is not sent.
    public static let refused = SimulatedAnswer(kind: .refused)

    /// The request arrives, and the connection is lost instead of an answer.
    public static let reset = SimulatedAnswer(kind: .reset)

    /// The request arrives, and nothing happens until a limit in time ends it.
    public static let stalled = SimulatedAnswer(kind: .stalled)

    /// An answer and a body that breaks off behind some bytes.
    public static func cutOff(_ part: Data, status: HTTPStatus = .ok) -> SimulatedAnswer {
        respond { _, _ in
            let pipe = BodyPipe(capacity: .max)
            pipe.offer(part)
            pipe.fail(
                NetKitError(.connectionLost, "The simulated connection was lost in the body.", outcome: .answered)
            )
            return HTTPResponse(status: status, body: ResponseBody(source: pipe))
        }
    }

    /// One answer by chance, at a rate from 0 to 1, and otherwise another.
    public static func sometimes(
        _ answer: SimulatedAnswer,
        rate: Double,
        otherwise: SimulatedAnswer
    ) -> SimulatedAnswer {
        SimulatedAnswer(kind: .chance(rate: rate, answer, otherwise: otherwise))
    }

    /// The answer after every chance was taken.
    func drawn(_ random: RandomSource) -> Kind {
        guard case .chance(let rate, let answer, let otherwise) = kind else { return kind }
        return (random.unitInterval() < rate ? answer : otherwise).drawn(random)
    }
}
