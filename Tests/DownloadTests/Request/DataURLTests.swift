import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite struct DataURLTests {
    private func content(_ text: String, byteLimit: Int = 1 << 20) throws(ImageLoaderError) -> String {
        String(decoding: try DataURL(text, byteLimit: byteLimit).data, as: UTF8.self)
    }

    @Test(
        arguments: [
            ("data:,A%20brief%20note", "A brief note"),
            ("data:text/plain;charset=iso-8859-7,%be%fg%be", "\u{FFFD}%fg\u{FFFD}"),
            ("data:text/plain;base64,SGVsbG8=", "Hello"), ("DATA:;BASE64,SGVsbG8=", "Hello"),
            ("data: image/svg+xml ;charset=utf-8 ; base64,SGVsbG8=", "Hello"),
            ("data:image/png; base64 ,SGVsbG8=", "Hello"), ("data:image/png;charset=x;base64,SGVsbG8=", "Hello"),
            // Missing padding, padding and symbols by their codes, whitespace.
            ("data:;base64,SGVsbG8", "Hello"), ("data:;base64,SGVsbG8%3D", "Hello"),
            ("data:;base64,%53GVsbG8=", "Hello"),
            ("data:;base64, SGV\tsbG\r\n8= \n", "Hello"), ("data:;base64,SGV%0AsbG8%20=", "Hello"),
            ("data:;base64,SGVsbA==", "Hell"), ("data:;base64,SGVsbA", "Hell"), ("data:;base64,SGVs", "Hel"),
            ("data:;base64,Pz8/Pj4+", "???>>>"), ("data:;base64,", ""), ("data:,", ""),
            // Not base64, as the word stands elsewhere.
            ("data:base64,SGVsbG8=", "SGVsbG8="), ("data:;base64;x=y,SGVsbG8=", "SGVsbG8="),
            ("data:,a,b;base64,c", "a,b;base64,c"), ("data:,100%", "100%"), ("data:,%4", "%4"), ("data:,%4a%4A", "JJ"),
            // A fragment is no part of it.
            ("data:,abc#def", "abc"), ("data:;base64,SGVsbG8=#x,y", "Hello"),
        ] as [(String, String)])
    func validDataURLs_areParsed(text: String, expected: String) throws {
        #expect(try content(text) == expected)
    }

    @Test(arguments: [
        "", "data", "data:", "data:image/png;base64", "data:#,", "http://a/,", "data;,x", "xdata:,x",
        "data:;base64,S", "data:;base64,SGVsb", "data:;base64,SGVsbG8==", "data:;base64,SGVs=", "data:;base64,=",
        "data:;base64,SGVsbA=", "data:;base64,SGVsbA===", "data:;base64,SG=VsbG8", "data:;base64,SGVsbG8=SGVs",
        "data:;base64,SGVs-_==", "data:;base64,SGVs%", "data:;base64,SGVs%zz", "data:;base64,SGVü",
        "data:;base64,SGVs%00",
    ])
    func anythingElse_isRejected(text: String) {
        #expect {
            try content(text)
        } throws: { error in
            guard case .invalidURL(text, _) = error as? ImageLoaderError else { return false }
            return true
        }
    }

    @Test func error_namesBeginningOnly() {
        let text = "data:;base64,!" + String(repeating: "A", count: 10_000)
        #expect(throws: ImageLoaderError.invalidURL(text.prefix(80) + "…", reason: "its data is not base64")) {
            try content(text)
        }
    }

    @Test(arguments: [
        ("data:;base64,SGVsbG8=", 5), ("data:;base64,SGVsbG8", 5), ("data:;base64, S G V s b G 8 %3D ", 5),
        ("data:,Hello", 5), ("data:,%48%65%6c%6c%6f", 5), ("data:;base64,SGVsbA==", 4), ("data:,", 0),
    ])
    func limit_appliesToContent(text: String, count: Int) throws {
        #expect(try content(text, byteLimit: count).utf8.count == count)
        let error = ImageLoaderError.limitExceeded(.inputBytes, value: count, allowed: count - 1)
        #expect(throws: error) { try content(text, byteLimit: count - 1) }
    }

    @Test func limit_isChecked_beforeDecoding() {
        let error = ImageLoaderError.limitExceeded(.inputBytes, value: 6, allowed: 5)
        #expect(throws: error) { try content("data:;base64,!!!!!!!!", byteLimit: 5) }
    }

    @Test func bytesOfAnyLength_roundTrip() throws {
        var random = SeededRandom(seed: 19)
        for count in Array(0..<200) + [10_000] {
            let bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            let base64 = bytes.base64EncodedString()
            let codes = bytes.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            for text in ["data:;base64," + base64, "data:;base64," + base64.filter { $0 != "=" }, "data:," + codes] {
                let data = try DataURL(text, byteLimit: count).data
                must(data == bytes, text)
            }
        }
    }

    /// Foundation reads strict base64 too; where it finds something, it is the same.
    @Test func anyText_isHandled_andFoundationAgrees() {
        var random = SeededRandom(seed: 21)
        let seeds = ["data:image/png;base64,SGVsbG8=", "data:;base64,SGVsbG8gV29ybGQ", "data:,A%20brief%20note#x"]
        var read = 0
        for _ in 0..<20_000 {
            let text = random.rubbish(from: seeds, alphabet: "data:;,base64=%20#AZaz09+/")
            do throws(ImageLoaderError) {
                let data = try DataURL(text, byteLimit: 20).data
                read += 1
                must(data.count <= 20, text)
                guard let payload = text.split(separator: ";base64,").last, text.hasPrefix("data:;base64,") else {
                    continue
                }
                if let expected = Data(base64Encoded: String(payload)) { must(data == expected, text) }
            } catch {
                switch error {
                case .invalidURL, .limitExceeded: break
                default: must(false, "\(error)")
                }
            }
        }
        #expect(read > 1_000)
    }
}
