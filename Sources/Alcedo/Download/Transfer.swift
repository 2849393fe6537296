import Foundation

/// One attempt of a download: what the transport does within the total time, from origin to origin, and once more from
/// the beginning when the server can't continue an earlier one.
struct Transfer: Sendable {
    let loader: any DataLoading
    let totalTimeout: Duration?
    let time: TimeSource

    /// - Parameters:
    ///   - move: called between the loads of two origins; false ends the attempt. Its time isn't counted.
    func run(
        _ request: DataRequest, into sink: ResponseSink, move: (DataRequest) async -> Bool
    ) async -> Result<Download, ImageLoaderError> {
        let fields = sink.rangeFields
        var request = request
        var remaining = totalTimeout
        while true {
            let start = time.now()
            let rest = sink.rangeFields
            let error = await exchange(rest.map(request.adding) ?? request, within: remaining, into: sink)
            remaining = remaining.map { $0 - (time.now() - start) }
            if let error {
                guard rest != nil, sink.startsOver else { return .failure(error) }
            } else if let next = sink.takeRedirect() {
                guard await move(next) else { return .failure(.cancelled) }
                request = next.replacing(fields, by: request)
            } else {
                return Result { () throws(ImageLoaderError) in try sink.finish() }
            }
        }
    }

    /// What the load failed with, nil if it didn't.
    private func exchange(
        _ request: DataRequest, within limit: Duration?, into sink: ResponseSink
    ) async -> ImageLoaderError? {
        guard let limit else { return await load(request, into: sink) }
        return await withTaskGroup(of: ImageLoaderError?.self) { group in
            group.addTask { await load(request, into: sink) }
            group.addTask { await time.sleep(for: limit) ? .timedOut(.total) : .cancelled }
            let first = await group.next()
            group.cancelAll()
            return first ?? .cancelled
        }
    }

    private func load(_ request: DataRequest, into sink: ResponseSink) async -> ImageLoaderError? {
        do throws(ImageLoaderError) {
            try await loader.load(request, into: sink)
            return nil
        } catch {
            return error
        }
    }
}

extension DataRequest {
    /// This request with the fields of those names that `other` has.
    fileprivate func replacing(_ fields: HTTPHeaders?, by other: DataRequest) -> DataRequest {
        var request = self
        for field in fields ?? [:] { request.headers[field.name] = other.headers[field.name] }
        return request
    }
}
