public import Alcedo
import Metrics

/// Records loads and their stages with swift-metrics, in the backend that the program has set up.
///
/// - `alcedo.load.duration` by source, or by the kind of error if the load failed
/// - `alcedo.stage.duration` by stage
/// - `alcedo.received.bytes`, `alcedo.retries`, `alcedo.cache.failures`
public struct MetricsSink: LoadEventSink {
    public init() {}

    public func receive(_ event: LoadEvent) {
        switch event.kind {
        case .loaded(_, let source, let outcome):
            record("alcedo.load.duration", outcome, ("source", source.rawValue))
        case .failed(_, let outcome):
            record("alcedo.load.duration", outcome, ("error", outcome.error.map { $0.kind.rawValue } ?? ""))
        case .ended(let stage, let outcome):
            record("alcedo.stage.duration", outcome, ("stage", stage.rawValue))
            if stage == .download, let bytes = outcome.bytes {
                Counter(label: "alcedo.received.bytes").increment(by: bytes)
            }
        case .retried: Counter(label: "alcedo.retries").increment()
        case .cacheFailed: Counter(label: "alcedo.cache.failures").increment()
        default: break
        }
    }

    private func record(_ label: String, _ outcome: StageOutcome, _ dimension: (String, String)) {
        Timer(label: label, dimensions: [dimension]).record(duration: outcome.duration)
    }
}
