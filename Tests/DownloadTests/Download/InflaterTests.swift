#if os(Linux) && Curl
import Foundation
import Testing

@testable import Alcedo

/// The decoder of gzip and deflate.
@Suite struct InflaterTests {
    private let body = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    /// What a coded body decodes to, given in pieces of this size; nil if it is damaged.
    private func decoded(
        _ coded: Data, isGzip: Bool, pieces: Int = .max, space: Int = 64 << 10
    ) -> (body: Data, hasEnded: Bool, surplus: Int)? {
        let inflater = Inflater(isGzip: isGzip)
        var (body, unread, rest) = (Data(), Data(), coded)
        var output = [UInt8](repeating: 0, count: space)
        var surplus = 0
        repeat {
            unread += rest.prefix(pieces)
            rest = rest.dropFirst(pieces)
            while true {
                let step = unread.withUnsafeBytes { input in
                    output.withUnsafeMutableBytes { inflater.decode(input, into: $0) }
                }
                if step.isDamaged { return nil }
                if step.taken == 0, step.made == 0 { break }
                if step.isSurplus { surplus += step.taken }
                body += output[..<step.made]
                unread = Data(unread.dropFirst(step.taken))
            }
        } while !rest.isEmpty
        return (body, inflater.hasEnded, surplus)
    }

    @Test(arguments: [1, 2, 7, 10_000, .max])
    func gzip_isDecoded_howeverItArrives(pieces: Int) throws {
        for coded in [
            CodedBodies.gzip(body), CodedBodies.gzip(body.prefix(70_000)) + CodedBodies.gzip(body.dropFirst(70_000)),
        ] {
            let result = try #require(decoded(coded, isGzip: true, pieces: pieces))
            #expect(result.body == body && result.hasEnded && result.surplus == 0)
        }
    }

    @Test(arguments: [1, 3, .max]) func deflate_isDecoded_withAndWithoutItsFrame(pieces: Int) throws {
        for coded in [CodedBodies.deflate(body), CodedBodies.zlib(body)] {
            let result = try #require(decoded(coded, isGzip: false, pieces: pieces, space: 1_000))
            #expect(result.body == body && result.hasEnded)
        }
    }

    @Test func outputIsNeverLargerThanItsSpace_andNothingIsLost() throws {
        let result = try #require(decoded(CodedBodies.letters + CodedBodies.hello, isGzip: true, space: 10))
        #expect(result.body == Data(repeating: 0x61, count: 100_000) + Data("hello".utf8))
    }

    @Test(arguments: ["\0\0\0\0", "x", "garbage", "\u{1F}", "\u{1F}x"]) func bytesAfterTheEnd_areIgnored(
        garbage: String
    ) throws {
        for (coded, isGzip) in [(CodedBodies.gzip(body), true), (CodedBodies.zlib(body), false)] {
            let result = try #require(decoded(coded + Data(garbage.utf8), isGzip: isGzip, pieces: 5_000))
            #expect(result.body == body && result.hasEnded)
            // One byte may be the first one of another member.
            #expect(result.surplus == (isGzip && garbage.utf8.count == 1 ? 0 : garbage.utf8.count))
        }
    }

    @Test func bodyThatEndsEarly_hasNotEnded() throws {
        let coded = CodedBodies.gzip(body)
        for missing in [1, 8, 9, 100_000, coded.count - 1] {
            #expect(decoded(coded.dropLast(missing), isGzip: true)?.hasEnded == false)
        }
        // The second member lacks its end.
        #expect(decoded(CodedBodies.hello + coded.dropLast(1), isGzip: true)?.hasEnded == false)
        #expect(decoded(CodedBodies.zlib(body).dropLast(1), isGzip: false)?.hasEnded == false)
    }

    @Test func damage_isFound() {
        var coded = CodedBodies.gzip(body)
        coded[coded.count - 6] ^= 1
        #expect(decoded(coded, isGzip: true) == nil)
        #expect(decoded(Data("no gzip at all".utf8), isGzip: true) == nil)
        #expect(decoded(CodedBodies.zlib(body), isGzip: true) == nil)
    }
}
#endif
