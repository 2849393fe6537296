import Foundation
import Testing

/// The number of descriptors and threads that the process holds.
struct Footprint {
    private let descriptors = Self.count("/proc/self/fd")
    private let threads = Self.count("/proc/self/task")

    /// The number of entries of a directory; 0 if there is no such directory.
    private static func count(_ directory: String) -> Int {
        do { return try FileManager.default.contentsOfDirectory(atPath: directory).count } catch { return 0 }
    }

    /// Waits until the process holds no more than this. Idle threads of a pool take some seconds to end.
    ///
    /// Blocks the calling thread. A sleeping Task would be resumed by each thread of the pool in turn, and keep all of
    /// them alive.
    func waitUntilRestored() {
        for _ in 0..<18_000 {
            let now = Footprint()
            if now.descriptors <= descriptors && now.threads <= threads { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        Issue.record("\(self) has grown to \(Footprint())")
    }
}
