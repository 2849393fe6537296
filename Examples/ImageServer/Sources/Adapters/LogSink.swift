public import Alcedo
public import Logging

/// Passes load events on to swift-log.
///
/// Failures are logged as warnings, outcomes of loads with the level `debug`, and stages with `trace`.
public struct LogSink: LoadEventSink {
    private let logger: Logger

    public init(_ logger: Logger) { self.logger = logger }

    public func receive(_ event: LoadEvent) {
        guard let level = level, let line = LoadLog.Line(event, at: level) else { return }
        let metadata = line.fields.map { ($0.name, Logger.MetadataValue.string($0.value)) }
        logger.log(
            level: Self.level(of: line), "\(line.event)", metadata: Dictionary(metadata) { first, _ in first })
    }

    /// The level up to which events are logged; nil if not even failures are.
    private var level: LoadLog.Level? {
        switch logger.logLevel {
        case .trace: .stages
        case .debug: .loads
        case .info, .notice, .warning: .failures
        case .error, .critical: nil
        }
    }

    private static func level(of line: LoadLog.Line) -> Logger.Level {
        switch line.level {
        case .failures: .warning
        case .loads: .debug
        case .stages: .trace
        }
    }
}
