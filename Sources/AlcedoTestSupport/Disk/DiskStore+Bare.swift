package import Alcedo
import Foundation

extension DiskStore.Settings {
    /// The settings of a store in `directory` with only a byte limit: no entry expires, and no disk space is reserved.
    package static func bare(_ directory: String, byteLimit: Int? = nil) -> Self {
        var settings = Self(directory: URL(fileURLWithPath: directory))
        settings.maximumBytes = byteLimit
        settings.timeToLive = nil
        settings.minimumFreeBytes = 0
        return settings
    }
}
