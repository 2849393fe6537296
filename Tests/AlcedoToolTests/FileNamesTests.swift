import Alcedo
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct FileNamesTests {
    private func name(_ url: String, _ format: ImageFormat? = .png) -> String {
        var names = FileNames()
        return names.plan(for: url).name(format)
    }

    @Test func lastPathComponent_isTheName() {
        #expect(name("http://h/a/b/photo-1_x.jpeg") == "photo-1_x.jpeg")
        #expect(name("file:///tmp/photo.png") == "photo.png")
    }

    @Test func queryAndFragment_areIgnored() {
        #expect(name("http://h/a.png?file=/etc/passwd&x=b.gif#../c") == "a.png")
        #expect(name("http://h/?a.png") == "image.png")
    }

    @Test func missingExtension_comesFromTheFormat() {
        #expect(name("http://h/photo", .jpeg) == "photo.jpg")
        #expect(name("http://h/photo", .webp) == "photo.webp")
        #expect(name("http://h/photo", nil) == "photo")
    }

    @Test func missingName_isImage() {
        #expect(name("http://h", .jpeg) == "image.jpg")
        #expect(name("http://h/", .png) == "image.png")
        #expect(name("", nil) == "image")
        #expect(name("http://[", .gif) == "image.gif")
    }

    @Test func duplicates_areNumbered_ignoringCase() {
        var names = FileNames()
        let urls = ["http://h/a.png", "http://i/a.png", "http://h/A.PNG", "http://h/a-2.png", "http://h/a.png"]
        #expect(urls.map { names.plan(for: $0).name(.png) } == ["a.png", "a-2.png", "A-3.PNG", "a-2-2.png", "a-4.png"])
    }

    @Test func nameThatMayGetAnyEnding_isUniqueWithAllOfThem() {
        var names = FileNames()
        let urls = ["http://h/a", "http://h/a.webp", "http://h/a.php", "http://h/b.png", "http://h/b"]
        let planned = urls.map { names.plan(for: $0) }
        #expect(planned.map { $0.name(.png) } == ["a.png", "a-2.webp", "a.php", "b.png", "b-2.png"])
    }

    @Test func convertedImage_hasTheEndingOfItsNewFormat() {
        var names = FileNames()
        let urls = ["http://h/a.png", "http://h/a.gif", "http://h/archive.tar.gz"]
        let planned = urls.map { names.plan(for: $0, keepsEnding: false) }
        #expect(planned.map { $0.name(.jpeg) } == ["a.jpg", "a-2.jpg", "archive.tar.jpg"])
    }

    @Test func bytesThatAreNoUTF8_areReplaced() {
        #expect(name("file:///caf%E9/caf%E9%20a.png") == "caf_ a.png")
    }

    @Test func pathsOfFiles_areNamedLikeURLs() {
        #expect(name("dir/x.png") == "x.png")
        #expect(name("./..") == "image.png")
        #expect(name("data:image/png;base64,AAAA/BBBB") == "image.png")
    }

    /// They are harmless here, and not where the files may be copied to.
    @Test(arguments: [
        ("con", "_con.png"), ("CON.png", "_CON.png"), ("nul.tar.gz", "_nul.tar.gz"), ("Lpt1", "_Lpt1.png"),
        ("com10", "com10.png"), ("a.", "a.png"), ("a...", "a.png"), ("a.b.", "a.b.png"), ("...", "image.png"),
        ("-rf.png", "_rf.png"), ("-%EF%B8%8Frf.png", "_\u{FE0F}rf.png"), (".%E2%80%8Dbashrc", "bashrc.png"),
        ("%E2%80%8D.bashrc", "image.bashrc"), ("%CC%81.%CC%81profile", "profile.png"), ("com%C2%B9.png", "_com¹.png"),
        ("nul%20.png", "_nul.png"),
    ])
    func nameThatSystemsMisread_isChanged(_ last: String, _ expected: String) {
        #expect(name("http://h/" + last) == expected)
    }

    @Test(arguments: [
        ("Фото.png", "Фото.png"), ("%D0%A4%D0%BE%D1%82%D0%BE", "Фото.png"), ("%E7%8A%AC.png", "犬.png"),
        ("café über.png", "café über.png"), ("%20a%20b.png%20", "a b.png"), ("a%20.%20.png", "a.png"),
        ("%F0%9F%90%A6.png", "🐦.png"), ("👩‍🚀️.png", "👩‍🚀️.png"), ("نمی‌خواهم.png", "نمی‌خواهم.png"),
        ("10%20%E2%82%AC%20%E2%80%93%20x.png", "10 € – x.png"), ("Dr.%20No%202.0", "Dr. No 2.0"),
        ("v1.5%20beta", "v1.5 beta.png"),
        ("%E2%80%8D%EF%B8%8F.png", "image.png"), ("a%C2%A0b%E3%80%80c.png", "a_b_c.png"),
        ("%EF%BF%BF.png", "image.png"),
    ])
    func letters_areKept(_ last: String, _ expected: String) {
        #expect(name("http://h/" + last) == expected)
    }

    /// File systems and programs compare bytes, or not.
    @Test func names_areComposed_andUniqueWithoutCaseAndInvisibleCharacters() {
        #expect(Array(name("http://h/cafe%CC%81.png").unicodeScalars).contains("é"))
        var names = FileNames()
        let urls = ["stra%C3%9Fe", "STRASSE", "cafe%CC%81", "CAF%C3%89", "a%E2%80%8Db", "ab", "Ω", "ω"].map {
            "http://h/\($0).png"
        }
        let planned = urls.map { names.plan(for: $0).name(.png) }
        #expect(
            planned == [
                "straße.png", "STRASSE-2.png", "café.png", "CAFÉ-2.png", "a\u{200D}b.png", "ab-2.png", "Ω.png",
                "ω-2.png",
            ])
    }

    @Test func manyEqualNames_areUnique() {
        var names = FileNames()
        let all = (0..<5_000).map { names.plan(for: "http://h/\($0)/a").name(.png) }
        #expect(Set(all).count == all.count)
        #expect(all.last == "a-5000.png")
    }

    @Test func longName_isTruncated_beforeItsExtension() {
        let long = String(repeating: "x", count: 5000)
        #expect(name("http://h/\(long).png") == String(repeating: "x", count: 251) + ".png")
        #expect(name("http://h/\(long)").hasSuffix("xxx.png"))
        var names = FileNames()
        for url in [
            "http://h/\(long).png", "http://h/a.\(long)", "http://h/\(String(repeating: "犬", count: 300)).jpeg",
        ] {
            let all = (0..<20).map { _ in names.plan(for: url).name(.webp) }
            #expect(Set(all).count == 20 && all.allSatisfy { (200...255).contains($0.utf8.count) }, "\(all)")
        }
        // A single character can be longer than a name.
        #expect(name("http://h/a" + String(repeating: "%CC%81", count: 900)).utf8.count <= 255)
    }

    /// Whatever the URL, its name is one plain path component.
    @Test(arguments: [
        "http://h/..", "http://h/.", "http://h/../..", "http://h/...", "http://h/.bashrc", "http://h/..%2F..%2Fetc",
        "http://h/%2e%2e", "http://h/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "http://h/a%2Fb.png", "http://h/%2Fetc",
        "http://h/a%00b.png", "http://h/%0a%1b[31m.png", "http://h/a%5Cb.png", "http://h/%F0%9F%90%A6.png",
        "http://h/%ff%fe.png", "http://h/-rf", "http://h/a%20b%3A*%3F.png", "http://h/CON:aux|.png", "//", "/", "..",
        "file:///", "file:///..", "http://h/ümlaut.png", "http://h/\u{202E}gnp.exe",
    ])
    func hostileName_isSanitized(_ url: String) {
        var names = FileNames()
        for _ in 0..<3 {
            let name = names.plan(for: url).name(.png)
            #expect(!name.isEmpty && name.utf8.count <= 255, "\(name)")
            #expect(name.first != "." && name.first != " " && name.first != "-", "\(name)")
            let isPlain = name.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    ? scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                        || "-_. ".contains(Character(scalar))
                    : !OneLine.isUnsafe(scalar)
            }
            #expect(isPlain, "\(name)")
        }
    }
}
