import Foundation
import Testing

@testable import Alcedo

/// Which codings of a body are asked for, and which are undone.
@Suite struct ContentCodingTests {
    /// A build with a decoder of br and without one of zstd.
    private func canDecode(_ coding: ContentCoding) -> Bool { coding != .zstandard }

    private func coding(_ codings: String, asked: String = "identity") throws -> ContentCoding? {
        try ContentCoding.coding(of: ["Content-Encoding": codings], asked: asked, canDecode: canDecode)
    }

    @Test(
        arguments: [
            ("gzip", .gzip), ("x-gzip", .gzip), ("GZIP, identity", .gzip), ("deflate", .deflate), ("", nil),
            ("identity", nil), ("aws-chunked", nil), ("utf-8, binary", nil),
        ] as [(String, ContentCoding?)])
    func codingsOfBuckets_areUndone_withoutBeingAskedFor(codings: String, coding: ContentCoding?) throws {
        #expect(try self.coding(codings) == coding)
    }

    @Test(arguments: ["br", "gzip, br", "gzip;q=0.5,BR;q=1.0", "deflate , br ; q=0.1"])
    func otherCoding_isUndone_ifAskedFor(asked: String) throws {
        #expect(try coding("br", asked: asked) == .brotli)
    }

    @Test(arguments: ["identity", "", "gzip", "br;q=0", "br; Q=0.00", "brotli"])
    func otherCoding_isRefused_ifNotAskedFor(asked: String) {
        #expect(throws: ImageLoaderError.malformedResponse("the content coding br, which was not asked for")) {
            try coding("br", asked: asked)
        }
    }

    @Test func codingWithoutADecoder_isNamed() {
        for codings in ["zstd", "compress", "x-compress", "aws-chunked, gzip", "gzip, utf-8"] {
            let error = #expect(throws: ImageLoaderError.self) { try coding(codings, asked: "zstd") }
            #expect(error?.kind == .malformedResponse)
            #expect("\(String(describing: error))".contains(codings))
        }
    }

    @Test(
        arguments: [
            ("gzip", "gzip"), ("gzip, deflate;q=0.5", "gzip, deflate;q=0.5"), ("gzip,br , zstd", "gzip, br"),
            ("zstd", "identity"), ("*", "identity"), ("", "identity"), ("Identity;q=0, X-GZIP", "Identity;q=0, X-GZIP"),
        ])
    func codingsWithoutADecoder_areNotAskedFor(field: String, sent: String) {
        #expect(ContentCoding.accepted(field, canDecode: canDecode) == sent)
    }

    @Test func transferCoding_mustNotCompress() throws {
        var codings = BodyCodings(["Transfer-Encoding": "chunked", "Content-Encoding": "gzip"])
        try codings.requirePlainTransfer()
        codings.add(["Transfer-Encoding": "GZIP, chunked"])
        #expect(throws: ImageLoaderError.self) { try codings.requirePlainTransfer() }
    }
}
