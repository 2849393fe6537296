public import Foundation

extension ImageLoader {
    /// Starts no download until ``resumeDownloads()``; those under way go on, and caches answer as ever.
    public func pauseDownloads() async { await path.downloads.pause() }

    /// Starts downloads again, the most urgent first.
    public func resumeDownloads() async { await path.downloads.resume() }

    /// Gives an origin a number of downloads at once of its own, in place of
    /// ``DownloadCoordinator/Settings/hostWidth``; nil takes it back. Those under way go on.
    ///
    /// - Parameters:
    ///   - width: at least 1. A transport may have a limit of its own, ``TransportSettings/connectionsPerHost``.
    ///   - url: any URL of the origin; its scheme, host and port count.
    public func setDownloadWidth(_ width: Int?, forHostOf url: URL) async {
        await path.downloads.setWidth(width, ofHost: url.hostKey)
    }

    /// What the downloads have come to so far.
    public var downloadStatistics: DownloadStatistics {
        get async {
            var statistics = await path.downloads.statistics
            statistics.coalesced += await path.flights.sharedCount
            return statistics
        }
    }

    /// The next load of `request` asks the server even if it failed a short while ago.
    public func forgetFailure(of request: ImageRequest) async { await path.downloads.forgetFailure(of: request) }

    /// ``forgetFailure(of:)`` for all requests.
    public func forgetFailures() async { await path.downloads.forgetAllFailures() }
}
