/// The caches of a loader.
public struct CacheTiers: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The memory cache.
    public static let memory = CacheTiers(rawValue: 1)
    /// The disk cache.
    public static let disk = CacheTiers(rawValue: 2)
    /// Both caches.
    public static let all: CacheTiers = [.memory, .disk]
}
