import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The keys, metadata and bodies that a program's store handles.
@Suite struct StoredMetadataTests {
    private var directoryKey: DirectoryKey {
        var generator = SystemRandomNumberGenerator()
        return DirectoryKey(using: &generator)
    }

    private func metadata(of key: StoredKey, expires: Int64? = 9, body: Data? = nil) -> StoredMetadata {
        var properties = EntryMetadata(source: key.source)
        properties.response = StoredResponse(
            headers: ["ETag": "\"1\""], freshness: Freshness(endSecond: 9), version: 7)
        properties.tags = ["bird"]
        properties.format = .png
        properties.size = PixelSize(width: 3, height: 2)
        properties.storedAt = 5
        return StoredMetadata(properties, for: key, expires: expires, body: body)
    }

    @Test func metadata_isRestoredFromItsBytes() throws {
        let plain = StoredKey("http://h/a")
        for key in [plain, plain.made(as: "8"), StoredKey("http://h/a", secret: "s", under: directoryKey)] {
            for (expires, body) in [(nil, nil), (9, Data("some bytes".utf8)), (nil, Data())] as [(Int64?, Data?)] {
                let metadata = metadata(of: key, expires: expires, body: body)
                // As part of other bytes.
                let restored = try #require(StoredMetadata(bytes: (Data([7]) + metadata.bytes).dropFirst()))
                #expect(restored == metadata && restored.check == metadata.check)
                #expect(restored.key.source == key.source && restored.key.digest == key.digest)
                #expect(restored.bytes == metadata.bytes)
                #expect(restored.expires == expires.map { Date(timeIntervalSince1970: TimeInterval($0)) })
            }
        }
    }

    @Test func damagedBytes_areNoMetadata() {
        let bytes = metadata(of: StoredKey("http://h/a"), body: Data("b".utf8)).bytes
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(StoredMetadata(bytes: damaged) == nil, "\(index)")
            #expect(StoredMetadata(bytes: bytes.prefix(index)) == nil, "\(index)")
        }
        #expect(StoredMetadata(bytes: bytes + [0]) == nil)
    }

    @Test func properties_areThoseOfTheEntry() {
        let key = StoredKey("http://h/a")
        let original = metadata(of: key)
        #expect(original.tags == ["bird"] && original.version == 7 && !original.isProcessed)
        #expect(original.format == .png && original.size == PixelSize(width: 3, height: 2))
        #expect(original.storedAt == Date(timeIntervalSince1970: 5))
        var properties = EntryMetadata(source: key.source)
        properties.tags = ["bird"]
        properties.original = key.text
        let made = StoredMetadata(properties, for: key.made(as: "8"))
        #expect(made.isProcessed && made.version == nil && made.expires == nil)
        #expect(made.tags == ["bird", "\0made of http://h/a"])
    }

    @Test func metadata_isEqual_ifItIsOfTheSameKeyAndBytes() {
        let (key, other) = (StoredKey("http://h/a"), StoredKey("http://h/b"))
        #expect(metadata(of: key) == metadata(of: key, body: Data([1])))
        #expect(metadata(of: key) != metadata(of: other))
        #expect(metadata(of: key) != metadata(of: key, expires: 8))
    }

    // MARK: Keys

    @Test func key_isRestored_fromSourceAndText() {
        let key = StoredKey("http://h/a").made(as: "8")
        #expect(StoredKey(source: "http://h/a", text: key.text) == key)
        #expect(StoredKey(source: "http://h/a", text: "http://h/a") == StoredKey("http://h/a"))
        #expect(StoredKey(source: "http://h/a", text: "http://h/ab") == nil)
        #expect(StoredKey(source: "http://h/a", text: "http://h/") == nil)
    }

    @Test func keyOfSecret_isTheSameUnderTheSameDirectoryKey() {
        let (own, other) = (directoryKey, directoryKey)
        let key = StoredKey("http://h/a", secret: "s", under: own)
        #expect(key.under(other) == StoredKey("http://h/a", secret: "s", under: other))
        #expect(key.made(as: "8").under(other) == StoredKey("http://h/a", secret: "s", under: other).made(as: "8"))
        #expect(key.under(other).under(own) == key)
        #expect(!key.text.contains("s\n") && key != StoredKey("http://h/a"))
    }

    // MARK: Bodies

    @Test func body_isRead_fromMemoryAndFromFiles() async throws {
        let temporary = try TemporaryDirectory()
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let file = try BodyFile(in: temporary.url.path, FileSystem())
        try bytes.withUnsafeBytes { bytes in try file.append(bytes) }
        for body in [StoredBody(bytes), StoredBody(.file(file))] {
            #expect(body.count == bytes.count)
            #expect(try await body.data == bytes)
            let copy = temporary.url.appending(path: "copy")
            try await body.write(to: copy)
            #expect(try Data(contentsOf: copy) == bytes)
            let nowhere = temporary.url.appending(path: "none/copy")
            let error = await #expect(throws: ImageLoaderError.self) { try await body.write(to: nowhere) }
            #expect(error?.kind == .storeFailed)
        }
    }
}
