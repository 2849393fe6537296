import Foundation

/// The format of the index file: a snapshot of the index, with one record per entry, followed by a record of each later
/// change.
///
///     header     32 bytes, little endian: magic (8), the system's boot (8), zero (8), checksum (8)
///     record     kind (1), length (2), that many bytes, checksum of all that (4)
///
/// Readers accept records up to the first that isn't intact. Nothing after that is trusted.
package enum IndexLog {
    static let headerLength = 32
    /// "ALCIDX" and the version of this layout.
    private static let magic: UInt64 = 0x0001_5844_4943_4C41
    private static let headerSeed: UInt64 = 8
    private static let recordSeed: UInt64 = 9
    /// The overhead of a record around its contents, in bytes.
    private static let frameLength = 7
    /// The maximum length of a record in bytes.
    static let mostRecordLength = frameLength + Int(UInt16.max)
    /// The maximum number of tags in a record, because more would not fit. If an entry has more, its tags are only in
    /// its file.
    static let mostTags = 8000

    private enum Kind: UInt8 {
        case entry = 1
        case removed, used, unreadEntry, leftover
    }

    // MARK: Writing

    /// - Parameter run: Distinguishes one boot of the system from another.
    static func header(run: UInt64) -> Data {
        var header = Data()
        header.append(integer: magic)
        header.append(integer: run)
        header.append(integer: UInt64(0))
        header.append(integer: header.withUnsafeBytes { FastHash.hash($0, seed: headerSeed) })
        return header
    }

    static func bytes(of records: [IndexRecord]) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(48 * records.count)
        for record in records { append(record, to: &bytes) }
        return Data(bytes)
    }

    private static func append(_ record: IndexRecord, to bytes: inout [UInt8]) {
        let start = bytes.count
        switch record {
        case .entry(let name, let entry):
            let tags = entry.tags.count > mostTags ? [] : entry.tags
            let isUnread = entry.isUnread || tags.count < entry.tags.count
            begin(entry.isLeftover ? .leftover : isUnread ? .unreadEntry : .entry, 28 + 8 * tags.count, name, &bytes)
            bytes.append(integer: entry.units)
            bytes.append(integer: entry.lastUse)
            bytes.append(integer: entry.expires)
            for tag in tags { bytes.append(integer: tag) }
        case .removed(let name):
            begin(.removed, 16, name, &bytes)
        case .used(let name, let time):
            begin(.used, 20, name, &bytes)
            bytes.append(integer: time)
        }
        bytes.append(integer: bytes.withUnsafeBytes { checksum(UnsafeRawBufferPointer(rebasing: $0[start...])) })
    }

    private static func begin(_ kind: Kind, _ length: Int, _ name: EntryName, _ bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        bytes.append(integer: UInt16(truncatingIfNeeded: length))
        bytes.append(integer: name.source)
        bytes.append(integer: name.key)
    }

    // MARK: Reading

    /// The boot during which the file was started; nil when it isn't an index file.
    static func run(of header: Data) -> UInt64? {
        guard header.count >= headerLength, header.integer(at: 0, as: UInt64.self) == magic,
            header.integer(at: 24, as: UInt64.self)
                == header.prefix(24).withUnsafeBytes({ FastHash.hash($0, seed: headerSeed) })
        else { return nil }
        return header.integer(at: 8, as: UInt64.self)
    }

    /// Calls `body` for each record up to the first that isn't intact, and returns the total length of those records.
    static func read(_ bytes: Data, _ body: (IndexRecord) -> Void) -> Int {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while let (record, length) = record(in: bytes, at: offset) {
                body(record)
                offset += length
            }
            return offset
        }
    }

    private static func record(in bytes: UnsafeRawBufferPointer, at offset: Int) -> (IndexRecord, Int)? {
        guard bytes.count - offset >= frameLength + 16 else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        let length = Int(bytes.integer(at: 1, as: UInt16.self))
        guard length >= 16, bytes.count >= frameLength + length,
            bytes.integer(at: 3 + length) == checksum(UnsafeRawBufferPointer(rebasing: bytes[..<(3 + length)]))
        else { return nil }
        let name = EntryName(source: bytes.integer(at: 3), key: bytes.integer(at: 11))
        switch (Kind(rawValue: bytes[0]), length) {
        case (let kind?, 28...) where kind != .removed && kind != .used && length % 8 == 4:
            let entry = IndexedEntry(
                units: bytes.integer(at: 19), lastUse: bytes.integer(at: 23), expires: bytes.integer(at: 27),
                tags: (0..<(length - 28) / 8).map { bytes.integer(at: 31 + 8 * $0) }, isUnread: kind == .unreadEntry,
                isLeftover: kind == .leftover)
            return (.entry(name, entry), frameLength + length)
        case (.removed, 16): return (.removed(name), frameLength + length)
        case (.used, 20): return (.used(name, at: bytes.integer(at: 19)), frameLength + length)
        default: return nil
        }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: FastHash.hash(bytes, seed: recordSeed))
    }
}
