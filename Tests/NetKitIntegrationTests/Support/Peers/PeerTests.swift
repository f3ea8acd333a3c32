import Foundation
import NetKitTestSupport
import Testing

@Suite(.needsTheMachine)
struct PeerTests {
    @Test(arguments: Peer.allCases)
    func isThereInCI(peer: Peer) {
        #expect(peer.tool != nil || !Peer.isCI, "install Debian's \(peer.package)")
    }

    @Test
    func namesThePackageThatATestLacks() {
        #expect(Peer.verdict(lacking: [], isCI: false) == .run)
        #expect(
            Peer.verdict(lacking: [.nginx, .tinyproxy], isCI: false)
                == .skip("install Debian's nginx-light, tinyproxy-bin")
        )
    }

    @Test
    func skipsNothingInCI() {
        #expect(Peer.verdict(lacking: [.nginx], isCI: true) == .run)
    }

    @Test
    func keepsAPortFromOthersButNotFromAServer() async throws {
        let port = try ReservedPort()
        #expect(RawConnection(port: port.number) == nil)
        let others = try (0..<50).map { _ in try ReservedPort() }
        #expect(!others.contains { $0.number == port.number })
    }
}
