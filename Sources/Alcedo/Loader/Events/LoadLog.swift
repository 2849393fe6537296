public import Foundation

/// Writes a line for each event, by default to standard error.
///
/// ```swift
/// configuration.eventSinks = [LoadLog(.json, level: .failures)]
/// ```
///
/// If you have your own log, create a ``Line`` for each event and pass on its fields.
///
/// A line has fields such as `event`, `load`, `url`, `source`, `milliseconds`, `bytes` and `error`. Errors
/// are shown by their description, and URLs without user name, password, query and fragment.
public struct LoadLog: LoadEventSink {
    /// The format of a line.
    public enum Format: Sendable, Hashable, CaseIterable {
        /// Fields with `=` between name and value. Values with spaces or quotes are quoted as in JSON.
        case text
        /// A JSON object.
        case json
    }

    /// The events that are written.
    public enum Level: Int, Sendable, Hashable, CaseIterable {
        /// Failed loads that weren't cancelled, retries, and cache failures.
        case failures
        /// In addition, all other outcomes of loads, revalidations, and entries that the disk cache removes.
        case loads
        /// In addition, stages. Only progress is left out.
        case stages
    }

    private let format: Format
    private let level: Level
    private let write: @Sendable (String) -> Void

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - format: The format of a line. Default: ``Format/text``.
    ///   - level: The events that are written. Default: ``Level/failures``.
    ///   - write: Receives each line without its line break, for example to pass it to another log. Called on the
    ///     thread of the event, as ``LoadEventSink/receive(_:)`` is. Default: writes to standard error.
    public init(
        _ format: Format = .text, level: Level = .failures,
        write: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
    ) {
        (self.format, self.level, self.write) = (format, level, write)
    }

    /// Writes a line if the level includes the event.
    public func receive(_ event: LoadEvent) {
        if let line = Line(event, at: level) { write(format == .json ? line.json : line.text) }
    }
}
