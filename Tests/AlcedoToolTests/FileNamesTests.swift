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

    @Test func pathsOfFiles_areNamedLikeURLs() {
        #expect(name("dir/x.png") == "x.png")
        #expect(name("./..") == "image.png")
        #expect(name("data:image/png;base64,AAAA/BBBB") == "image.png")
    }

    /// They are harmless here, and not where the files may be copied to.
    @Test(arguments: [
        ("con", "_con.png"), ("CON.png", "_CON.png"), ("nul.tar.gz", "_nul.tar.gz"), ("Lpt1", "_Lpt1.png"),
        ("com10", "com10.png"), ("a.", "a.png"), ("a...", "a.png"), ("a.b.", "a.b.png"), ("...", "image.png"),
        ("-rf.png", "_rf.png"), ("%E5%86%99%E7%9C%9F.png", "image.png"), ("写真", "image.png"), ("ä.jpg", "image.jpg"),
    ])
    func nameThatSystemsMisread_isChanged(_ last: String, _ expected: String) {
        #expect(name("http://h/" + last) == expected)
    }

    @Test func manyEqualNames_areUnique() {
        var names = FileNames()
        let all = (0..<5_000).map { names.plan(for: "http://h/\($0)/a").name(.png) }
        #expect(Set(all).count == all.count)
        #expect(all.last == "a-5000.png")
    }

    @Test func longName_isTruncated_beforeItsExtension() {
        let long = String(repeating: "x", count: 5000)
        #expect(name("http://h/\(long).png") == String(repeating: "x", count: 80) + ".png")
        #expect(name("http://h/a.\(long)").utf8.count <= 90)
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
            #expect(!name.isEmpty && name.utf8.count <= 100, "\(name)")
            #expect(name.first != ".", "\(name)")
            let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
            #expect(isPlain, "\(name)")
        }
    }
}
