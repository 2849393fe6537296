import Foundation
import Testing

@testable import Alcedo

@Suite struct PEMCertificatesTests {
    private let first = Data((0..<100).map { UInt8($0) })
    private let second = Data("second".utf8)

    private func block(_ data: Data, label: String = "CERTIFICATE") -> String {
        let base64 = data.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
    }

    private func parse(_ text: String) -> [Data]? { PEMCertificates.parse(Data(text.utf8)) }

    @Test func certificates_areReadInTheirOrder_withOtherTextBetween() {
        #expect(parse(block(first) + block(second)) == [first, second])
        let text = "# Authority\n\(block(second, label: "PRIVATE KEY"))\nSubject: CN=a\n  \(block(first))\nend"
        #expect(parse(text) == [first])
        #expect(parse((block(first) + block(second)).replacing("\n", with: "\r\n")) == [first, second])
    }

    @Test(arguments: ["", "text\n", "-----END CERTIFICATE-----\n"])
    func fileWithoutCertificates_hasNone(text: String) { #expect(parse(text) == []) }

    @Test func damagedCertificate_isRejected() {
        let whole = block(first)
        #expect(parse("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n") == nil)
        #expect(parse(whole + whole.replacing("-----END CERTIFICATE-----\n", with: "")) == nil)
        #expect(parse(whole.replacing("AAEC", with: "AA*C")) == nil)
        #expect(parse("-----BEGIN CERTIFICATE-----\n" + whole) == nil)
    }

    @Test func bytesThatAreNoText_haveNoCertificate() {
        #expect(PEMCertificates.parse(Data([0xFF, 0x00, 0x30, 0x82])) == [])
    }
}
