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

    /// Entries written before responses were stored whole: with the end of their freshness, without it, or without any
    /// response.
    @Test func entriesOfEarlierVersions_areRead() throws {
        func field(_ kind: UInt8, _ value: [UInt8]) -> [UInt8] { [kind, UInt8(value.count), 0, 0, 0] + value }
        func number(_ number: Int64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        let source = field(1, Array("http://a.test/".utf8))
        let header = field(2, [13, 0, 0, 0] + Array("Cache-Controlmax-age=60".utf8))
        let stored = field(6, number(1_000))
        let bare = try #require(EntryMetadata(Data([1] + source + stored)))
        #expect(bare.response == nil && bare.storedAt == 1_000)
        let silent = try #require(EntryMetadata(Data([1] + source + header + stored)))
        #expect(silent.response?.freshness.endSecond == 1_060 && silent.response?.status == 200)
        let told = try #require(EntryMetadata(Data([1] + source + header + stored + field(10, number(1_030)))))
        #expect(told.response?.freshness.endSecond == 1_030 && told.response?.freshness.receivedSecond == 1_000)
        #expect(told.response?.headers["cache-control"] == "max-age=60")
        // Written again, it is an entry of today.
        #expect(EntryMetadata(told.encoded) == told)
        for damaged in [field(13, [1, 2, 3]), field(13, Array(repeating: 0xFF, count: 33))] {
            #expect(EntryMetadata(Data([1] + source + damaged)) == nil)
        }
    }

    @Test func fieldsOfUnknownKinds_areSkipped() {
        let unknown = Data([200, 3, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0])
        let bytes = full.encoded
        #expect(EntryMetadata(bytes.prefix(1) + unknown + bytes.dropFirst()) == full)
        #expect(EntryMetadata(bytes + unknown) == full)
        // Another decoder's format.
        let format = Data([3, 2, 0, 0, 0]) + Data("qq".utf8)
        #expect(EntryMetadata(EntryMetadata(source: "").encoded + format)?.format == ImageFormat(rawValue: "qq"))
    }

    @Test func otherVersions_areNotRead() {
        for version in UInt8.min...UInt8.max where version != 1 {
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
        for _ in 0..<100_000 {
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
        #expect(read > 1_000 && read < 99_000)
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
