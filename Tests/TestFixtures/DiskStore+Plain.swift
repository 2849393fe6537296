import AlcedoTestSupport
import Foundation

@testable import Alcedo

extension DiskStore {
    init(
        directory: String, byteLimit: Int, stagedByteLimit: Int = 64 << 20,
        files: any SystemCalls = PosixSystemCalls(),
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        var settings = DiskStore.Settings.bare(directory, byteLimit: byteLimit)
        settings.stagedByteLimit = stagedByteLimit
        // The maintenance never runs, because the clock doesn't move.
        self.init(valid: settings, calls: files, time: TimeSource(ManualClock()), onEvent: onEvent)
    }

    /// The bytes of an entry, without its metadata.
    func body(for key: StoredKey) async -> Data? { await entry(for: key)?.body }

    /// Stores bytes without further metadata.
    func store(_ body: Data, for key: StoredKey, begun ticket: Ticket) {
        store(body, EntryMetadata(source: key.source), for: key, begun: ticket)
    }

    /// Waits until the directory has been read and the work that follows from it is done.
    func settle() async {
        await opened()
        await flush()
        await maintenanceIsIdle()
        await flush()
    }

    /// Waits until the maintenance work that was begun before is done.
    func maintenanceIsIdle() async { await maintenance.run {} }
}
