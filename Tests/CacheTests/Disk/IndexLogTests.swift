import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct IndexLogTests {
    private static func name(_ number: Int) -> EntryName { StoredKey("http://h/\(number)").name }

    private let records: [IndexRecord] = [
        .entry(name(1), IndexedEntry(units: 8, lastUse: 1_700_000_000)),
        .used(name(1), at: 1_700_000_001),
        .entry(name(2), IndexedEntry(units: 1, lastUse: 2, expires: 3, tags: [4, 5, .max])),
        .removed(name(1)),
        .entry(name(3), IndexedEntry(units: .max, lastUse: .max, expires: .max, isUnread: true)),
        .entry(name(0), IndexedEntry(units: 0, lastUse: 0)),
        .used(name(9), at: .max),
        .removed(EntryName(source: 0, key: 0)),
        .removed(EntryName(source: .max, key: .max)),
        .entry(name(4), IndexedEntry(units: 8, lastUse: 5, isLeftover: true)),
    ]

    private func read(_ bytes: Data) -> (records: [IndexRecord], length: Int) {
        var records: [IndexRecord] = []
        let length = IndexLog.read(bytes) { records.append($0) }
        return (records, length)
    }

    /// Where each record ends.
    private var ends: [Int] { records.indices.map { IndexLog.bytes(of: Array(records[...$0])).count } }

    @Test func written_isRead() {
        let bytes = IndexLog.bytes(of: records)
        #expect(read(bytes).records == records)
        #expect(read(bytes).length == bytes.count)
        #expect(read(Data()).length == 0)
        // Behind something else.
        #expect(read((Data(count: 13) + bytes).dropFirst(13)).records == records)
    }

    @Test func everyTruncation_leavesRecordsBefore() {
        let bytes = IndexLog.bytes(of: records)
        let ends = ends
        for length in 0..<bytes.count {
            let (found, whole) = read(bytes.prefix(length))
            let count = ends.count { $0 <= length }
            must(found == Array(records.prefix(count)), "\(length) bytes")
            must(whole == (count > 0 ? ends[count - 1] : 0), "\(length) bytes")
        }
    }

    @Test func anyBitFlipped_leavesRecordsBefore() {
        let bytes = IndexLog.bytes(of: records)
        let ends = ends
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            let count = ends.count { $0 <= bit / 8 }
            must(read(damaged).records == Array(records.prefix(count)), "bit \(bit)")
        }
    }

    @Test func randomDamage_leavesRecordsBefore() {
        var random = SeededRandom(seed: Fuzz.seed)
        let bytes = IndexLog.bytes(of: records)
        let ends = ends
        for step in 0..<20_000 {
            var damaged = bytes
            let place = Int.random(in: 0..<bytes.count, using: &random)
            for offset in place..<min(bytes.count, place + Int.random(in: 1..<60, using: &random)) {
                damaged[offset] = UInt8.random(in: 0...255, using: &random)
            }
            let (found, whole) = read(damaged)
            // It may have hit what was there before.
            let count = max(found.count, ends.count { $0 <= place })
            must(found == Array(records.prefix(count)), "step \(step)")
            must(whole <= bytes.count, "step \(step)")
        }
    }

    /// A length or a kind that a checksum vouches for is still not believed.
    @Test func recordsOfOtherKinds_orLengths_endReading() {
        for kind in UInt8.min...9 {
            for length in [UInt16(0), 15, 16, 17, 20, 21, 24, 28, 29, 32, 36] {
                var bytes = Data([kind])
                bytes.append(integer: length)
                bytes.append(Data(repeating: 1, count: Int(length)))
                let sum = bytes.withUnsafeBytes { FastHash.hash($0, seed: 9) }
                bytes.append(integer: UInt32(truncatingIfNeeded: sum))
                let isKnown =
                    kind == 2 && length == 16 || kind == 3 && length == 20
                    || [1, 4, 5].contains(kind) && [28, 36].contains(length)
                must(read(bytes).records.count == (isKnown ? 1 : 0), "kind \(kind) of \(length)")
                must(read(bytes).length == (isKnown ? bytes.count : 0), "kind \(kind) of \(length)")
            }
        }
    }

    @Test func tagsThatFit_areStored_andMoreAreFlagged() {
        let tags = (0..<UInt64(IndexLog.mostTags)).map { $0 * 1_000_003 }
        let entry = IndexedEntry(units: 8, lastUse: 1, expires: 2, tags: tags)
        let more = IndexedEntry(units: 8, lastUse: 1, expires: 2, tags: tags + [.max])
        let bytes = IndexLog.bytes(of: [
            .entry(Self.name(1), entry), .entry(Self.name(2), more), .removed(Self.name(3)),
        ])
        var unread = more
        (unread.tags, unread.isUnread) = ([], true)
        #expect(
            read(bytes).records == [.entry(Self.name(1), entry), .entry(Self.name(2), unread), .removed(Self.name(3))])
    }

    // MARK: The header

    @Test func header_identifiesRun() {
        for run in [0, 1, UInt64.max] {
            #expect(IndexLog.header(run: run).count == IndexLog.headerLength)
            #expect(IndexLog.run(of: IndexLog.header(run: run)) == run)
            #expect(IndexLog.run(of: IndexLog.header(run: run) + IndexLog.bytes(of: records)) == run)
        }
        #expect(IndexLog.run(of: (Data([1]) + IndexLog.header(run: 5)).dropFirst()) == 5)
    }

    @Test func damagedHeader_isNone() {
        let header = IndexLog.header(run: 7)
        for length in 0..<header.count { #expect(IndexLog.run(of: header.prefix(length)) == nil) }
        for bit in 0..<(header.count * 8) {
            var damaged = header
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(IndexLog.run(of: damaged) == nil)
        }
        #expect(IndexLog.run(of: Data(count: 64)) == nil)
    }
}
