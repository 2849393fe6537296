import Foundation
import Testing

@testable import Alcedo

@Suite struct EntryFileTests {
    private let key = ResourceKey(text: "https://example.com/a.png?size=2")
    private let body = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    private var file: Data { body + EntryFile.tail(of: body, key: key) }

    @Test func whatWasWritten_isRead() throws {
        let file = file
        #expect(file.count == EntryFile.length(of: body, key: key))
        let read = try EntryFile.body(of: file, key: key)
        #expect(read == body)
        // A caller may index from 0.
        #expect(read.startIndex == 0)
    }

    @Test func anEmptyBody_isAnEntryToo() throws {
        let file = EntryFile.tail(of: Data(), key: key)
        #expect(try EntryFile.body(of: file, key: key).isEmpty)
    }

    @Test func anyBitFlipped_isADefect() {
        for bit in 0..<(file.count * 8) {
            var damaged = file
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: EntryFile.Defect.self) { try EntryFile.body(of: damaged, key: key) }
        }
    }

    @Test func anyLengthButItsOwn_isADefect() {
        for length in 0..<file.count {
            #expect(throws: EntryFile.Defect.self) { try EntryFile.body(of: file.prefix(length), key: key) }
        }
        #expect(throws: EntryFile.Defect.self) { try EntryFile.body(of: file + [0], key: key) }
        #expect(throws: EntryFile.Defect.self) { try EntryFile.body(of: file + file, key: key) }
    }

    @Test func theFileOfAnotherKey_isToldApart() {
        let other = ResourceKey(text: "https://example.com/b.png?size=2")
        #expect(throws: EntryFile.Defect.otherKey) { try EntryFile.body(of: file, key: other) }
    }

    @Test func names_areDigests_thatStayTheSame() {
        #expect(EntryName(key) == EntryName(key))
        #expect(EntryName(key) != EntryName(ResourceKey(text: "https://example.com/b.png?size=2")))
        let hostile = EntryName(ResourceKey(text: "../../etc/passwd\0/.."))
        #expect(EntryName(fileName: hostile.text) == hostile)
        // Another value here would orphan every cache that is out there.
        #expect(EntryName(key).text == "d20b87f26e0d52c5658648220b40f67e")
    }

    @Test(arguments: ["", "tmp-1-2-3", "0123456789abcdef", "0123456789ABCDEF0123456789ABCDEF", ".."])
    func otherFileNames_areNoEntries(name: String) {
        #expect(EntryName(fileName: name) == nil)
    }
}
