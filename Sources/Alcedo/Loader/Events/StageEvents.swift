import Foundation

/// Reports the path's stages. Without a sink, each report costs only a comparison with nil.
extension LoadPath {
    /// Reports the beginning of a stage. Returns nil if there is no sink.
    func begin(_ stage: LoadStage, _ load: some RunningLoad) -> OpenStage? {
        guard let report else { return nil }
        let (id, url) = (load.control.id, load.request.url)
        report(id, url, .began(stage))
        return OpenStage(report: report, load: id, url: url, stage: stage, start: report.now)
    }

    /// Returns the image, and reports the caller's load.
    func image(
        for request: ImageRequest, _ control: LoadControl, _ report: EventReport
    ) async throws(ImageLoaderError) -> LoadedImage {
        let events = CallerEvents(of: request, control, report)
        return try await reported(events) { () async throws(ImageLoaderError) in
            let known = outcomeInAdvance(of: request)
            events.looked(known)
            if let known { return try known.get() }
            return try await missed(request, control).get()
        }
    }

    /// The outcome if it is known without waiting: the loader's problem, or the image in memory.
    func outcomeInAdvance(of request: ImageRequest) -> Outcome? {
        if let problem { return Outcome(.failure(problem)) }
        return found(request).map { Outcome(.success($0)) }
    }

    /// Reports the beginning of a caller's load. Returns nil if there is no sink.
    func events(of request: ImageRequest, _ control: LoadControl) -> CallerEvents? {
        report.map { CallerEvents(of: request, control, $0) }
    }

    /// Runs `load`, and reports its end.
    func reported<Value: ReportedResult>(
        _ events: CallerEvents?, load: () async throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value {
        do throws(ImageLoaderError) {
            let value = try await load()
            events?.end(.success(value))
            return value
        } catch {
            events?.end(Result<Value, ImageLoaderError>.failure(error))
            throw error
        }
    }
}

/// The result of a caller's load.
protocol ReportedResult: Sendable {
    var source: ImageSource { get }
    var staleReason: StaleReason? { get }
    /// The number of bytes that the caller gets; nil for an image.
    var byteCount: Int? { get }
}

extension ReportedResult {
    fileprivate var flags: LoadFlags {
        var flags: LoadFlags = source == .memory || source == .disk ? .cached : []
        if staleReason != nil { flags.insert(.stale) }
        return flags
    }
}

extension LoadedImage: ReportedResult {
    var byteCount: Int? { nil }
}

extension DataResponse: ReportedResult {
    var byteCount: Int? { data.count }
}

extension EncodedImage: ReportedResult {
    var source: ImageSource { head.source }
    var staleReason: StaleReason? { head.staleReason }
    var byteCount: Int? { data.count }
}

extension ConditionalImage: ReportedResult {
    private var head: EncodedImage.Head {
        switch self {
        case .modified(let image): image.head
        case .notModified(let head): head
        }
    }

    var source: ImageSource { head.source }
    var staleReason: StaleReason? { head.staleReason }
    var byteCount: Int? { if case .modified(let image) = self { image.data.count } else { nil } }
}

/// Reports a caller's load, from its request to its end.
struct CallerEvents: Sendable {
    private let request: ImageRequest
    private let control: LoadControl
    private let report: EventReport
    private let start: Duration

    init(of request: ImageRequest, _ control: LoadControl, _ report: EventReport) {
        (self.request, self.control, self.report, start) = (request, control, report, report.now)
        report(control.id, request.url, .requested(request))
    }

    /// Reports the look-up in memory, which a loader with a problem doesn't have.
    ///
    /// - Parameter outcome: The outcome known in advance; nil if the image isn't in memory.
    func looked(_ outcome: LoadPath.Outcome?) {
        var flags: LoadFlags = []
        switch outcome?.result {
        case .failure: return
        case .success(let loaded): flags = loaded.flags
        case nil: break
        }
        let look = StageOutcome(duration: report.now - start, flags: flags)
        report(control.id, request.url, .ended(.memory, look))
    }

    func end(_ result: Result<some ReportedResult, ImageLoaderError>) {
        let time = report.now - start
        switch result {
        case .success(let value):
            let flags = value.flags.union(control.isShared ? .coalesced : [])
            let outcome = StageOutcome(duration: time, bytes: value.byteCount, flags: flags)
            report(control.id, request.url, .loaded(request, source: value.source, outcome))
        case .failure(let error):
            report(control.id, request.url, .failed(request, StageOutcome(duration: time, error: error)))
        }
    }
}

/// A stage whose beginning was reported.
struct OpenStage {
    let report: EventReport
    let load: LoadID
    let url: URL?
    let stage: LoadStage
    let start: Duration

    func end(bytes: Int? = nil, flags: LoadFlags = [], error: ImageLoaderError? = nil) {
        let outcome = StageOutcome(duration: report.now - start, bytes: bytes, flags: flags, error: error)
        report(load, url, .ended(stage, outcome))
    }

    /// Reports the end of a cache look-up that found an entry.
    func end<Usable, Held>(bytes: Int?, _ answer: CacheAnswer<Usable, Held>) {
        switch answer {
        case .usable: end(bytes: bytes, flags: .cached)
        case .unconfirmed, .nothing: end(bytes: bytes, flags: .stale)
        }
    }
}
