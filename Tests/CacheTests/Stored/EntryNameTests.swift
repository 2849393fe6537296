import Foundation
import Testing

@testable import Alcedo

@Suite struct EntryNameTests {
    private let key = StoredKey("https://example.com/a.png?size=2")

    @Test func names_areStableDigests() {
        #expect(key.name == StoredKey("https://example.com/a.png?size=2").name)
        #expect(key.name != StoredKey("https://example.com/b.png?size=2").name)
        // Another value here would orphan every cache that is out there.
        #expect(key.name.text == "d20b87f26e0d52c5658648220b40f67e")
        let long = StoredKey("https://example.com/" + String(repeating: "a/", count: 100), variant: "64 × 64")
        #expect(long.name.text == "3a79b18bc89fb83c8843a9e91b4aa072")
    }

    @Test func name_has32Digits_forAnyKey() {
        for text in ["", "..", "../../etc/passwd\0/..", "/", "a/b", "\u{1F426}", "%2e%2f", "\0", "\r\n"] {
            let name = StoredKey(text, variant: text).name
            #expect(name.text.count == EntryName.length)
            #expect(name.text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            #expect(EntryName(fileName: name.text) == name)
        }
    }

    @Test func everyName_isReadAsItself() {
        for shift in UInt64(0)..<64 {
            let name = EntryName(source: .max >> shift, key: 1 << shift)
            #expect(EntryName(fileName: name.text) == name)
        }
        #expect(EntryName(source: 0, key: 0xAB).text == "0000000000000000" + "00000000000000ab")
        #expect(key.name.text(after: "dir/") == "dir/" + key.name.text)
    }

    @Test func otherFileNames_areIgnored() {
        let names = [
            "", ".", "..", "tmp-1-2-3", "0123456789abcdef", "0123456789ABCDEF0123456789ABCDEF",
            "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0",
            "0123456789abcdef0123456789abcdeg", "0123456789abcdef 123456789abcdef",
            "+123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcd\u{e9}",
            "0123456789abcdef0123456789abcdef\0", "0123456789abcdef\0" + "123456789abcdef",
            "0123456789abcde/0123456789abcdef",
        ]
        for name in names {
            #expect(EntryName(fileName: name) == nil, "\(name.debugDescription)")
            // As a directory lists it.
            if !name.contains("\0") { #expect(name.withCString { EntryName(digits: $0) } == nil, "\(name)") }
        }
    }

    @Test func sourceAndItsVariants_shareHalfName() {
        let names = [key, StoredKey(key.source, variant: "a"), StoredKey(key.source, variant: "b")].map(\.name)
        #expect(Set(names.map(\.source)) == [EntryName.digest(ofSource: key.source)])
        #expect(Set(names.map(\.key)).count == 3)
        #expect(StoredKey("http://h/other").name.source != key.name.source)
        #expect(EntryName.digest(ofKey: key.source) != EntryName.digest(ofSource: key.source))
    }

    @Test func keys_areDistinguished_byText() {
        #expect(StoredKey("a", variant: "b").text == "a\nb")
        #expect(StoredKey("a").text == "a")
        // Of one text, and of two sources.
        #expect(StoredKey("a", variant: "b") != StoredKey("a\nb"))
        #expect(Set([key, StoredKey(key.source), StoredKey(key.source, variant: "c")]).count == 2)
    }
}
