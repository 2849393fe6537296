// Settings for the transfers of one request, where they differ from those of its loader.

extension ImageRequest {
    /// The longest time without a byte, including the time to connect. At least one millisecond. Default: nil, which
    /// applies ``DownloadCoordinator/Settings/idleTimeout``.
    ///
    /// See ``deadline`` for a limit to the whole load.
    public var idleTimeout: Duration? {
        get { transfer?.values.idleTimeout }
        set { changeTransfer { $0.idleTimeout = newValue } }
    }

    /// The rules for retrying failed downloads. Default: nil, which applies ``DownloadCoordinator/Settings/retry``. The
    /// ``RetryPolicy/hostBudget`` is always the loader's.
    public var retry: RetryPolicy? {
        get { transfer?.values.retry }
        set { changeTransfer { $0.retry = newValue } }
    }

    /// The longest time that the download waits for a network if there is none. With zero, it fails immediately.
    /// Default: nil, which applies ``DownloadCoordinator/Settings/connectivityWait``.
    public var connectivityWait: Duration? {
        get { transfer?.values.connectivityWait }
        set { changeTransfer { $0.connectivityWait = newValue } }
    }

    /// Whether the download may use a network in Low Data Mode. Default: true. Only ``URLSessionDataLoader`` on Apple's
    /// systems applies this; other transports can't detect such networks.
    public var allowsConstrainedNetwork: Bool {
        get { transfer?.values.allowsConstrainedNetwork ?? true }
        set { changeTransfer { $0.allowsConstrainedNetwork = newValue } }
    }

    /// Whether the download may use a network that costs money, such as a cellular one. Default: true. Only
    /// ``URLSessionDataLoader`` on Apple's systems applies this; other transports can't detect such networks.
    public var allowsExpensiveNetwork: Bool {
        get { transfer?.values.allowsExpensiveNetwork ?? true }
        set { changeTransfer { $0.allowsExpensiveNetwork = newValue } }
    }

    /// Nil if the loader's settings apply.
    var transfer: TransferChoices? { box?.values.transfer }

    private mutating func changeTransfer(_ edit: (inout TransferChoices.Values) -> Void) {
        change { options in
            var values = options.transfer?.values ?? TransferChoices.Values()
            edit(&values)
            options.transfer = values == TransferChoices.Values() ? nil : TransferChoices(values: values)
        }
    }
}

/// The transfer settings of a request. A class, because most requests have none.
final class TransferChoices: Sendable, Hashable {
    struct Values: Sendable, Hashable {
        var idleTimeout: Duration?
        var retry: RetryPolicy?
        var connectivityWait: Duration?
        var allowsConstrainedNetwork = true
        var allowsExpensiveNetwork = true
    }

    let values: Values

    init(values: Values) { self.values = values }

    static func == (left: TransferChoices, right: TransferChoices) -> Bool { left.values == right.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }

    func validate() throws(ImageLoaderError) {
        try ImageLoaderError.require("idleTimeout", values.idleTimeout, least: .milliseconds(1))
        try values.retry?.validate(as: "retry")
        try ImageLoaderError.require("connectivityWait", values.connectivityWait, least: .zero)
    }
}
