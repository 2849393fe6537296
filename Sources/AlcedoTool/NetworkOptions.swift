import Alcedo

/// The options of all commands that download.
struct NetworkOptions: Equatable {
    /// How many loads run at a time; nil for the default.
    var jobs: Int?
    /// The longest time without a byte; nil for the default.
    var timeout: Duration?
    /// Nil for the default.
    var retries: Int?
    var headers = HTTPHeaders()

    init(_ arguments: Arguments) throws(UsageError) {
        jobs = try arguments.number("--jobs", in: 1...1_000)
        timeout = try arguments.seconds("--timeout")
        retries = try arguments.number("--retries", in: 0...100)
        headers.append(contentsOf: try arguments.fields("--header"))
        if let agent = try arguments.fieldValue("--user-agent") { headers["User-Agent"] = agent }
    }

    /// - Parameter slotsPerJob: How many download slots there must be for each load to get one.
    func apply(to settings: inout DownloadCoordinator.Settings, slotsPerJob: Int = 1) {
        settings.maximumConcurrentDownloads = (jobs ?? settings.maximumConcurrentDownloads) * slotsPerJob
        settings.maximumConcurrentDownloadsPerHost =
            (jobs ?? settings.maximumConcurrentDownloadsPerHost) * slotsPerJob
        if let timeout { settings.idleTimeout = timeout }
        if let retries {
            settings.retry.attempts = retries + 1
            // Otherwise the budget of a host could end the retries of its only load.
            settings.retry.hostBudget = max(settings.retry.hostBudget, retries)
        }
        for field in headers { settings.headers.append(field) }
    }
}
