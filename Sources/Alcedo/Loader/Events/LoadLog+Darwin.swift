#if canImport(os)
import Foundation
import os

extension LoadLog {
    /// Creates a sink that writes to the system's log, which Console and `log stream` show.
    ///
    /// Lines are public: they contain no secrets.
    ///
    /// - Parameters:
    ///   - subsystem: The subsystem of the log. Default "alcedo".
    ///   - category: The category of the log. Default "loads".
    ///   - level: The events that are written. Default: ``Level/failures``.
    public static func system(
        subsystem: String = "alcedo", category: String = "loads", level: Level = .failures
    ) -> LoadLog {
        let log = OSLog(subsystem: subsystem, category: category)
        return LoadLog(.text, level: level) { line in os_log(.default, log: log, "%{public}@", line) }
    }
}
#endif
