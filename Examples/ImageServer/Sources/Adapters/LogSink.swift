public import Alcedo
public import Logging

/// Passes the events of loads on to swift-log.
///
/// Failures are warnings, outcomes of loads have the level `debug`, and stages `trace`.
public struct LogSink: LoadEventSink {
    private let logger: Logger

    public init(_ logger: Logger) { self.logger = logger }

    public func receive(_ event: LoadEvent) {
        guard let level = level, let line = LoadLog.Line(event, at: level) else { return }
        let metadata = line.fields.map { ($0.name, Logger.MetadataValue.string($0.value)) }
        logger.log(
            level: Self.level(of: line), "\(line.event)", metadata: Dictionary(metadata) { first, _ in first })
    }

    /// The level that the logger writes; nil if it writes no failures.
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
