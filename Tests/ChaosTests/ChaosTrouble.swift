import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// The trouble of the next call of a program's store.
final class ChaosTrouble: Sendable {
    enum Kind {
        case failure
        /// Longer than loads wait.
        case delay
    }

    private let next = Mutex<Kind?>(nil)

    func begin(_ kind: Kind) { next.withLock { $0 = kind } }

    func end() { next.withLock { $0 = nil } }

    /// Called before each call. No removal fails, because the caller would be told that nothing was removed.
    func pass(_ call: WrappedStore.Call) async throws(ImageLoaderError) {
        let kind = next.withLock { next -> Kind? in
            if next == .failure, call == .removal || call == .list { return nil }
            defer { next = nil }
            return next
        }
        switch kind {
        case .failure?: throw .storeFailed(UnderlyingError(CocoaError(.fileWriteUnknown)))
        case .delay?: await nap(.milliseconds(400))
        case nil: break
        }
    }
}
