import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct EntryFileTests {
    private let key = StoredKey("https://example.com/a.png?size=2")
    private let other = StoredKey("https://example.com/b.png?size=2")
    private let body = Data((0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    private let first = metadata("one")
    private let second = metadata("another")

    private static func metadata(_ tag: String) -> Data {
        var metadata = EntryMetadata(source: "https://example.com/a.png?size=2")
        metadata.tags = [tag]
        return metadata.encoded
    }

    private func file(of body: Data, expires: Int64? = nil) throws -> Data {
        body + (try #require(EntryFile.tail(of: body, key: key, metadata: first, expires: expires)))
    }

    /// With another tail behind it, that goes for the end of the file as it is.
    private func adding(_ metadata: Data, _ expires: Int64? = nil, to file: Data) throws -> Data {
        let last = try EntryFile.lastTail(of: file, fileLength: file.count)
        return file
            + (try #require(
                EntryFile.tail(
                    after: last, inFileOf: file.count, key: key, metadata: metadata, expires: expires)))
    }

    private func contents(_ file: Data) -> EntryFile.Contents? {
        guard case .success(let contents) = result(file) else { return nil }
        return contents
    }

    private func result(_ file: Data) -> Result<EntryFile.Contents, EntryFile.Defect> {
        Result { () throws(EntryFile.Defect) in try EntryFile.contents(of: file, key: key) }
    }

    // MARK: Whole

    @Test func written_isRead() throws {
        let contents = try EntryFile.contents(of: file(of: body, expires: 77), key: key)
        #expect(contents.body == body)
        // A caller may index from 0.
        #expect(contents.body.startIndex == 0)
        #expect(contents.tail.metadata == first)
        #expect(contents.tail.key == Data(key.text.utf8))
        #expect(contents.tail.expires == 77)
        #expect(contents.tail.holds(key) && !contents.tail.holds(other))
        #expect(try EntryFile.contents(of: file(of: body), key: key).tail.expires == nil)
    }

    @Test(arguments: [1, 127, 128, 129, 1 << 20 - 1, 1 << 20, 1 << 20 + 1, 3 << 20 + 77])
    func bodyInFile_hasTheSameTail(count: Int) throws {
        let directory = try TemporaryDirectory()
        let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })
        let file = try BodyFile(in: directory.path, FileSystem())
        for start in stride(from: 0, to: count, by: 100_000) {
            let part = body[start..<min(count, start + 100_000)]
            try part.withUnsafeBytes { try file.append($0) }
        }
        #expect(Body.file(file).data == body && file.count == count)
        let tail = try EntryFile.tail(of: Body.file(file), key: key, metadata: first)
        #expect(tail == EntryFile.tail(of: body, key: key, metadata: first))
    }

    @Test func emptyBodyOrMetadata_isAnEntry() throws {
        #expect(try EntryFile.contents(of: file(of: Data()), key: key).body.isEmpty)
        let bare = try #require(EntryFile.tail(of: Data(), key: StoredKey(""), metadata: Data()))
        #expect(bare.count == EntryFile.trailerLength)
        #expect(try EntryFile.contents(of: bare, key: StoredKey("")).tail.metadata.isEmpty)
    }

    @Test func partOfLargerBuffer_isReadAsWell() throws {
        let part = (Data([1, 2, 3]) + (try file(of: body))).dropFirst(3)
        #expect(contents(part)?.body == body)
    }

    @Test(arguments: [0, -1, .min])
    func expiryBefore1970_isNotUnlimited(expires: Int64) throws {
        let expires = try EntryFile.contents(of: file(of: body, expires: expires), key: key).tail.expires
        #expect(expires == 1)
    }

    @Test func fileOfAnotherKey_isDistinguished() throws {
        let file = try file(of: body)
        #expect(throws: EntryFile.Defect.otherKey) { try EntryFile.contents(of: file, key: other) }
        #expect(throws: EntryFile.Defect.otherKey) {
            try EntryFile.contents(of: file, key: StoredKey(key.text + "&more=1"))
        }
    }

    // MARK: Damaged

    @Test func anyBitFlipped_isDefect() throws {
        let file = try file(of: body, expires: 77)
        for bit in 0..<(file.count * 8) {
            must(contents(flipped(bit, in: file)) == nil, "bit \(bit)")
        }
    }

    @Test func everyTruncation_isDefect() throws {
        let file = try file(of: body)
        for length in 0..<file.count { must(contents(file.prefix(length)) == nil, "\(length) bytes") }
    }

    @Test func trailingGarbage_isIgnored() throws {
        let file = try file(of: body)
        var random = SeededRandom(seed: 5)
        for count in [1, 7, 8, 56, 57, 1000, EntryFile.tailByteLimit] {
            let garbage = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            #expect(contents(file + garbage)?.body == body)
            #expect(contents(file + garbage)?.tail.metadata == first)
        }
        // A second file says of itself that it begins elsewhere.
        #expect(contents(file + file)?.body == body)
        #expect(contents(file + file)?.tail.metadata == first)
        // Beyond what is ever added nothing is looked for.
        #expect(contents(file + Data(count: EntryFile.endLength + 1)) == nil)
    }

    private func flipped(_ bit: Int, in file: Data) -> Data {
        var damaged = file
        damaged[bit / 8] ^= 1 << (bit % 8)
        return damaged
    }

    // MARK: Several tails

    @Test func newestMetadata_counts() throws {
        var file = try adding(second, 99, to: file(of: body, expires: 77))
        #expect(contents(file)?.body == body)
        #expect(contents(file)?.tail.metadata == second)
        #expect(contents(file)?.tail.expires == 99)
        file = try adding(first, to: file)
        #expect(contents(file)?.tail.metadata == first)
        #expect(contents(file)?.tail.expires == nil)
        #expect(contents(file)?.body == body)
    }

    @Test func tailAfterHalfTail_counts() throws {
        let whole = try file(of: body)
        let cut = try adding(second, to: whole).dropLast(20)
        let repaired = try adding(second, to: cut)
        #expect(contents(repaired)?.tail.metadata == second)
        #expect(contents(repaired)?.body == body)
        // And when that is cut short too, the first is still in force.
        #expect(contents(repaired.dropLast(3))?.tail.metadata == first)
    }

    @Test func wholeTailBeforeDamagedOnes_counts() throws {
        let whole = try file(of: body)
        let two = try adding(first, 99, to: adding(second, 88, to: whole))
        // Both end as tails do, and are none; and what comes behind them does not even end so.
        var damaged = flipped(8 * whole.count, in: two)
        damaged = flipped(8 * (damaged.count - EntryFile.trailerLength - 1), in: damaged)
        for garbage in [0, 1, 70] {
            let found = contents(damaged + Data(count: garbage))
            #expect(found?.tail.metadata == first && found?.tail.expires == nil)
            #expect(found?.body == body)
        }
    }

    @Test func anyBitFlippedOfTwoTails_leavesOneOfThem_orNothing() throws {
        let one = try file(of: body, expires: 77)
        let file = try adding(second, 99, to: one)
        for bit in 0..<(file.count * 8) {
            let found = contents(flipped(bit, in: file))
            switch bit / 8 {
            case ..<body.count: must(found == nil, "bit \(bit) of the body")
            case ..<one.count: must(found?.tail.metadata == second && found?.tail.expires == 99, "bit \(bit)")
            default: must(found?.tail.metadata == first && found?.tail.expires == 77, "bit \(bit)")
            }
            must(found == nil || found?.body == body, "bit \(bit): other bytes")
        }
    }

    @Test func everyTruncationOfSecondTail_leavesFirst() throws {
        let one = try file(of: body, expires: 77)
        let file = try adding(second, 99, to: one)
        for length in 0..<file.count {
            let found = contents(file.prefix(length))
            if length < one.count {
                must(found == nil, "\(length) bytes")
            } else {
                must(found?.tail.metadata == first && found?.tail.expires == 77, "\(length) bytes")
                must(found?.body == body, "\(length) bytes")
            }
        }
    }

    // MARK: The end alone

    @Test func tail_isFoundInEndOfLargeFile() throws {
        let large = Data(count: 1 << 20)
        let one = try file(of: large)
        let tail = try EntryFile.lastTail(of: one.suffix(EntryFile.endLength), fileLength: one.count)
        #expect(tail.metadata == first && tail.holds(key))
        let start = tail.start(in: one.suffix(EntryFile.endLength), of: one.count)
        #expect(start == large.count && tail.bodyLength == large.count)
        // From there on it goes as if all of the file had been read.
        let added = try #require(
            EntryFile.tail(after: tail, inFileOf: one.count, key: key, metadata: second, expires: nil))
        #expect(try EntryFile.contents(of: one + added, key: key).body == large)
        // An end that is too short holds none.
        let end = one.suffix(EntryFile.trailerLength + 10)
        #expect(throws: EntryFile.Defect.wrongLengths) { try EntryFile.lastTail(of: end, fileLength: one.count) }
        #expect(throws: EntryFile.Defect.tooShort) { try EntryFile.lastTail(of: end.suffix(9), fileLength: one.count) }
    }

    @Test func shortEnd_yieldsNoEarlierTail() throws {
        let one = try file(of: Data(count: 1 << 20))
        let short = { (file: Data) throws(EntryFile.Defect) in
            try EntryFile.lastTail(of: file.suffix(EntryFile.usualEndLength), fileLength: file.count)
        }
        #expect(try short(one).metadata == first)
        // Instead of the earlier one, there could be metadata of a longer tail that looks like one.
        let cut = try adding(second, to: one).dropLast()
        #expect(throws: EntryFile.Defect.self) { try short(cut) }
        #expect(try EntryFile.lastTail(of: cut.suffix(EntryFile.endLength), fileLength: cut.count).metadata == first)
    }

    @Test func end_isLongEnoughForLargestTails() throws {
        let largest = Data(count: EntryFile.tailByteLimit - key.text.utf8.count)
        let file = body + (try #require(EntryFile.tail(of: body, key: key, metadata: largest)))
        let cut = try adding(largest, to: file).dropLast()
        let tail = try EntryFile.lastTail(of: cut.suffix(EntryFile.endLength), fileLength: cut.count)
        #expect(tail.start(in: cut.suffix(EntryFile.endLength), of: cut.count) == body.count)
        #expect(tail.metadata.count == largest.count)
    }

    @Test func oversizedTail_isNeitherWrittenNorRead() throws {
        let tooLarge = Data(count: EntryFile.tailByteLimit - key.text.utf8.count + 1)
        #expect(EntryFile.tail(of: body, key: key, metadata: tooLarge) == nil)
        let last = try EntryFile.lastTail(of: file(of: body), fileLength: file(of: body).count)
        #expect(EntryFile.tail(after: last, inFileOf: 9, key: key, metadata: tooLarge, expires: nil) == nil)
        let forged = body + forge(Data(key.text.utf8) + tooLarge, keyLength: key.text.utf8.count)
        #expect(throws: EntryFile.Defect.wrongLengths) { try EntryFile.contents(of: forged, key: key) }
    }

    // MARK: Lengths that lie

    /// A tail with checksums that are right, whatever its lengths say.
    private func forge(
        _ text: Data, bodyLength: UInt64? = nil, start: UInt64? = nil, keyLength: Int? = nil,
        metadataLength: UInt32? = nil
    ) -> Data {
        let keyLength = keyLength ?? key.text.utf8.count
        var tail = text
        tail.append(integer: bodyLength ?? UInt64(body.count))
        tail.append(integer: start ?? UInt64(body.count))
        tail.append(integer: UInt32(truncatingIfNeeded: keyLength))
        tail.append(integer: metadataLength ?? UInt32(truncatingIfNeeded: text.count - keyLength))
        tail.append(integer: Int64(0))
        tail.append(integer: body.withUnsafeBytes { Checksum.of($0, seed: 1) })
        tail.append(integer: tail.withUnsafeBytes { FastHash.hash($0, seed: 6) })
        tail.append(Data("ALCEDO".utf8) + [2, 0])
        return tail
    }

    @Test func forgedTail_isReadWhenItsLengthsAreRight() {
        let file = body + forge(Data(key.text.utf8) + first)
        #expect(contents(file)?.body == body)
        #expect(contents(file)?.tail.metadata == first)
    }

    @Test func lengths_areValidated() {
        var random = SeededRandom(seed: Fuzz.seed)
        let text = Data(key.text.utf8) + first
        func length(_ right: Int) -> UInt64 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2: UInt64(right)
            case 3: UInt64(truncatingIfNeeded: right + Int.random(in: -70...70, using: &random))
            case 4: UInt64(1) << UInt64.random(in: 0..<64, using: &random)
            case 5: UInt64.max >> UInt64.random(in: 0..<64, using: &random)
            case 6: UInt64.max - UInt64.random(in: 0..<400, using: &random)
            default: random.next() >> UInt64.random(in: 0..<64, using: &random)
            }
        }
        var whole = 0
        for step in 0..<20_000 {
            let tail = forge(
                text, bodyLength: length(body.count), start: length(body.count),
                keyLength: Int(truncatingIfNeeded: length(key.text.utf8.count)),
                metadataLength: UInt32(truncatingIfNeeded: length(first.count)))
            let found = contents(body + tail)
            must(found == nil || found?.body == body && found?.tail.metadata == first, "step \(step): other bytes")
            if found != nil { whole += 1 }
            // As if there were other bytes before, or fewer than there are.
            let fileLength = Int(truncatingIfNeeded: length(body.count + tail.count) & UInt64(Int.max))
            let last = Result { () throws(EntryFile.Defect) in
                try EntryFile.lastTail(of: tail, fileLength: fileLength)
            }
            if case .success(let last) = last {
                let start = last.start(in: tail, of: fileLength)
                must(last.bodyLength <= start && start <= fileLength, "step \(step): beyond the file")
            }
        }
        #expect(whole > 100)
    }

    // MARK: Whatever its key

    @Test func wholeFile_hasNoDefect_underItsNameAlone() throws {
        let file = try file(of: body)
        #expect(EntryFile.defect(of: file, name: key.name) == nil)
        #expect(EntryFile.defect(of: file, name: other.name) == .otherKey)
        let otherSource = EntryName(source: other.name.source, key: key.name.key)
        #expect(EntryFile.defect(of: file, name: otherSource) == .otherKey)
        #expect(EntryFile.defect(of: file.prefix(20), name: key.name) == .tooShort)
        #expect(EntryFile.defect(of: Data(count: 100), name: key.name) == .wrongMagic)
        #expect(EntryFile.defect(of: flipped(0, in: file), name: key.name) == .wrongChecksum)
        let senseless = body + (try #require(EntryFile.tail(of: body, key: key, metadata: Data([9]))))
        #expect(EntryFile.defect(of: senseless, name: key.name) == .wrongMetadata)
    }

    @Test(arguments: [
        StoredKey("http://h/a", variant: "8 × 8\nlossless"), StoredKey("http://h/a\nb"),
        StoredKey("a\n", variant: "\n"),
        StoredKey("", variant: "b"), StoredKey(""),
    ])
    func variant_hasNameOfItsSource(key: StoredKey) throws {
        let tail = try #require(EntryFile.tail(of: body, key: key, metadata: first))
        #expect(EntryFile.defect(of: body + tail, name: key.name) == nil)
    }
}

extension EntryFile.Tail {
    /// The offset of the tail in a file of that length, of which `end` are the last bytes.
    fileprivate func start(in end: Data, of fileLength: Int) -> Int { fileLength - end.count + place.start }
}
