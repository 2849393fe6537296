import Alcedo
import Foundation
import Synchronization

/// The state of a cache directory after the experiment.
struct DirectoryCheck: Sendable {
    let name: String
    /// The number of entries that match their checksums.
    var wholeEntries = 0
    var damagedEntries = 0
    /// The number of entries whose bytes aren't the file of their image.
    var wrongEntries = 0
    /// The number of wrong images that were loaded with this cache.
    var wrongImages = 0
    /// The failures that the store reported.
    var troubles: [String] = []

    var isGood: Bool { damagedEntries == 0 && wrongEntries == 0 && wrongImages == 0 && troubles.isEmpty }

    /// Verifies all entries, and loads every image once more.
    ///
    /// - Parameter name: The name of the machine.
    @concurrent
    static func run(_ directory: URL, name: String, proxy: URL) async throws -> DirectoryCheck {
        var check = DirectoryCheck(name: name)
        let failures = Failures()
        let store = try DiskStore(DiskStore.Settings(directory: directory)) { event in
            if case .failed(let failure) = event { failures.add("\(failure)") }
        }
        let verification = await store.verify()
        check.wholeEntries = verification.wholeCount
        check.damagedEntries = verification.damaged.count
        let loader = ImageLoader(diskCache: store)
        for number in 0..<ServerSideSetting.pictures {
            let url = proxy.appending(path: NumberedPictures.path(of: number))
            if let bytes = await store.data(for: loader.key(for: url)), try bytes != NumberedPictures.file(number) {
                check.wrongEntries += 1
            }
            if try await loader.image(for: url).bitmap != NumberedPictures.bitmap(number) { check.wrongImages += 1 }
        }
        await loader.flush()
        check.troubles = failures.all
        return check
    }

    private final class Failures: Sendable {
        private let list = Mutex<[String]>([])

        var all: [String] { list.withLock { $0 } }

        func add(_ failure: String) { list.withLock { $0.append(failure) } }
    }
}
