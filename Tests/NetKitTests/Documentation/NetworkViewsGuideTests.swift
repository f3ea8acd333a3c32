import NetKit
import NetKitTestSupport
import Testing

#if canImport(SwiftUI)
    import SwiftUI

    // GUIDE: begin
    struct OfflineBanner: View {
        let state: NetworkState

        var body: some View {
            if let text = state.bannerText {
                Label(text, systemImage: "wifi.slash")
                    .frame(maxWidth: .infinity)
                    .padding(8)
                    .background(.yellow)
                    .transition(.move(edge: .top))
            }
        }
    }
    // GUIDE: end

    // GUIDE: begin
    struct SyncIndicator: View {
        let state: NetworkState

        var body: some View {
            if let text = state.syncText {
                HStack {
                    ProgressView()
                    Text(text)
                }
                .font(.footnote)
            }
        }
    }
    // GUIDE: end

    // GUIDE: begin
    struct RootView: View {
        let state: NetworkState

        var body: some View {
            VStack(spacing: 0) {
                OfflineBanner(state: state)
                Spacer()
                SyncIndicator(state: state)
            }
            .animation(.default, value: state.isConnected)
        }
    }
// GUIDE: end
#endif

/// The code on the page "The network state in views", compiled and run.
@Suite(.needsTheMachine)
struct NetworkViewsGuideTests {
    @MainActor
    @Test func theStateIsMadeAsShown() async {
        func make(_ queue: any OfflineQueueReporting) -> NetworkState {
            // GUIDE: begin
            let state = NetworkState(networkMonitor: .platformDefault, offlineQueue: queue)
            // GUIDE: end
            return state
        }
        struct NoQueue: OfflineQueueReporting {
            func pendingCount() async -> Int { 0 }
            func processQueue() async {}
        }
        let state = make(NoQueue())
        #expect(state.isConnected && state.syncText == nil)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Network-State-In-Views").shows(#filePath))
    }
}
