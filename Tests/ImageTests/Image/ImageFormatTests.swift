import Alcedo
import Foundation
import Testing

struct ImageFormatTests {
    @Test(
        arguments: [
            (ImageFormat.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
            (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            (.gif, Array("GIF89a".utf8)),
            (.gif, Array("GIF87a".utf8)),
            (.webp, Array("RIFF\0\0\0\0WEBP".utf8)),
            (.avif, Array("\0\0\0\u{20}ftypavif".utf8)),
            (.heic, Array("\0\0\0\u{20}ftypheic".utf8)),
            (.heic, Array("\0\0\0\u{14}ftypmif1\0\0\0\0heic".utf8)),
            (.heic, Array("\0\0\0\u{10}ftypmif1\0\0\0\0".utf8)),
            (.avif, Array("\0\0\0\u{18}ftypmif1\0\0\0\0miafavif".utf8)),
            (.ico, [0, 0, 1, 0, 2, 0]),
            (.ico, [0, 0, 2, 0, 1, 0] + [UInt8](repeating: 9, count: 12) + [22, 0, 0, 0]),
            (.pdf, Array("%PDF-1.7".utf8)),
            (.svg, Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)),
            (.svg, Array("\u{FEFF} <?xml version=\"1.0\"?>\n<!-- drawn --><svg/>".utf8)),
            (.jxl, [0xFF, 0x0A]),
            (.svg, Array("<!-- a --> <!-- b --><svg/>".utf8)),
            (.bmp, Array("BM".utf8) + [UInt8](repeating: 7, count: 12) + [40, 0, 0, 0]),
            (.bmp, Array("BM".utf8) + [UInt8](repeating: 7, count: 12) + [124, 0, 0, 0]),
            (.tiff, Array("II*\0".utf8)),
            (.tiff, Array("MM\0*".utf8)),
            (.tiff, Array("II+\0".utf8)),
            (.tiff, Array("MM\0+".utf8)),
        ] as [(ImageFormat, [UInt8])])
    func formats_areDetected(_ format: ImageFormat, _ head: [UInt8]) {
        #expect(ImageFormat(sniffing: Data(head)) == format)
        #expect(ImageFormat(sniffing: Data(head + [1, 2, 3])) == format)
        // A slice keeps the indices of the data it was cut from.
        #expect(ImageFormat(sniffing: Data([7, 7] + head).dropFirst(2)) == format)
    }

    @Test(
        arguments: zip(
            [ImageFormat.jpeg, .png, .gif, .webp, .avif, .heic, .jxl, .bmp, .ico, .tiff, .svg, .pdf],
            ["jpeg", "png", "gif", "webp", "avif", "heic", "jxl", "bmp", "ico", "tiff", "svg", "pdf"]))
    func names_identifyFormats(_ format: ImageFormat, _ name: String) {
        #expect(format.rawValue == name)
        #expect(ImageFormat(rawValue: name) == format)
    }

    @Test func ownFormats_areIdentifiedByTheirNames() {
        let (one, other) = (ImageFormat(rawValue: "one of the tests"), ImageFormat(rawValue: "another"))
        #expect(one != other)
        #expect(one == ImageFormat(rawValue: "one of the tests"))
        #expect((one.rawValue, other.rawValue) == ("one of the tests", "another"))
    }

    @Test func shortOrForeignBytes_areUnknown() {
        for text in [
            "", "G", "GIF8", "RIFF", "RIFF\0\0\0\0WAVE", "<html>", "\u{89}PN", "<?xml?><html>",
            "\0\0\0\u{18}ftypmp42\0\0\0\0isomavc1", "text <svg/>",
            "<!-- a page --><html><svg/></html>", "<!-- never ends <svg/>", "BM", "BMX bikes and their riders",
        ] {
            #expect(ImageFormat(sniffing: Data(text.utf8)) == nil)
        }
        #expect(ImageFormat(sniffing: Data([0xFF, 0xD8])) == nil)
        // A TGA, and what begins like a cursor.
        #expect(ImageFormat(sniffing: Data([0, 0, 2, 0] + [UInt8](repeating: 0, count: 40))) == nil)
        #expect(ImageFormat(sniffing: Data([0, 0, 2, 0, 1, 0] + [UInt8](repeating: 0, count: 40))) == nil)
    }
}
