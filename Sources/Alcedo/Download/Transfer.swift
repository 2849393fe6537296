import Foundation

/// One attempt of a download: what the transport does, within the total time, and once more from the beginning when the
/// server can't continue an earlier one.
struct Transfer: Sendable {
    let loader: any DataLoading
    let totalTimeout: Duration?
    let time: TimeSource
    let report: EventReport

    /// - Parameter url: the one that events name.
    func run(
        _ request: DataRequest, of url: URL, into sink: ResponseSink
    ) async -> Result<Download, ImageLoaderError> {
        guard let totalTimeout else { return await exchange(request, of: url, into: sink) }
        return await withTaskGroup(of: Result<Download, ImageLoaderError>.self) { group in
            group.addTask { await exchange(request, of: url, into: sink) }
            group.addTask { .failure(await time.sleep(for: totalTimeout) ? .timedOut(.total) : .cancelled) }
            let first = await group.next() ?? .failure(.cancelled)
            group.cancelAll()
            return first
        }
    }

    private func exchange(
        _ request: DataRequest, of url: URL, into sink: ResponseSink
    ) async -> Result<Download, ImageLoaderError> {
        do throws(ImageLoaderError) {
            if let fields = sink.rangeFields {
                report(.downloadResumed(url, from: sink.resumableBytes))
                do throws(ImageLoaderError) {
                    try await loader.load(request.adding(fields), into: sink)
                    return .success(try sink.finish())
                } catch {
                    guard sink.startsOver else { throw error }
                }
            }
            try await loader.load(request, into: sink)
            return .success(try sink.finish())
        } catch {
            return .failure(error)
        }
    }
}
