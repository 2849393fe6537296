import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The key of a cache directory, which secrets are digested under.
@Suite(.timeLimit(.minutes(1))) struct DirectoryKeyTests: DiskSuite {
    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    private var file: String { temporary.file("cache/key") }

    private func newKey() -> DirectoryKey {
        var generator = SystemRandomNumberGenerator()
        return DirectoryKey(using: &generator)
    }

    private func secretKey(in disk: DiskStore) async -> StoredKey? { await disk.key("http://h/a", secret: "secret") }

    // MARK: The file

    @Test func wholeFile_isRead_andDamagedOneIsNot() throws {
        let key = newKey()
        let file = key.file
        #expect(file.count == DirectoryKey.fileLength)
        #expect(DirectoryKey(file: file) == key)
        #expect(DirectoryKey(file: Data()) == nil)
        #expect(DirectoryKey(file: Data(count: file.count)) == nil)
        #expect(DirectoryKey(file: file.dropLast()) == nil)
        #expect(DirectoryKey(file: file + [0]) == nil)
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 1
            #expect(DirectoryKey(file: damaged) == nil, "\(index)")
        }
    }

    @Test func keys_areRandom_andDigestIsKeyedCode() throws {
        #expect(newKey() != newKey())
        let key = newKey()
        #expect(key.digest(of: "secret").count == 64)
        #expect(key.digest(of: "secret") == key.digest(of: "secret"))
        #expect(key.digest(of: "secret") != newKey().digest(of: "secret"))
        let bytes = Array(key.file.dropFirst(8).prefix(32))
        #expect(key.digest(of: "secret") == SHA256.code(of: Array("secret".utf8), key: bytes).hexadecimal)
    }

    // MARK: The directory

    @Test func key_isCreatedOnce_forSecretsOnly() async throws {
        let disk = makeStore()
        await store(key, in: disk)
        #expect(await disk.body(for: key) == body)
        #expect(!FileManager.default.fileExists(atPath: file))
        let made = try #require(await secretKey(in: disk))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(await secretKey(in: makeStore()) == made)
        await disk.settle()
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
        #expect(failures.values.isEmpty)
    }

    @Test func key_isReadOnce() async throws {
        let disk = makeStore()
        _ = await secretKey(in: disk)
        let before = files.calls.count
        #expect(await secretKey(in: disk) != nil)
        #expect(await disk.key("http://h/b", secret: "another") != nil)
        #expect(files.calls.count == before)
    }

    @Test func entry_isFound_byItsOwnSecretOnly() async throws {
        let disk = makeStore()
        let key = try #require(await secretKey(in: disk))
        let other = try #require(await disk.key("http://h/a", secret: "other"))
        await store(key, in: disk)
        let read = try #require(DirectoryKey(file: Data(contentsOf: URL(fileURLWithPath: file))))
        #expect(key.text == "http://h/a\nvariant " + read.digest(of: "secret"))
        #expect(await makeStore().body(for: key) == body)
        #expect(await makeStore().body(for: other) == nil)
        // An entry under the right name, whose text is another's.
        try FileManager.default.copyItem(atPath: cache.file(key), toPath: cache.file(other))
        #expect(await makeStore().body(for: other) == nil)
    }

    @Test(arguments: [true, false]) func concurrentStores_agreeOnKey(isHeldBefore: Bool) async throws {
        let gate = ThreadGate()
        // Each has seen that there is none.
        files.hold(isHeldBefore ? .open : .link, on: isHeldBefore ? "/temporary/" : "/key", at: gate)
        let stores = (0..<4).map { _ in makeStore() }
        let keys = stores.map { store in Task { await secretKey(in: store) } }
        await gate.arrivals(4)
        gate.open()
        var found: Set<StoredKey> = []
        for key in keys { found.insert(try #require(await key.value)) }
        #expect(found.count == 1)
        #expect(await secretKey(in: makeStore()) == found.first)
        #expect(failures.values.isEmpty)
    }

    @Test(arguments: ["short", "empty", "directory", "link", "long"])
    func invalidKeyFile_isReplaced(kind: String) async throws {
        let old = try #require(await secretKey(in: makeStore()))
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        try FileManager.default.removeItem(atPath: file)
        let outside = temporary.file("outside")
        try whole.write(to: URL(fileURLWithPath: outside))
        switch kind {
        case "short": try whole.dropLast().write(to: URL(fileURLWithPath: file))
        case "empty": try Data().write(to: URL(fileURLWithPath: file))
        case "long": try (whole + whole).write(to: URL(fileURLWithPath: file))
        case "link": try #require(symlink(outside, file) == 0)
        default: try #require(mkdir(file, 0o700) == 0)
        }
        let disk = makeStore()
        let new = try #require(await secretKey(in: disk))
        #expect(new != old)
        #expect(await secretKey(in: makeStore()) == new)
        #expect(try Data(contentsOf: URL(fileURLWithPath: outside)) == whole)
        #expect(failures.values.isEmpty)
    }

    /// What the second one does not know when it moves the damaged file away is that it was replaced meanwhile.
    @Test(arguments: [SystemCall.open, .close])
    func damagedKeyFile_isReplacedOnce_byTwoProcesses(call: SystemCall) async throws {
        try #require(await secretKey(in: makeStore()) != nil)
        try Data("rubbish".utf8).write(to: URL(fileURLWithPath: file))
        let (slowFiles, gate) = (FaultySystemCalls(), ThreadGate())
        // It has opened the damaged file, or read it.
        slowFiles.hold(call, on: "/key", at: gate, after: true)
        let slow = DiskStore(directory: cache.path, byteLimit: 1 << 20, files: slowFiles) { [failures] in
            failures.record($0)
        }
        let second = Task { await secretKey(in: slow) }
        await gate.arrivals(1)
        let new = try #require(await secretKey(in: makeStore()))
        gate.open()
        #expect(await second.value == new)
        #expect(await secretKey(in: makeStore()) == new)
        #expect(failures.values.isEmpty)
    }

    @Test func missingKey_isReported_andNothingStored() async throws {
        let disk = makeStore()
        await store(key, in: disk)
        for code in [EACCES, EIO] {
            files.fail(.open, on: "/key", with: code)
            #expect(await secretKey(in: disk) == nil)
            files.fail(.open, on: "/key", with: nil)
        }
        #expect(failures.values.count == 2)
        #expect(failures.values.allSatisfy { $0.operation == .open && $0.path.hasSuffix("/key") })
        #expect(await disk.body(for: key) == body)
        files.fail(.link, with: EPERM)
        #expect(await secretKey(in: disk) == nil)
        files.heal()
        #expect(await secretKey(in: disk) != nil)
    }

    @Test func cancelledCaller_doesNotWait_unlessRequired() async throws {
        let disk = makeStore()
        let gate = ThreadGate()
        files.hold(.open, on: "/key", at: gate)
        let (hasty, patient) = (
            Task { await disk.key("http://h/a", secret: "secret") },
            Task { await disk.key("http://h/a", secret: "secret", evenIfCancelled: true) }
        )
        await gate.arrivals(2)
        hasty.cancel()
        patient.cancel()
        #expect(await hasty.value == nil)
        gate.open()
        #expect(await patient.value != nil)
    }

    @Test func removals_leaveKey() async throws {
        let disk = makeStore()
        let secret = try #require(await secretKey(in: disk))
        await store(secret, in: disk)
        await disk.removeAll()
        _ = await disk.remove(.all)
        _ = await disk.trim(toBytes: 0)
        _ = await disk.verify()
        await disk.sweep()
        await disk.settle()
        #expect(await disk.body(for: secret) == nil)
        #expect(await secretKey(in: makeStore()) == secret)
    }

    @Test func bundledDirectory_usesItsOwnKey() async throws {
        let maker = DiskStore(directory: temporary.file("bundle"), byteLimit: 1 << 20, files: files)
        let made = try #require(await secretKey(in: maker))
        await store(made, in: maker)
        var settings = DiskStore.Settings.bare(temporary.file("cache"), byteLimit: 1 << 20)
        settings.bundledDirectories = [URL(fileURLWithPath: temporary.file("bundle"))]
        func bundled() -> DiskStore {
            DiskStore(valid: settings, calls: files, onEvent: { [failures] in failures.record($0) })
        }
        let disk = bundled()
        let own = try #require(await secretKey(in: disk))
        #expect(own != made)
        #expect(await disk.body(for: own) == body)
        #expect(await disk.contains(own))
        let other = try #require(await disk.key("http://h/a", secret: "other"))
        #expect(await disk.body(for: other) == nil)
        #expect(failures.values.isEmpty)
        // Without it they can't be found.
        try FileManager.default.removeItem(atPath: temporary.file("bundle/key"))
        #expect(await bundled().body(for: own) == nil)
        #expect(failures.values.isEmpty)
        try Data("rubbish".utf8).write(to: temporary.url.appendingPathComponent("bundle/key"))
        #expect(await bundled().body(for: own) == nil)
        #expect(failures.values.map(\.path) == [temporary.file("bundle/key")])
    }
}
