import Foundation

extension LoadLog {
    /// The log line of an event: a level and named fields.
    public struct Line: Sendable {
        private enum Value {
            case text(String), number(Int), decimal(Double), flag

            /// Decimal numbers are rounded to thousandths.
            var text: String {
                switch self {
                case .text(let text): text
                case .number(let number): "\(number)"
                case .decimal(let number): "\((number * 1_000).rounded() / 1_000)"
                case .flag: "true"
                }
            }
        }

        /// The lowest level at which the line is written.
        public let level: Level
        /// The name of the event, such as `loaded`.
        public let event: String
        private var details: [(name: String, value: Value)] = []

        /// Creates the line of an event; nil for progress, and for events that aren't written at the wanted level.
        ///
        /// - Parameters:
        ///   - event: The event.
        ///   - wanted: The level of the log. Default: all lines.
        public init?(_ event: LoadEvent, at wanted: Level = .stages) {
            let (name, level): (StaticString, Level) =
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
            if name.utf8CodeUnitCount == 0 || level.rawValue > wanted.rawValue { return nil }
            (self.level, self.event) = (level, "\(name)")
            if let load = event.load { details.append(("load", .number(Int(clamping: load.number)))) }
            if let url = event.url { details.append(("url", .text(url.absoluteString.withoutSecrets))) }
            addDetails(of: event.kind)
        }

        /// The fields in order, without the name of the event. The value of a flag is `true`.
        public var fields: [(name: String, value: String)] { details.map { ($0.name, $0.value.text) } }

        private mutating func addDetails(of kind: LoadEvent.Kind) {
            switch kind {
            case .progress, .requested: break
            case .coalesced(let leader): details.append(("with", .number(Int(clamping: leader.number))))
            case .began(let stage): details.append(("stage", .text(stage.rawValue)))
            case .ended(let stage, let outcome):
                details.append(("stage", .text(stage.rawValue)))
                add(outcome)
            case .resumed(let offset): details.append(("from", .number(offset)))
            case .retried(let attempt, let error, let delay):
                details.append(("attempt", .number(attempt)))
                details.append(("delay", .decimal(delay / .milliseconds(1))))
                details.append(("error", .text(error.publicText)))
            case .revalidated(_, let isChanged): if isChanged { details.append(("changed", .flag)) }
            case .loaded(_, let source, let outcome):
                details.append(("source", .text(source.rawValue)))
                add(outcome)
            case .failed(_, let outcome): add(outcome)
            case .diskEvicted(let entries), .diskExpired(let entries):
                details.append(("entries", .number(entries.count)))
                details.append(("bytes", .number(entries.reduce(0) { $0 + $1.byteCount })))
            case .cacheFailed(let failure): details.append(("error", .text("\(failure)")))
            case .misconfigured(let error): details.append(("error", .text(error.publicText)))
            }
        }

        private mutating func add(_ outcome: StageOutcome) {
            details.append(("milliseconds", .decimal(outcome.duration / .milliseconds(1))))
            if let bytes = outcome.bytes { details.append(("bytes", .number(bytes))) }
            let flags: [(LoadFlags, String)] = [
                (.cached, "cached"), (.coalesced, "coalesced"), (.resumed, "resumed"), (.stale, "stale"),
                (.revalidated, "revalidated"), (.reusedConnection, "reusedConnection"),
            ]
            for (flag, name) in flags where outcome.flags.contains(flag) { details.append((name, .flag)) }
            if let error = outcome.error { details.append(("error", .text(error.publicText))) }
        }

        var json: String {
            "{\"event\":\"\(event)\"" + details.map { ",\"\($0.name)\":\(Self.json($0.value))" }.joined() + "}"
        }

        private static func json(_ value: Value) -> String {
            switch value {
            case .text(let text): quoted(text)
            default: value.text
            }
        }

        var text: String {
            "event=\(event)"
                + details.map { field in
                    if case .flag = field.value { return " \(field.name)" }
                    let text = field.value.text
                    return " \(field.name)=\(Self.isPlain(text) ? text : Self.quoted(text))"
                }.joined()
        }

        private static func isPlain(_ text: String) -> Bool {
            !text.isEmpty
                && text.unicodeScalars.allSatisfy { ("!"..."~").contains($0) && !"\"\\=".unicodeScalars.contains($0) }
        }

        /// Quotes and escapes a text as in JSON, so that no character in it can end the line.
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
}
