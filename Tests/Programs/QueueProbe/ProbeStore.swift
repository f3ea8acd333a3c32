import Foundation
import NetKit

/// The store under test. With `NETKIT_PROBE_SMALL=1`, its segments are so small that even a short run begins new ones
/// and removes old ones.
enum ProbeStore {
    static func make(_ folder: URL) -> JSONOfflineStore {
        var settings = JournalSettings()
        if ProcessInfo.processInfo.environment["NETKIT_PROBE_SMALL"] == "1" {
            settings.segmentSize = 6000
            settings.fill = (1024, 2048)
            settings.garbage = 4000
            settings.piece = 1000
        }
        return JSONOfflineStore(directory: folder, settings: settings)
    }
}
