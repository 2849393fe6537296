/// A stage of a load.
@nonexhaustive
public enum LoadStage: String, Sendable, Hashable, CaseIterable {
    /// The look-up in memory.
    case memory
    /// The look-up on disk, or reading a local file.
    case disk
    /// The wait for a download slot. Not reported if one is free.
    case queued
    /// The wait for a network, because there is none; see ``DownloadCoordinator/Settings/connectivityWait``.
    case offline
    /// Connecting to the server, as part of ``download``. Reported only by transports that measure it.
    case connect
    /// The time from the connection to the head of the response, as part of ``download``. After redirects, it covers
    /// only the last target; the time before is part of ``download`` alone.
    case firstByte
    /// An attempt to download, from the request to the end of the body.
    case download
    /// Decoding, including the wait for a turn.
    case decode
    /// Processing, including the wait for a turn.
    case process
    /// Decoding, processing and encoding for ``ImageLoader/encoded(for:as:)-(ImageRequest,_)``, including the wait for
    /// a turn.
    case encode
    /// Storing in the caches.
    case store
}

/// The outcome of a stage of a load.
public struct StageOutcome: Sendable, Equatable {
    // Kept small, because events are copied and recorded.
    private let time: Nanoseconds
    /// Negative for nil.
    private let count: Int
    /// The error that the stage failed with; nil if it succeeded.
    public let error: ImageLoaderError?
    /// Further facts, such as whether the result was cached.
    public let flags: LoadFlags

    /// The duration of the stage, in whole nanoseconds.
    public var duration: Duration { time.duration }
    /// The number of bytes that were read, received or decoded; nil if the stage has none.
    public var bytes: Int? { count < 0 ? nil : count }

    /// Creates an outcome, for tests of event sinks. `bytes` must not be negative.
    public init(
        duration: Duration, bytes: Int? = nil, flags: LoadFlags = [], error: ImageLoaderError? = nil
    ) {
        precondition(bytes ?? 0 >= 0, "bytes must not be negative: \(bytes ?? 0)")
        time = Nanoseconds(duration)
        count = bytes ?? -1
        self.flags = flags
        self.error = error
    }
}

/// Facts about a load or one of its stages.
public struct LoadFlags: OptionSet, Sendable, Hashable {
    /// One bit for each flag.
    public let rawValue: UInt8

    /// Creates the flags of a bit pattern.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The result was found in a cache.
    public static let cached = Self(rawValue: 1)
    /// The stage shared the load of another caller.
    public static let coalesced = Self(rawValue: 2)
    /// A download continued where an earlier one had ended.
    public static let resumed = Self(rawValue: 4)
    /// The response in a cache is no longer fresh.
    public static let stale = Self(rawValue: 8)
    /// The server confirmed the response in a cache.
    public static let revalidated = Self(rawValue: 16)
    /// An open connection was reused.
    public static let reusedConnection = Self(rawValue: 32)
}
