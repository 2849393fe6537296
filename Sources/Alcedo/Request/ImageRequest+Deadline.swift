extension ImageRequest {
    /// The longest time that a caller waits for its turn, for all attempts and fallbacks, and for decoding and
    /// processors.
    ///
    /// After that, its load ends with ``ImageLoaderError/timedOut(_:)`` (``ImageLoaderError/Timeout/deadline``) as if
    /// it were cancelled: callers that share it aren't affected. A stale image isn't returned instead.
    ///
    /// Default: nil, which applies ``ImageLoader/Configuration/deadline``. A deadline costs two Tasks for each load
    /// that isn't answered from memory. A value of zero or less throws
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    public var deadline: Duration? {
        get { box?.values.deadline }
        set { change { $0.deadline = newValue } }
    }
}
