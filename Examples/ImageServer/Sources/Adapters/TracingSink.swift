public import Alcedo
import Foundation
import Synchronization
import Tracing

/// Creates a span for each load and for each of its stages, with swift-distributed-tracing.
///
/// The span of a load is a child of the caller's span. A load that shares the stages of another load links to that
/// load's span. Stages that continue for other callers after their load has ended have no spans.
public final class TracingSink: LoadEventSink {
    private struct Load {
        let span: any Span
        var stages: [LoadStage: any Span] = [:]
    }

    private let loads = Mutex<[LoadID: Load]>([:])

    public init() {}

    public func receive(_ event: LoadEvent) {
        guard let load = event.load else { return }
        switch event.kind {
        case .requested(let request):
            // The event is reported in the caller's Task, so the current span is the caller's.
            let span = startSpan("image load", context: .current ?? .topLevel, ofKind: .client)
            span.attributes["url.host"] = request.url?.host()
            loads.withLock { $0[load] = Load(span: span) }
        case .coalesced(let leader):
            loads.withLock { loads in
                guard let other = loads[leader] else { return }
                loads[load]?.span.addLink(SpanLink(context: other.span.context, attributes: [:]))
            }
        case .began(let stage):
            guard let parent = loads.withLock({ $0[load]?.span }) else { return }
            let span = startSpan("image \(stage)", context: parent.context)
            // The load may have ended in the meantime.
            let unused = loads.withLock { loads in
                loads[load] == nil ? span : loads[load]?.stages.updateValue(span, forKey: stage)
            }
            unused?.end()
        case .ended(let stage, let outcome):
            end(loads.withLock { $0[load]?.stages.removeValue(forKey: stage) }, outcome)
        case .loaded(_, let source, let outcome): end(load, source, outcome)
        case .failed(_, let outcome): end(load, nil, outcome)
        default: break
        }
    }

    private func end(_ id: LoadID, _ source: ImageSource?, _ outcome: StageOutcome) {
        guard let load = loads.withLock({ $0.removeValue(forKey: id) }) else { return }
        for stage in load.stages.values { stage.end() }
        load.span.attributes["alcedo.source"] = source?.rawValue
        end(load.span, outcome)
    }

    private func end(_ span: (any Span)?, _ outcome: StageOutcome) {
        guard let span else { return }
        span.attributes["alcedo.bytes"] = outcome.bytes
        if let error = outcome.error {
            span.recordError(LoadFailure(description: error.localizedDescription))
            span.setStatus(SpanStatus(code: .error, message: error.kind.rawValue))
        }
        span.end()
    }
}

/// An error whose description reveals no secrets in URLs.
private struct LoadFailure: Error, CustomStringConvertible {
    let description: String
}
