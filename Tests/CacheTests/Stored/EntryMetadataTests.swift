import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct EntryMetadataTests {
    private let full: EntryMetadata = {
        var metadata = EntryMetadata(source: "https://example.com/ä.png")
        metadata.response = StoredResponse(
            status: 410, headers: ["ETag": "\"a:b\"", "Vary": "", "X-Ü": "ß → ü", "etag": "twice"],
            freshness: Freshness(
                ["Age": "3", "Cache-Control": "max-age=8, stale-while-revalidate=4, immutable"], status: 200,
                Freshness.Exchange(request: 1_000, response: 1_002)), version: .max)
        metadata.format = .webp
        metadata.size = PixelSize(width: .max, height: .min)
        metadata.tags = ["", "bird", "\u{1F426}", "line\nbreak"]
        metadata.storedAt = -1
        metadata.original = "https://example.com/ä.png\n8"
        metadata.originalFormat = .jpeg
        metadata.originalSize = PixelSize(width: 0, height: .max)
        metadata.isOpaque = true
        metadata.profile = Data([0, 255, 1])
        metadata.sealed = Data([7, 0])
        return metadata
    }()

    @Test func written_isRead() {
        #expect(EntryMetadata(full.encoded) == full)
        let bare = EntryMetadata(source: "")
        #expect(EntryMetadata(bare.encoded) == bare)
        for format in ImageFormat.known {
            var metadata = bare
            metadata.format = format
            #expect(EntryMetadata(metadata.encoded) == metadata)
        }
        // As part of a file.
        #expect(EntryMetadata((Data([7, 7, 7]) + full.encoded).dropFirst(3)) == full)
    }

    @Test func sameMetadata_areSameBytes() {
        var other = EntryMetadata(source: full.source)
        other = full
        other.tags = Set(full.tags.sorted().reversed())
        #expect(other.encoded == full.encoded)
    }

    /// A mark that joins what is before it, and whatever else a server may send.
    @Test func headersWithAnyCharacters_roundTrip() {
        for text in ["\u{301}", "\r\n", ":", "", "a:b", "\n", "\0", "\u{200D}x"] {
            var metadata = EntryMetadata(source: text)
            metadata.response = StoredResponse(
                headers: HTTPHeaders([(text, text), ("a", text), (text, "a")]), freshness: Freshness(endSecond: 9),
                version: 1)
            #expect(EntryMetadata(metadata.encoded) == metadata, "\(text.debugDescription)")
        }
    }

    @Test func fieldsOfUnknownKinds_areRejected() {
        let unknown = Data([200, 3, 0, 0, 0, 1, 2, 3])
        #expect(EntryMetadata(full.encoded + unknown) == nil)
        // Another decoder's format.
        let format = Data([3, 2, 0, 0, 0]) + Data("qq".utf8)
        #expect(EntryMetadata(EntryMetadata(source: "").encoded + format)?.format == ImageFormat(rawValue: "qq"))
    }

    @Test(arguments: [3, 33])
    func damagedResponse_isRejected(length: Int) {
        let field = Data([12, UInt8(length), 0, 0, 0]) + Data(repeating: 0xFF, count: length)
        #expect(EntryMetadata(EntryMetadata(source: "").encoded + field) == nil)
    }

    @Test func otherVersions_areNotRead() {
        for version in UInt8.min...UInt8.max where version != full.encoded.first {
            #expect(EntryMetadata(Data([version]) + full.encoded.dropFirst()) == nil)
        }
        #expect(EntryMetadata(Data()) == nil)
    }

    @Test func everyTruncation_isWholeFieldsOrNothing() {
        let bytes = full.encoded
        var ends: Set<Int> = [1]
        var end = 1
        while end < bytes.count {
            end += 5 + Int(bytes.integer(at: end + 1, as: UInt32.self))
            ends.insert(end)
        }
        #expect(end == bytes.count)
        for length in 0..<bytes.count { must((EntryMetadata(bytes.prefix(length)) != nil) == ends.contains(length)) }
    }

    @Test(arguments: [(4, 15), (4, 17), (9, 15), (9, 17), (6, 7), (6, 9), (2, 3)])
    func fieldsOfWrongLength_areRejected(kind: Int, length: Int) {
        let field = Data([UInt8(kind), UInt8(length), 0, 0, 0]) + Data(repeating: 0, count: length)
        #expect(EntryMetadata(EntryMetadata(source: "").encoded + field) == nil)
    }

    @Test func nameLongerThanItsField_isRejected() {
        for length in [UInt32(2), 255, .max] {
            var field = Data([2, 5, 0, 0, 0])
            field.append(integer: length)
            #expect(EntryMetadata(EntryMetadata(source: "").encoded + field + [0x41]) == nil)
        }
    }

    @Test func anyBytes_areHandled() {
        var random = SeededRandom(seed: Fuzz.seed)
        let bytes = full.encoded
        var read = 0
        let count = Fuzz.steps * 2
        for _ in 0..<count {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                damaged[place] = UInt8.random(in: 0...255, using: &random)
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                damaged = damaged.prefix(Int.random(in: 1...damaged.count, using: &random))
            }
            if EntryMetadata(damaged) != nil { read += 1 }
        }
        #expect(read > count / 100 && read < count * 99 / 100)
    }

    @Test func entry_isFound_byTagsAndSource() {
        var metadata = EntryMetadata(source: "s")
        #expect(metadata.hashes.isEmpty)
        metadata.tags = ["b", "a"]
        #expect(metadata.hashes == [TagSets.hash("a"), TagSets.hash("b")].sorted())
        metadata.original = "o"
        let made = TagSets.hash(EntryMetadata.tag(ofOriginal: "o"))
        #expect(metadata.hashes == [TagSets.hash("a"), TagSets.hash("b"), made].sorted())
        #expect(metadata.tags == ["a", "b"])
    }
}
