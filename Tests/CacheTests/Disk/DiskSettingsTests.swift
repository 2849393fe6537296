import Alcedo
import Testing

/// What a store goes by that is told nothing.
@Suite struct DiskSettingsTests {
    @Test func defaultLimit_isBounded() {
        #expect(DiskStore.Settings.defaultMaximumBytes(free: 3 << 30, held: 2 << 30) == (5 << 30) / 10)
        #expect(DiskStore.Settings.defaultMaximumBytes(free: 0, held: 0) == 64 << 20)
        #expect(DiskStore.Settings.defaultMaximumBytes(free: 1 << 40, held: 0) == 1 << 30)
        #expect(DiskStore.Settings.defaultMaximumBytes(free: .max, held: .max) == 1 << 30)
    }

    @Test func loadersDefaults_areAsDocumented() {
        let disk = DiskStore.Settings()
        #expect(disk.maximumBytes == nil && disk.maximumEntryCount == nil)
        #expect(disk.timeToLive == .seconds(7 * 86_400))
        #expect(disk.minimumFreeBytes == 64 << 20)
        #expect(disk.contents == .automatic && disk.synchronization == .never && disk.bundledDirectories.isEmpty)
    }
}
