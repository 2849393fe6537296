public import Foundation

/// Writes a line for each event: to standard error, or wherever the program says.
///
/// ```swift
/// configuration.eventSinks = [LoadLog(.json, level: .failures)]
/// ```
///
/// A program with a log of its own makes a ``Line`` of each event, and passes on its fields.
///
/// A line has fields such as `event`, `load`, `url`, `source`, `milliseconds`, `bytes` and `error`. Errors
/// are shown by their description, and URLs without user name, password, query and fragment.
public struct LoadLog: LoadEventSink {
    /// The form of a line.
    public enum Format: Sendable, Hashable, CaseIterable {
        /// Words with `=` between name and value. Values with blanks or quotes are quoted as in JSON.
        case text
        /// An object of JSON.
        case json
    }

    /// The events that are written.
    public enum Level: Int, Sendable, Hashable, CaseIterable {
        /// Loads that failed, unless they were cancelled, retries, and failures of caches.
        case failures
        /// All outcomes of loads as well, revalidations, and entries that the disk cache removes.
        case loads
        /// Stages as well, and everything but progress.
        case stages
    }

    private let format: Format
    private let level: Level
    private let write: @Sendable (String) -> Void

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - format: The form of a line. Default: ``Format/text``.
    ///   - level: The events that are written. Default: ``Level/failures``.
    ///   - write: Receives each line, without its end, on the thread of its event, as ``LoadEventSink/receive(_:)``
    ///     does; for example to pass it to `os.Logger`. Default: writes it to standard error.
    public init(
        _ format: Format = .text, level: Level = .failures,
        write: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
    ) {
        (self.format, self.level, self.write) = (format, level, write)
    }

    /// Writes a line if the event is of the level.
    public func receive(_ event: LoadEvent) {
        if let line = Line(event, at: level) { write(format == .json ? line.json : line.text) }
    }
}
