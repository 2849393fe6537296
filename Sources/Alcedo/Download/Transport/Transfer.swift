import Foundation

/// One attempt of a download, within the total timeout.
///
/// The attempt follows redirects from origin to origin, and starts over once if the server can't continue a partial
/// body.
struct Transfer: Sendable {
    let loader: any DataLoading
    var totalTimeout: Duration?
    let time: TimeSource

    /// - Parameters:
    ///   - move: Called between the loads of two origins. Returns the request to send, or nil to end the attempt. Its
    ///     time isn't counted.
    func run(
        _ request: DataRequest, into sink: ResponseSink, move: (DataRequest) async -> DataRequest?
    ) async -> Result<Download, ImageLoaderError> {
        // Most responses come from the first origin, in one exchange. Code that they don't need has separate frames.
        guard sink.rangeFields == nil else { return await run(request, within: totalTimeout, into: sink, move) }
        let start = time.now()
        if let error = await exchange(request, within: totalTimeout, into: sink) { return .failure(error) }
        if let next = sink.takeRedirect() { return await run(next, since: start, into: sink, move) }
        return Result { () throws(ImageLoaderError) in try sink.finish() }
    }

    @inline(never) private func run(
        _ next: DataRequest, since start: Duration, into sink: ResponseSink,
        _ move: (DataRequest) async -> DataRequest?
    ) async -> Result<Download, ImageLoaderError> {
        let remaining = totalTimeout.map { $0 - (time.now() - start) }
        guard let next = await move(next) else { return .failure(.cancelled) }
        return await run(next, within: remaining, into: sink, move)
    }

    @inline(never) private func run(
        _ request: DataRequest, within limit: Duration?, into sink: ResponseSink,
        _ move: (DataRequest) async -> DataRequest?
    ) async -> Result<Download, ImageLoaderError> {
        let fields = sink.rangeFields
        var (request, remaining) = (request, limit)
        while true {
            let start = time.now()
            let rest = sink.rangeFields
            let error = await exchange(rest.map(request.adding) ?? request, within: remaining, into: sink)
            remaining = remaining.map { $0 - (time.now() - start) }
            if let error {
                guard rest != nil, sink.startsOver else { return .failure(error) }
            } else if let next = sink.takeRedirect() {
                guard let next = await move(next) else { return .failure(.cancelled) }
                request = next.replacing(fields, by: request)
            } else {
                return Result { () throws(ImageLoaderError) in try sink.finish() }
            }
        }
    }

    /// The error that the load failed with; nil if it succeeded.
    @inline(never) private func exchange(
        _ request: DataRequest, within limit: Duration?, into sink: ResponseSink
    ) async -> ImageLoaderError? {
        guard let limit else { return await load(request, into: sink) }
        return await load(request, within: limit, into: sink)
    }

    @inline(never) private func load(
        _ request: DataRequest, within limit: Duration, into sink: ResponseSink
    ) async -> ImageLoaderError? {
        await withTaskGroup(of: ImageLoaderError?.self) { group in
            group.addTask { await load(request, into: sink) }
            group.addTask { await sleep(for: limit, of: sink) ? .timedOut(.total) : .cancelled }
            let first = await group.next()
            group.cancelAll()
            return first ?? .cancelled
        }
    }

    /// Sleeps for `limit`, not counting the transfer's pauses. Returns false if the Task was cancelled.
    private func sleep(for limit: Duration, of sink: ResponseSink) async -> Bool {
        var (rest, counted) = (limit, Duration.zero)
        while await time.sleep(for: rest) {
            let paused = sink.share?.pausedTime ?? .zero
            rest = max(paused - counted, sink.demand == .nothing ? .milliseconds(10) : .zero)
            if rest == .zero { return true }
            counted = paused
        }
        return false
    }

    @inline(never) private func load(_ request: DataRequest, into sink: ResponseSink) async -> ImageLoaderError? {
        do throws(ImageLoaderError) {
            try await loader.load(request, into: sink)
            return nil
        } catch {
            return error
        }
    }
}

extension DataRequest {
    /// A copy of this request in which the fields with the names in `fields` are those of `other`.
    fileprivate func replacing(_ fields: HTTPHeaders?, by other: DataRequest) -> DataRequest {
        var request = self
        for field in fields ?? [:] {
            request.headers[field.name] = nil
            request.headers.append(contentsOf: other.headers.fields(of: field.name))
        }
        return request
    }
}
