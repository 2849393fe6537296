import Alcedo

/// The downloads of the loaders that are in use. The list keeps no loader alive.
struct LoaderDownloads {
    private struct Entry {
        weak var downloads: DownloadCoordinator?
    }

    private var entries: [Entry] = []

    /// The downloads that are still in use.
    var all: [DownloadCoordinator] { entries.compactMap(\.downloads) }

    mutating func add(_ downloads: DownloadCoordinator) {
        entries.removeAll { $0.downloads == nil }
        entries.append(Entry(downloads: downloads))
    }
}
