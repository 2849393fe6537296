import Foundation

/// The path's reports about its stages. Without a sink, each report costs the comparison with nil.
extension LoadPath {
    /// Begins a stage; nil if no sink listens.
    @inline(__always) func begin(_ stage: LoadStage, _ load: Load) -> OpenStage? {
        report == nil ? nil : open(stage, load.control.id, load.request)
    }

    @inline(never) func open(_ stage: LoadStage, _ load: LoadID, _ request: ImageRequest) -> OpenStage? {
        guard let report else { return nil }
        report(load, request.url, .began(stage))
        return OpenStage(report: report, load: load, url: request.url, stage: stage, start: report.now)
    }

    /// The image for a caller whose load is reported.
    ///
    /// - Parameter control: It has the id that events name.
    @inline(never) func image(
        for request: ImageRequest, _ control: LoadControl, _ report: EventReport
    ) async throws(ImageLoaderError) -> LoadedImage {
        let start = report.now
        report(control.id, request.url, .requested(request))
        do throws(ImageLoaderError) {
            if let problem { throw problem }
            let found = found(request)
            let look = StageOutcome(duration: report.now - start, flags: found?.flags ?? [])
            report(control.id, request.url, .ended(.memory, look))
            let loaded = if let found { found } else { try await missed(request, control).get() }
            let flags = loaded.flags.union(control.isShared ? .coalesced : [])
            let outcome = StageOutcome(duration: report.now - start, flags: flags)
            report(control.id, request.url, .loaded(request, source: loaded.source, outcome))
            return loaded
        } catch {
            let outcome = StageOutcome(duration: report.now - start, error: error)
            report(control.id, request.url, .failed(request, outcome))
            throw error
        }
    }

    /// The bytes for a caller whose load is reported.
    @inline(never) func dataResponse(
        for request: ImageRequest, _ control: LoadControl, _ readsBody: Bool, _ report: EventReport
    ) async throws(ImageLoaderError) -> DataResponse {
        let start = report.now
        report(control.id, request.url, .requested(request))
        do throws(ImageLoaderError) {
            let response = try await loadedData(for: request, control, readsBody)
            var flags: LoadFlags = response.source == .disk ? .cached : []
            if control.isShared { flags.insert(.coalesced) }
            if response.isStale { flags.insert(.stale) }
            let bytes = readsBody || !response.data.isEmpty ? response.data.count : nil
            let outcome = StageOutcome(duration: report.now - start, bytes: bytes, flags: flags)
            report(control.id, request.url, .loaded(request, source: response.source, outcome))
            return response
        } catch {
            let outcome = StageOutcome(duration: report.now - start, error: error)
            report(control.id, request.url, .failed(request, outcome))
            throw error
        }
    }
}

/// A stage of a load that has begun and was reported.
struct OpenStage {
    let report: EventReport
    let load: LoadID
    let url: URL?
    let stage: LoadStage
    let start: Duration

    @inline(never) func end(bytes: Int? = nil, flags: LoadFlags = [], error: ImageLoaderError? = nil) {
        let outcome = StageOutcome(duration: report.now - start, bytes: bytes, flags: flags, error: error)
        report(load, url, .ended(stage, outcome))
    }

    /// Ends a look-up in a cache that has an entry.
    @inline(never) func end<Usable, Held>(bytes: Int?, _ answer: CacheAnswer<Usable, Held>) {
        switch answer {
        case .usable: end(bytes: bytes, flags: .cached)
        case .held, .nothing: end(bytes: bytes, flags: .stale)
        }
    }
}

extension LoadedImage {
    fileprivate var flags: LoadFlags {
        var flags: LoadFlags = source == .memory || source == .disk ? .cached : []
        if staleReason != nil { flags.insert(.stale) }
        return flags
    }
}
