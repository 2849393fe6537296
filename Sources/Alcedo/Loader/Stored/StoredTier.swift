/// The disk tier of a loader over any ``ImageStore``.
///
/// A tier decides when entries are used, expire and are removed, and checks what the store returns, so that a store
/// only has to keep bytes. A loader that is given no tier makes its own ``DiskStore``.
///
/// ```swift
/// let tier = try StoredTier(store)
/// let loader = ImageLoader(store: tier)
/// ```
///
/// A tier may be shared between loaders. While a tier is in use, entries must be removed through it or a loader,
/// because it orders removals and the writes of running loads: an entry that was removed isn't stored again by a load
/// that began earlier.
///
/// The tier waits for a slow store only until ``Settings/deadline``. A failure of the store is reported as
/// an event; reads then count as misses, and the load continues.
public final class StoredTier: Sendable {
    typealias Ticket = StoreLedger.Ticket

    /// Where the entries are. A ``DiskStore`` checks removals itself, in the turns that change its index.
    enum Place: Sendable {
        case disk(DiskStore)
        case other(GuardedStore)
    }

    let place: Place

    /// Creates a tier.
    ///
    /// A ``DiskStore`` keeps its own settings.
    ///
    /// - Parameters:
    ///   - store: The store. Only one tier should use it.
    ///   - settings: The tier's settings. For a ``DiskStore``, they must be the default ones.
    ///   - onEvent: Called for each failure of the store, on any thread. It should return quickly. A ``DiskStore``
    ///     reports its failures to the closure that it was created with.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting that is out of range.
    public convenience init(
        _ store: any ImageStore, _ settings: Settings = Settings(),
        onEvent: (@Sendable (CacheFailure) -> Void)? = nil
    ) throws(ImageLoaderError) {
        try self.init(store, settings, time: TimeSource(), onEvent: onEvent)
    }

    /// - Parameter time: Used for deadlines and expiries.
    package init(
        _ store: any ImageStore, _ settings: Settings, time: TimeSource,
        onEvent: (@Sendable (CacheFailure) -> Void)? = nil
    ) throws(ImageLoaderError) {
        try settings.validate()
        if let disk = store as? DiskStore {
            guard settings == Settings() else {
                throw .unsupportedConfiguration(
                    "a DiskStore has its own settings, so those of its tier must not be set")
            }
            place = .disk(disk)
        } else {
            place = .other(GuardedStore(store, settings, time) { onEvent?($0) })
        }
    }

    init(_ disk: DiskStore) { place = .disk(disk) }

    /// The store.
    public var store: any ImageStore {
        switch place {
        case .disk(let disk): disk
        case .other(let guarded): guarded.store
        }
    }

    /// The disk cache, if that is the store.
    var disk: DiskStore? { if case .disk(let disk) = place { disk } else { nil } }

    /// Identifies the entries: tiers of one disk cache have the same identity.
    var identity: ObjectIdentifier {
        switch place {
        case .disk(let disk): ObjectIdentifier(disk)
        case .other(let guarded): ObjectIdentifier(guarded)
        }
    }

    /// Whether originals, processed images or both are stored.
    var contents: DiskContents {
        switch place {
        case .disk(let disk): disk.settings.contents
        case .other(let guarded): guarded.settings.contents
        }
    }

    /// The place for bodies of more than `memoryLimit` bytes; nil if it doesn't depend on the store.
    func bodyPlace(above memoryLimit: Int) -> BodyPlace? {
        switch place {
        case .disk(let disk): disk.bodyPlace(above: memoryLimit)
        case .other(let guarded):
            (guarded.store as? any ConfidentialStore)?.isConfidential == true
                ? BodyPlace(BodyPlace.temporaryDirectory, above: .max) : nil
        }
    }

    /// Whether a look-up may have missed an entry because the store was slow.
    var mayBeLate: Bool {
        switch place {
        case .disk: false
        case .other(let guarded): guarded.settings.deadline != nil
        }
    }

    // MARK: Removing

    /// Removes the selected entries.
    ///
    /// They are gone from the store on return. A load that began earlier can't store its result. Cancelling doesn't
    /// shorten the wait.
    /// - Throws: ``ImageLoaderError/unsupportedSelection(_:)`` if the store can't list its entries, which removing by a
    ///   prefix requires, and the error of a store that failed.
    public func remove(_ selection: CacheSelection) async throws(ImageLoaderError) {
        if let error = await removed(selection, by: nil) { throw error }
    }

    /// Removes the entries for which `matches` returns true; see ``remove(_:)``.
    ///
    /// Lists all entries of the store.
    public func remove(
        where matches: @escaping @Sendable (StoredMetadata) -> Bool
    ) async throws(ImageLoaderError) {
        if let error = await removed(where: matches) { throw error }
    }

    /// Waits until everything stored and removed so far has been carried out, and will survive the end of the process.
    ///
    /// Cancelling doesn't shorten the wait.
    public func flush() async {
        switch place {
        case .disk(let disk): await disk.flush()
        case .other(let guarded): await guarded.flush()
        }
    }
}
