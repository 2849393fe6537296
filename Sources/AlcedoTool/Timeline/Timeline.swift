import Alcedo
import Foundation

/// The stages of each load on one time axis, computed from a loader's events.
struct Timeline: Equatable {
    /// A stage that has ended, or was running at the last event.
    struct Segment: Equatable {
        var stage: LoadStage
        var start: Duration
        var end: Duration
        var bytes: Int?
        var flags: LoadFlags = []
        var error: ImageLoaderError?
    }

    /// The outcome of a load for its caller.
    enum Ending: Equatable {
        case loaded(ImageSource)
        case failed(ImageLoaderError)
        case underWay
    }

    struct Bar: Equatable {
        let load: LoadID
        var url: URL?
        var start: Duration
        /// The end of the caller's wait, or of the last stage if that is later.
        var end: Duration
        /// Outer stages come before their parts.
        var segments: [Segment] = []
        /// The load whose stages this one shares.
        var leader: LoadID?
        var ending = Ending.underWay

        var isCancelled: Bool { ending == .failed(.cancelled) }
    }

    /// The loads in the order in which they were requested. Times count from the first event.
    private(set) var bars: [Bar] = []
    private(set) var end = Duration.zero

    /// Creates the timeline of a loader's events, in the order of their delivery.
    init(_ events: [LoadEvent]) {
        guard let origin = events.map(\.time).min() else { return }
        var places: [LoadID: Int] = [:]
        var running: [LoadID: [LoadStage: Duration]] = [:]
        for event in events {
            guard let load = event.load else { continue }
            let time = event.time - origin
            let place = places[load] ?? bars.count
            if place == bars.count {
                places[load] = place
                bars.append(Bar(load: load, url: event.url, start: time, end: time))
            }
            end = max(end, time)
            bars[place].take(event.kind, at: time, &running[load, default: [:]])
        }
        for (load, stages) in running {
            guard let place = places[load] else { continue }
            for (stage, start) in stages { bars[place].add(Segment(stage: stage, start: start, end: end)) }
        }
        for index in bars.indices { bars[index].sort() }
    }
}

extension Timeline.Bar {
    fileprivate mutating func take(
        _ event: LoadEvent.Kind, at time: Duration, _ running: inout [LoadStage: Duration]
    ) {
        switch event {
        case .coalesced(let leader): self.leader = leader
        case .began(let stage): running[stage] = time
        case .ended(let stage, let outcome):
            let start = running.removeValue(forKey: stage) ?? max(.zero, time - outcome.duration)
            // After redirects, the last request was sent later than the first one.
            if stage == .firstByte { moveConnection(toEndAt: start) }
            add(
                Timeline.Segment(
                    stage: stage, start: start, end: time, bytes: outcome.bytes, flags: outcome.flags,
                    error: outcome.error))
            // A connection may be reported only with the head, or with the failure to get one. In that case it is drawn
            // at the start of the download, although redirects may have preceded it.
            if stage == .connect, outcome.error == nil, let sent = running[.download] {
                moveConnection(toEndAt: sent + outcome.duration)
            }
        case .loaded(_, let source, _): ending = .loaded(source)
        case .failed(_, let outcome): ending = outcome.error.map { .failed($0) } ?? .underWay
        default: return
        }
        end = max(end, time)
    }

    /// Moves the segment of the connection that was just reported, if there is one.
    private mutating func moveConnection(toEndAt end: Duration) {
        guard let last = segments.indices.last, segments[last].stage == .connect else { return }
        segments[last].start = max(.zero, segments[last].start - segments[last].end + end)
        segments[last].end = end
    }

    fileprivate mutating func add(_ segment: Timeline.Segment) {
        segments.append(segment)
        end = max(end, segment.end)
    }

    fileprivate mutating func sort() {
        segments.sort { one, other in
            if one.start != other.start { return one.start < other.start }
            return one.end != other.end ? one.end > other.end : one.stage == .download && other.stage != .download
        }
    }
}
