/// A place where a loader stores the files of images: on disk, in a database, or in a service on the network.
///
/// ``DiskStore`` is one. A program can implement others, or wrap a store to change what is stored. Pass a store to a
/// loader as a ``StoredTier``, which decides when entries are used, and checks them. See <doc:Stores>.
///
/// The functions are called from any thread, also at the same time, and must not block it. An error that they throw is
/// reported as an event, and counts as a miss; it doesn't fail the load. They may be called in a cancelled Task: writes
/// and removals must then still be carried out. A call that has ended, even with an error, must change nothing
/// afterwards. A store must not call its tier or a loader that uses it, because these may be waiting for the store.
public protocol ImageStore: Sendable {
    /// Returns the entry stored under `key`; nil if there is none.
    ///
    /// An entry is whole or absent: a store never returns the bytes of one entry with the metadata of another, or a
    /// part of the bytes.
    func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry?

    /// Stores an entry, replacing any existing one with the same key. Look-ups find it when this returns.
    ///
    /// A store that has a limit may remove other entries, or not store this one.
    ///
    /// - Parameters:
    ///   - body: The entry's bytes. With nil, those of the existing entry are kept and only its metadata is replaced,
    ///     provided that both have the same ``StoredMetadata/version``; otherwise, nothing changes. The comparison and
    ///     the replacement must be one step.
    ///   - metadata: The entry's key and metadata.
    func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError)

    /// Removes the selected entries. Look-ups don't find them when this returns.
    ///
    /// Every store must be able to remove any selection.
    func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError)

    /// Passes the metadata of the selected entries to `body`, in batches of at most some hundred.
    ///
    /// Every store must find entries by tag. A store that can't list others throws
    /// ``ImageLoaderError/unsupportedSelection(_:)`` for them; a loader then can't remove images by the prefix of their
    /// URL.
    func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError)

    /// Waits until everything stored and removed so far will survive the end of the process. Default: does nothing.
    func flush() async
}

extension ImageStore {
    /// Does nothing.
    public func flush() async {}
}
