import Foundation
import NetKitTesting

extension MockServer {
    /// Removes the server's recorded requests, including bodies, repeatedly while the server exists.
    func forgetRegularly() {
        Thread.detachNewThread { [weak self] in
            while let self {
                self.removeAllRequests()
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }
}
