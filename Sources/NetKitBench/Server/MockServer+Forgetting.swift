import Foundation
import NetKitTesting

extension MockServer {
    /// Lets go of what the server remembers, bodies included, again and again as long as it lives.
    func forgetRegularly() {
        Thread.detachNewThread { [weak self] in
            while let self {
                self.forgetRequests()
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }
}
