import Alcedo
import Foundation

/// The options of all commands that download.
struct NetworkOptions: Equatable {
    /// The number of loads that run at a time; nil for the default.
    var jobs: Int?
    /// The longest time without receiving a byte; nil for the default.
    var timeout: Duration?
    /// The number of retries; nil for the default.
    var retries: Int?
    /// The longest time to wait for a network; nil for the default.
    var connectivityWait: Duration?
    var headers = HTTPHeaders()
    /// A file with certificate authorities; nil for those of the system.
    var authorities: URL?

    /// - Parameter standardAuthorities: The file with certificate authorities to use if no option names one.
    init(
        _ arguments: Arguments, standardAuthorities: String? = Self.standardAuthorities
    ) throws(UsageError) {
        jobs = try arguments.number("--jobs", in: 1...1_000)
        timeout = try arguments.seconds("--timeout")
        retries = try arguments.number("--retries", in: 0...100)
        connectivityWait = try arguments.seconds("--wait-for-network")
        headers.append(contentsOf: try arguments.fields("--header"))
        if let agent = try arguments.fieldValue("--user-agent") { headers["User-Agent"] = agent }
        guard let file = arguments.value("--cacert") ?? standardAuthorities, !file.isEmpty else { return }
        do throws(ImageLoaderError) {
            authorities = try Operand.fileURL(ofPath: file)
        } catch {
            throw arguments.refusal("the certificate authorities: \(ErrorText.of(error))")
        }
    }

    func apply(to configuration: inout ImageLoader.Configuration, slotsPerJob: Int = 1) {
        apply(to: &configuration.download, slotsPerJob: slotsPerJob)
        guard let authorities else { return }
        var transport = TransportSettings()
        transport.authorities = authorities
        configuration.dataLoader = Self.dataLoader(transport)
    }

    /// - Parameter slotsPerJob: The number of download slots required for each load to get one.
    func apply(to settings: inout DownloadCoordinator.Settings, slotsPerJob: Int = 1) {
        settings.maximumConcurrentDownloads = (jobs ?? settings.maximumConcurrentDownloads) * slotsPerJob
        settings.maximumConcurrentDownloadsPerHost =
            (jobs ?? settings.maximumConcurrentDownloadsPerHost) * slotsPerJob
        if let timeout { settings.idleTimeout = timeout }
        if let retries {
            settings.retry.attempts = retries + 1
            // Otherwise the retry budget of a host could end the retries of its only load.
            settings.retry.hostBudget = max(settings.retry.hostBudget, retries)
        }
        if let connectivityWait { settings.connectivityWait = connectivityWait }
        for field in headers { settings.headers.append(field) }
    }
}

#if os(Linux) && Curl
extension NetworkOptions {
    /// The file where programs that use OpenSSL look for authorities, if the user has set the variable.
    static var standardAuthorities: String? { ArgumentText.ofEnvironment("SSL_CERT_FILE") }

    fileprivate static func dataLoader(_ settings: TransportSettings) -> any DataLoading { CurlDataLoader(settings) }
}
#else
extension NetworkOptions {
    /// Always nil: URLSession doesn't use OpenSSL, so the variable is meant for other programs, and isn't an error.
    static var standardAuthorities: String? { nil }

    fileprivate static func dataLoader(_ settings: TransportSettings) -> any DataLoading {
        URLSessionDataLoader(settings)
    }
}
#endif
