#if canImport(Darwin) || os(Linux) && Encryption
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// The names and messages of an encrypted store.
@Suite struct EntrySealTests {
    private let naming = EncryptionKey()
    private let old = EncryptionKey()
    private let seal: EntrySeal
    private let key = StoredKey("https://host.test/bird.png")
    private let body = Data("the bytes of an image".utf8)

    init() throws { seal = try #require(EntrySeal([old], naming: naming)) }

    /// - Parameter version: Nil for bytes that didn't come from a server.
    private func metadata(
        _ key: StoredKey? = nil, version: UInt64? = 5, expires: Int64? = 9, tags: Set<String> = ["bird"]
    ) -> StoredMetadata {
        let key = key ?? self.key
        var properties = EntryMetadata(source: key.source)
        properties.tags = tags
        properties.response = version.map {
            StoredResponse(
                headers: ["ETag": "\"visible\""],
                freshness: Freshness([:], status: 200, Freshness.Exchange(request: 1, response: 2)), version: $0)
        }
        properties.format = .png
        return StoredMetadata(properties, for: key, expires: expires, body: body)
    }

    private func sealed(_ metadata: StoredMetadata, by seal: EntrySeal? = nil) throws -> StoredEntry {
        var generator = SystemRandomNumberGenerator()
        let sealed = try (seal ?? self.seal).sealed(body, metadata, using: &generator)
        return StoredEntry(sealed.metadata, body: try #require(sealed.body))
    }

    /// The entry with another sealed part in its metadata.
    private func replaced(_ entry: StoredEntry, _ part: Data?) throws -> StoredEntry {
        var properties = try #require(entry.metadata.decoded)
        properties.sealed = part
        return StoredEntry(StoredMetadata(properties, for: entry.metadata.key), body: entry.body)
    }

    private func expect(_ failure: EntrySeal.Failure, _ entry: StoredEntry, _ seal: EntrySeal? = nil) {
        #expect(throws: failure) { try (seal ?? self.seal).opened(entry, readsBody: true) }
    }

    // MARK: Messages

    @Test(arguments: [5, nil] as [UInt64?]) func sealedEntry_isOpened(version: UInt64?) throws {
        let metadata = metadata(version: version)
        let entry = try sealed(metadata)
        let opened = try seal.opened(entry, readsBody: true)
        #expect(opened.metadata == metadata && opened.body == body)
        // The seal has checked the body.
        #expect(opened.metadata.check == nil)
        #expect(try seal.opened(entry.metadata) == metadata)
        #expect(try seal.opened(entry, readsBody: false).body.isEmpty)
        let restored = try #require(StoredMetadata(bytes: entry.metadata.bytes))
        #expect(try seal.opened(restored) == metadata)
    }

    @Test func everyChangedByte_andEveryTruncation_isDetected() throws {
        let entry = try sealed(metadata())
        let part = try #require(entry.metadata.decoded?.sealed)
        for index in entry.body.indices {
            var changed = entry
            changed.body[index] ^= 1
            // The bytes after the first one name the key.
            expect((1..<9).contains(index) ? .unknownKey : .changed, changed)
            expect(.changed, StoredEntry(entry.metadata, body: entry.body.prefix(index)))
        }
        for index in part.indices {
            var changed = part
            changed[index] ^= 1
            expect((1..<9).contains(index) ? .unknownKey : .changed, try replaced(entry, changed))
            expect(.changed, try replaced(entry, part.prefix(index)))
        }
        expect(.notEncrypted, try replaced(entry, nil))
        expect(.notEncrypted, StoredEntry(metadata(), body: body))
    }

    @Test func parts_areBoundToTheirEntry_andVersion() throws {
        let entry = try sealed(metadata())
        let others = try [
            sealed(metadata(StoredKey("https://host.test/other.png"))), sealed(metadata(key.made(as: "8"))),
            sealed(metadata(version: 6)), sealed(metadata(version: nil)),
        ]
        for other in others {
            expect(.changed, StoredEntry(entry.metadata, body: other.body))
            expect(.changed, StoredEntry(other.metadata, body: entry.body))
            expect(.changed, try replaced(entry, other.metadata.decoded?.sealed))
        }
        // One part can't stand in for the other.
        expect(.changed, StoredEntry(entry.metadata, body: try #require(entry.metadata.decoded?.sealed)))
        // Bytes without a version belong only to the metadata that they were stored with.
        expect(.changed, StoredEntry(try #require(others.last).metadata, body: try sealed(metadata(version: nil)).body))
    }

    @Test func newMetadata_fitsABodyOfItsVersion() throws {
        let entry = try sealed(metadata())
        var generator = SystemRandomNumberGenerator()
        let renewed = metadata(expires: 10, tags: ["owl"])
        let head = try seal.sealed(nil, renewed, using: &generator)
        #expect(head.body == nil && head.metadata.version == entry.metadata.version)
        let opened = try seal.opened(StoredEntry(head.metadata, body: entry.body), readsBody: true)
        #expect(opened.metadata == renewed && opened.body == body)
    }

    @Test func nonces_areNeverRepeated() throws {
        var nonces: Set<Data> = []
        let metadata = metadata()
        for _ in 0..<2_000 {
            let entry = try sealed(metadata)
            for message in [entry.body, try #require(entry.metadata.decoded?.sealed)] {
                nonces.insert(message[9..<21])
            }
        }
        #expect(nonces.count == 4_000)
    }

    // MARK: Keys

    @Test func newKeys_readWhatOldOnesWrote_butNotTheReverse() throws {
        let new = EncryptionKey()
        let rotated = try #require(EntrySeal([new, old], naming: naming))
        let (before, after) = (try sealed(metadata()), try sealed(metadata(), by: rotated))
        #expect(try rotated.opened(before, readsBody: true).body == body)
        #expect(try rotated.opened(after, readsBody: true).body == body)
        expect(.unknownKey, after)
        let last = try #require(EntrySeal([new], naming: naming))
        #expect(try last.opened(after, readsBody: true).body == body)
        expect(.unknownKey, before, last)
        #expect(EntrySeal([], naming: naming) == nil)
    }

    @Test func oneKey_mayServeForNamesAndContents() throws {
        let seal = try #require(EntrySeal([old], naming: old))
        #expect(try seal.opened(sealed(metadata(), by: seal), readsBody: true).body == body)
        #expect(Set(["a", "b", ""].map { old.derived(for: $0) }).count == 3)
    }

    /// The third test case of RFC 5869.
    @Test func derivedKey_isThatOfHKDF() throws {
        let bytes: [UInt8] = [
            0x19, 0xEF, 0x24, 0xA3, 0x2C, 0x71, 0x7B, 0x16, 0x7F, 0x33, 0xA9, 0x1D, 0x6F, 0x64, 0x8B, 0xDF,
            0x96, 0x59, 0x67, 0x76, 0xAF, 0xDB, 0x63, 0x77, 0xAC, 0x43, 0x4C, 0x1C, 0x29, 0x3C, 0xCB, 0x04,
        ]
        #expect(
            try EncryptionKey(Data(bytes)).derived(for: "").hexadecimal
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
    }

    @Test func key_isNotPrinted() throws {
        let key = EncryptionKey()
        var text = "\(key) \(String(reflecting: key)) \([key]) \(Mirror(reflecting: key).children.count)"
        dump([key], to: &text)
        #expect(!text.contains("\(key.data[0]), \(key.data[1])") && !text.contains(Array(key.data).hexadecimal))
        #expect(key.data.count == 32 && key.data != EncryptionKey().data)
        #expect(try EncryptionKey(key.data).data == key.data)
        for count in [0, 16, 31, 33] {
            let error = #expect(throws: ImageLoaderError.self) { try EncryptionKey(Data(count: count)) }
            #expect(error?.kind == .unsupportedConfiguration)
        }
    }

    // MARK: Names

    @Test func names_dependOnTheNamingKey_andOnNothingElse() throws {
        let same = try #require(EntrySeal([EncryptionKey(), old], naming: naming))
        let other = try #require(EntrySeal([old], naming: EncryptionKey()))
        let name = seal.name(of: key)
        #expect(same.name(of: key) == name && other.name(of: key).source != name.source)
        let made = seal.name(of: key.made(as: "8"))
        // Entries of one source have one source, and are different.
        #expect(made.source == name.source && made != name)
        #expect(name.source.utf8.count == 64 && name.text.utf8.count == 129)
        #expect(try sealed(metadata()).metadata.key == name)
    }

    @Test func selections_areThoseOfTheNames() throws {
        let entry = try sealed(metadata(tags: ["bird", "owl"])).metadata
        #expect(entry.tags.count == 2 && entry.expires == metadata().expires)
        for tag in ["bird", "owl"] {
            guard case .tag(let name) = seal.selection(.tag(tag)) else { throw Missing() }
            #expect(entry.tags.contains(name) && name != tag)
        }
        #expect(seal.selection(.keys([key])) == .keys([entry.key]))
        #expect(seal.selection(.source(key.source)) == .source(entry.key.source))
        #expect(seal.selection(.all) == .all && seal.selection(.expired) == .expired)
        // An equal text has other digests as a tag and as a source.
        #expect(seal.selection(.tag("a")) != .tag(seal.name(of: StoredKey("a")).source))
        // A made image is found by a tag.
        var properties = EntryMetadata(source: key.source)
        properties.original = key.text
        let made = StoredMetadata(properties, for: key.made(as: "8"))
        let tag = try #require(made.tags.first)
        #expect(seal.selection(.tag(tag)) == .tag(try #require(sealed(made).metadata.tags.first)))
    }

    @Test func versions_areDigests() throws {
        let version = try sealed(metadata(version: 5)).metadata.version
        let (same, other) = (try sealed(metadata(version: 5)), try sealed(metadata(version: 6)))
        #expect(version != nil && version != 5)
        #expect(same.metadata.version == version && other.metadata.version != version)
        // Equal versions of different entries look different.
        #expect(try sealed(metadata(key.made(as: "8"), version: 5)).metadata.version != version)
        #expect(try sealed(metadata(version: nil)).metadata.version != nil)
    }

    @Test func nothingOfTheEntry_isReadable() throws {
        let entry = try sealed(metadata())
        for text in ["host.test", "bird", "visible", "bytes of", "png"] {
            #expect(entry.metadata.bytes.range(of: Data(text.utf8)) == nil, "\(text)")
            #expect(entry.body.range(of: Data(text.utf8)) == nil, "\(text)")
        }
    }

    private struct Missing: Error {}
}
#endif
