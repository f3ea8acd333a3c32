import NetKit
import Testing

struct DeliveryTests {
    @Test(
        arguments: [
            (.streamed, nil, true, "streamed"),
            (.buffered(upTo: 10), 10, false, "buffered up to 10 bytes"),
            (.buffered(upTo: 0), 0, false, "buffered up to 0 bytes"),
            (.buffered(upTo: -5), 0, false, "buffered up to 0 bytes"),
        ] as [(Delivery, Int?, Bool, String)]
    )
    func saysHowABodyComes(delivery: Delivery, limit: Int?, isStreamed: Bool, description: String) {
        #expect(delivery.maxBufferedBytes == limit)
        #expect(delivery.isStreamed == isStreamed)
        #expect(delivery.description == description)
    }
}
