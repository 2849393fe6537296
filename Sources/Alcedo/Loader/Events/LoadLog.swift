public import Foundation

/// Writes a line for each event: to standard error, or wherever the program says.
///
/// ```swift
/// configuration.eventSinks = [LoadLog(.json, level: .failures)]
/// ```
///
/// A line has fields such as `event`, `load`, `url`, `source`, `milliseconds`, `bytes` and `error`. URLs are shown
/// without user name, password, query and fragment; errors by their description.
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
        guard let line = LogLine(event), line.level.rawValue <= level.rawValue else { return }
        write(format == .json ? line.json : line.text)
    }
}

/// The fields of an event.
struct LogLine {
    private enum Value {
        case text(String), number(Int), decimal(Double), flag
    }

    let level: LoadLog.Level
    private var fields: [(name: String, value: Value)]

    /// Nil for progress.
    init?(_ event: LoadEvent) {
        let (name, level): (String, LoadLog.Level) =
            switch event.kind {
            case .progress: ("", .stages)
            case .requested: ("requested", .stages)
            case .coalesced: ("coalesced", .stages)
            case .began: ("began", .stages)
            case .ended: ("ended", .stages)
            case .resumed: ("resumed", .stages)
            case .retried: ("retried", .failures)
            case .revalidated: ("revalidated", .loads)
            case .loaded: ("loaded", .loads)
            case .failed(_, let outcome): ("failed", outcome.error == .cancelled ? .loads : .failures)
            case .diskEvicted: ("evicted", .loads)
            case .diskExpired: ("expired", .loads)
            case .cacheFailed: ("cacheFailed", .failures)
            case .misconfigured: ("misconfigured", .failures)
            }
        if name.isEmpty { return nil }
        self.level = level
        fields = [("event", .text(name))]
        if let load = event.load { fields.append(("load", .number(Int(clamping: load.number)))) }
        if let url = event.url { fields.append(("url", .text(url.absoluteString.withoutSecrets))) }
        addDetails(of: event.kind)
    }

    private mutating func addDetails(of kind: LoadEvent.Kind) {
        switch kind {
        case .progress, .requested: break
        case .coalesced(let leader): fields.append(("with", .number(Int(clamping: leader.number))))
        case .began(let stage): fields.append(("stage", .text(stage.rawValue)))
        case .ended(let stage, let outcome):
            fields.append(("stage", .text(stage.rawValue)))
            add(outcome)
        case .resumed(let offset): fields.append(("from", .number(offset)))
        case .retried(let attempt, let error, let delay):
            fields.append(("attempt", .number(attempt)))
            fields.append(("delay", .decimal(delay / .milliseconds(1))))
            fields.append(("error", .text("\(error)")))
        case .revalidated(_, let isChanged): if isChanged { fields.append(("changed", .flag)) }
        case .loaded(_, let source, let outcome):
            fields.append(("source", .text(source.rawValue)))
            add(outcome)
        case .failed(_, let outcome): add(outcome)
        case .diskEvicted(let entries), .diskExpired(let entries):
            fields.append(("entries", .number(entries.count)))
            fields.append(("bytes", .number(entries.reduce(0) { $0 + $1.byteCount })))
        case .cacheFailed(let failure): fields.append(("error", .text("\(failure)")))
        case .misconfigured(let error): fields.append(("error", .text("\(error)")))
        }
    }

    private mutating func add(_ outcome: StageOutcome) {
        fields.append(("milliseconds", .decimal(outcome.duration / .milliseconds(1))))
        if let bytes = outcome.bytes { fields.append(("bytes", .number(bytes))) }
        let flags: [(LoadFlags, String)] = [
            (.cached, "cached"), (.coalesced, "coalesced"), (.resumed, "resumed"), (.stale, "stale"),
            (.revalidated, "revalidated"), (.reusedConnection, "reusedConnection"),
        ]
        for (flag, name) in flags where outcome.flags.contains(flag) { fields.append((name, .flag)) }
        if let error = outcome.error { fields.append(("error", .text("\(error)"))) }
    }

    var json: String {
        "{" + fields.map { "\"\($0.name)\":\(Self.json($0.value))" }.joined(separator: ",") + "}"
    }

    private static func json(_ value: Value) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .number(let number): "\(number)"
        case .decimal(let number): rounded(number)
        case .flag: "true"
        }
    }

    var text: String {
        fields.map { field in
            switch field.value {
            case .text(let text): "\(field.name)=\(Self.isPlain(text) ? text : Self.quoted(text))"
            case .number(let number): "\(field.name)=\(number)"
            case .decimal(let number): "\(field.name)=\(Self.rounded(number))"
            case .flag: field.name
            }
        }.joined(separator: " ")
    }

    /// To thousandths.
    private static func rounded(_ number: Double) -> String { "\((number * 1_000).rounded() / 1_000)" }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { ("!"..."~").contains($0) && !"\"\\=".unicodeScalars.contains($0) }
    }

    /// As in JSON. Nothing in a text can end the line.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case ..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
