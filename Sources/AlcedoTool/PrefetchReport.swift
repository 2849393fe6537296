import Alcedo

/// The outcome of `alcedo prefetch`, as it is printed.
struct PrefetchReport: Encodable, Equatable {
    struct Failure: Encodable, Equatable {
        let url: String
        let error: String
        /// A raw value of `ImageLoaderError.Kind`.
        let errorKind: String

        init(_ url: String, _ error: ImageLoaderError) {
            self.url = ShownText.of(url: url)
            self.error = ErrorText.of(error)
            errorKind = error.kind.rawValue
        }
    }

    var total = 0
    /// The number of URLs that were loaded.
    var loaded = 0
    /// The number of URLs that were already in the cache.
    var cached = 0
    var failed = 0
    var receivedBytes = 0
    var failures: [Failure] = []

    /// - Parameters:
    ///   - progress: The last progress; nil if there was nothing to load.
    ///   - invalid: The number of lines that aren't valid URLs.
    init(_ progress: ImagePrefetcher.Progress?, _ failures: [Failure], invalid: Int) {
        if let progress {
            (total, loaded, cached, failed) = (progress.total, progress.finished, progress.skipped, progress.failed)
            receivedBytes = progress.receivedBytes
        }
        total += invalid
        failed += invalid
        self.failures = failures
    }

    /// One line for people to read.
    var line: String {
        var parts = ["\(total) \(total == 1 ? "URL" : "URLs"): \(loaded) loaded", "\(cached) already cached"]
        if failed > 0 { parts.append("\(failed) failed") }
        return parts.joined(separator: ", ") + " · \(ByteText.of(receivedBytes))"
    }
}
