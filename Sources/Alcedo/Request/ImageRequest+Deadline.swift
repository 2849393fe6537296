extension ImageRequest {
    /// How long a caller waits at most, from its call: for its turn, all attempts and fallbacks, decoding and
    /// processors. Then its load ends with ``ImageLoaderError/timedOut(_:)`` (``ImageLoaderError/Timeout/deadline``) as
    /// if it were cancelled: others that share it aren't affected. A stale image isn't shown instead.
    ///
    /// Nil, the default, waits as ``ImageLoader/Configuration/deadline`` says. Costs two Tasks for each load that isn't
    /// answered from memory. A value of zero or less is ``ImageLoaderError/unsupportedConfiguration(_:)``.
    public var deadline: Duration? {
        get { box?.values.deadline }
        set { change { $0.deadline = newValue } }
    }
}
