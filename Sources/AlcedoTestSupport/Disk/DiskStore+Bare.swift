package import Alcedo
import Foundation

extension DiskStore.Settings {
    /// Those of a store in `directory` with nothing but a limit in bytes: no entry expires, and no space stays free.
    package static func bare(_ directory: String, byteLimit: Int? = nil) -> Self {
        var settings = Self(directory: URL(fileURLWithPath: directory))
        settings.byteLimit = byteLimit
        settings.timeToLive = nil
        settings.freeSpaceFloor = 0
        return settings
    }
}
