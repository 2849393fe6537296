/// A stage of a load.
@nonexhaustive
public enum LoadStage: String, Sendable, Hashable, CaseIterable {
    /// The look-up in memory.
    case memory
    /// The look-up on disk, or reading a local file.
    case disk
    /// Waiting for a download's slot. Not reported if one is free.
    case queued
    /// Connecting to the server, as part of ``download``. Reported only by transports that measure it.
    case connect
    /// From the connection to the head of the response, as part of ``download``. After redirects, those to their last
    /// target; what came before is in ``download`` alone.
    case firstByte
    /// An attempt to download, from the request to the end of the body.
    case download
    /// Decoding, waiting for its turn included.
    case decode
    /// Processing, waiting for its turn included.
    case process
    /// Decoding, processing and encoding for ``ImageLoader/encoded(for:as:)-(ImageRequest,_)``, waiting for a turn
    /// included.
    case encode
    /// Storing in the caches.
    case store
}

/// The outcome of a stage of a load.
public struct StageOutcome: Sendable, Equatable {
    // Events are copied and recorded, so they are small.
    private let time: Nanoseconds
    /// Negative for nil.
    private let count: Int
    /// Why it failed; nil if it succeeded.
    public let error: ImageLoaderError?
    /// Further facts, such as whether a cache had it.
    public let flags: LoadFlags

    /// How long it took, in whole nanoseconds.
    public var duration: Duration { time.duration }
    /// The bytes that were read, received or decoded; nil where there are none to count.
    public var bytes: Int? { count < 0 ? nil : count }

    /// Creates an outcome, as a test of an event sink needs it. `bytes` must not be negative.
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

    /// A cache had the result.
    public static let cached = Self(rawValue: 1)
    /// The stage shared the load of another caller.
    public static let coalesced = Self(rawValue: 2)
    /// A download continued where an earlier one had ended.
    public static let resumed = Self(rawValue: 4)
    /// The response in a cache is no longer fresh.
    public static let stale = Self(rawValue: 8)
    /// The server confirmed the response in a cache.
    public static let revalidated = Self(rawValue: 16)
    /// An open connection was used.
    public static let reusedConnection = Self(rawValue: 32)
}
