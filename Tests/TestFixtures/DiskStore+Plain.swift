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
        // The clock of its upkeep stands still.
        self.init(valid: settings, calls: files, time: TimeSource(ManualClock()), onEvent: onEvent)
    }

    /// The bytes alone.
    func body(for key: DiskKey) async -> Data? { await entry(for: key)?.body }

    /// Stores bytes of which nothing is known.
    func store(_ body: Data, for key: DiskKey, begun ticket: Ticket) {
        store(body, EntryMetadata(source: key.source), for: key, begun: ticket)
    }

    /// Waits until the directory has been read, and whatever follows from that is done.
    func settle() async {
        await opened()
        await flush()
        await maintenanceIsIdle()
        await flush()
    }

    /// Waits until what takes long and was begun before is done.
    func maintenanceIsIdle() async { await maintenance.run {} }
}
