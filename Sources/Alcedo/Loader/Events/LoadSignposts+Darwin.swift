#if canImport(os)
import Foundation
import os

/// Passes the stages of loads to Instruments as signpost intervals, under the name of the stage.
///
/// ```swift
/// configuration.eventSinks = [LoadSignposts()]
/// ```
///
/// Costs next to nothing while Instruments doesn't record the category.
public struct LoadSignposts: LoadEventSink {
    private let log: OSLog

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - subsystem: The subsystem of the log. Default "alcedo".
    ///   - category: The category of the log. Default "loads".
    public init(subsystem: String = "alcedo", category: String = "loads") {
        log = OSLog(subsystem: subsystem, category: category)
    }

    /// Begins or ends an interval. Stages that report only their end, and callers' outcomes, are single events.
    public func receive(_ event: LoadEvent) {
        guard log.signpostsEnabled, let load = event.load else { return }
        let id = OSSignpostID(load.number)
        switch event.kind {
        case .began(let stage):
            os_signpost(
                .begin, log: log, name: Self.name(of: stage), signpostID: id, "%{public}@", event.url?.path ?? "")
        case .ended(let stage, let outcome):
            let type: OSSignpostType = Self.areIntervals.contains(stage) ? .end : .event
            os_signpost(type, log: log, name: Self.name(of: stage), signpostID: id, "%ld bytes", outcome.bytes ?? 0)
        case .loaded(_, let source, _):
            os_signpost(.event, log: log, name: "loaded", signpostID: id, "%{public}@", source.rawValue)
        case .failed(_, let outcome):
            let reason = outcome.error.map { "\($0.kind)" } ?? ""
            os_signpost(.event, log: log, name: "failed", signpostID: id, "%{public}@", reason)
        default: break
        }
    }

    /// The stages whose beginning is reported.
    private static let areIntervals: Set<LoadStage> = [
        .disk, .queued, .offline, .download, .decode, .process, .encode, .store,
    ]

    private static func name(of stage: LoadStage) -> StaticString {
        switch stage {
        case .memory: "memory"
        case .disk: "disk"
        case .queued: "queued"
        case .offline: "offline"
        case .connect: "connect"
        case .firstByte: "first byte"
        case .download: "download"
        case .decode: "decode"
        case .process: "process"
        case .encode: "encode"
        case .store: "store"
        }
    }
}
#endif
