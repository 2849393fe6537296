#if canImport(Darwin) || os(Linux) && Encryption
import Alcedo
import Foundation
import Testing

/// AES-256-GCM against vectors of NIST's Cryptographic Algorithm Validation Program (gcmEncryptExtIV256, nonces of 96
/// bits, tags of 128 bits).
@Suite struct AESGCMTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let key, nonce, plaintext, context, ciphertext, tag: Data

        init(
            _ key: String, _ nonce: String, _ plaintext: String, _ context: String, _ ciphertext: String, _ tag: String
        ) {
            (self.key, self.nonce, self.plaintext) = (Data(hex: key), Data(hex: nonce), Data(hex: plaintext))
            (self.context, self.ciphertext, self.tag) = (Data(hex: context), Data(hex: ciphertext), Data(hex: tag))
        }

        var cipher: AESGCM { AESGCM(key: Array(key)) }
        var testDescription: String { "\(plaintext.count) bytes, \(context.count) of context" }
    }

    static let vectors = [
        Vector(
            "b52c505a37d78eda5dd34f20c22540ea1b58963cf8e5bf8ffa85f9f2492505b4", "516c33929df5a3284ff463d7", "", "", "",
            "bdc1ac884d332457a1d2664f168c76f0"),
        Vector(
            "78dc4e0aaf52d935c3c01eea57428f00ca1fd475f5da86a49c8dd73d68c8e223", "d79cf22d504cc793c3fb6c8a", "",
            "b96baa8c1c75a671bfb2d08d06be5f36", "", "3e5d486aa2e30b22e040b85723a06e76"),
        Vector(
            "31bdadd96698c204aa9ce1448ea94ae1fb4a9a0b3c9d773b51bb1822666b8f22", "0d18e06c7c725ac9e362e1ce",
            "2db5168e932556f8089a0622981d017d", "", "fa4362189661d163fcd6a56d8bf0405a",
            "d636ac1bbedd5cc3ee727dc2ab4a9489"),
        Vector(
            "92e11dcdaa866f5ce790fd24501f92509aacf4cb8b1339d50c9c1240935dd08b", "ac93a1a6145299bde902f21a",
            "2d71bcfa914e4ac045b2aa60955fad24", "1e0889016f67601c8ebea4943bc23ad6", "8995ae2e6df3dbf96fac7b7137bae67f",
            "eca5aa77d51d4a0a14d9c51e1da474ab"),
        Vector(
            "83688deb4af8007f9b713b47cfa6c73e35ea7a3aa4ecdb414dded03bf7a0fd3a", "0b459724904e010a46901cf3",
            "33d893a2114ce06fc15d55e454cf90c3", "794a14ccd178c8ebfd1379dc704c5e208f9d8424",
            "cc66bee423e3fcd4c0865715e9586696", "0fb291bd3dba94a1dfd8b286cfb97ac5"),
        Vector(
            "82c4f12eeec3b2d3d157b0f992d292b237478d2cecc1d5f161389b97f999057a", "7b40b20f5f397177990ef2d1",
            "982a296ee1cd7086afad976945", "", "ec8e05a0471d6b43a59ca5335f", "113ddeafc62373cac2f5951bb9165249"),
        Vector(
            "1fded32d5999de4a76e0f8082108823aef60417e1896cf4218a2fa90f632ec8a", "1f3afa4711e9474f32e70462",
            "06b2c75853df9aeb17befd33cea81c630b0fc53667ff45199c629c8e15dce41e530aa792f796b8138eeab2e86c7b7bee1d40b0",
            "",
            "91fbd061ddc5a7fcc9513fcdfdc9c3a7c5d4d64cedf6a9c24ab8a77c36eefbf1c5dc00bc50121b96456c8cd8b6ff1f8b3e480f",
            "30096d340f3d5c42d82a6f475def23eb"),
        Vector(
            "24501ad384e473963d476edcfe08205237acfd49b5b8f33857f8114e863fec7f", "9ff18563b978ec281b3f2794",
            "27f348f9cdc0c5bd5e66b1ccb63ad920ff2219d14e8d631b3872265cf117ee86757accb158bd9abb3868fdc0d0b074b5f01b2c",
            "adb5ec720ccf9898500028bf34afccbcaca126ef",
            "eb7cb754c824e8d96f7c6d9b76c7d26fb874ffbf1d65c6f64a698d839b0b06145dae82057ad55994cf59ad7f67c0fa5e85fab8",
            "bc95c532fecc594c36d1550286a7a3f0"),
    ]

    @Test(arguments: vectors) func vector_matches(_ vector: Vector) {
        let sealed = vector.cipher.seal(
            vector.plaintext, nonce: Array(vector.nonce), authenticating: vector.context)
        #expect(sealed == vector.ciphertext + vector.tag)
        #expect(
            vector.cipher.open(
                vector.ciphertext + vector.tag, nonce: Array(vector.nonce), authenticating: vector.context)
                == vector.plaintext)
    }

    @Test(arguments: vectors) func changedBytes_areRefused(_ vector: Vector) {
        let (nonce, sealed) = (Array(vector.nonce), vector.ciphertext + vector.tag)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(vector.cipher.open(changed, nonce: nonce, authenticating: vector.context) == nil)
            #expect(vector.cipher.open(sealed.prefix(index), nonce: nonce, authenticating: vector.context) == nil)
        }
        for index in nonce.indices {
            var changed = nonce
            changed[index] ^= 0x80
            #expect(vector.cipher.open(sealed, nonce: changed, authenticating: vector.context) == nil)
        }
        #expect(vector.cipher.open(sealed, nonce: nonce, authenticating: vector.context + [0]) == nil)
        #expect(vector.cipher.open(sealed + [0], nonce: nonce, authenticating: vector.context) == nil)
        var other = Array(vector.key)
        other[31] ^= 1
        #expect(AESGCM(key: other).open(sealed, nonce: nonce, authenticating: vector.context) == nil)
    }

    @Test func head_precedesTheCiphertext_andPartsOfOtherBytesAreTaken() throws {
        let vector = try #require(Self.vectors.last)
        let (head, nonce) = (Data([1, 2, 3]), Array(vector.nonce))
        let text = (Data([9]) + vector.plaintext).dropFirst()
        let sealed = try #require(
            vector.cipher.seal(text, after: head, nonce: nonce, authenticating: vector.context))
        #expect(sealed == head + vector.ciphertext + vector.tag)
        #expect(
            vector.cipher.open(sealed.dropFirst(3), nonce: nonce, authenticating: vector.context) == vector.plaintext)
    }

    #if os(Linux)
    /// libcrypto takes at most 2 GiB at a time.
    @Test func longTexts_areProcessedInParts() throws {
        let vector = try #require(Self.vectors.last)
        let cipher = AESGCM(key: Array(vector.key), longestPart: 16)
        let (nonce, sealed) = (Array(vector.nonce), vector.ciphertext + vector.tag)
        #expect(cipher.seal(vector.plaintext, nonce: nonce, authenticating: vector.context) == sealed)
        #expect(cipher.open(sealed, nonce: nonce, authenticating: vector.context) == vector.plaintext)
    }

    @Test func nonceOfAnotherLength_isRefused() throws {
        let vector = try #require(Self.vectors.last)
        #expect(vector.cipher.seal(Data(), nonce: [1], authenticating: Data()) == nil)
        #expect(vector.cipher.open(Data(count: 16), nonce: [1], authenticating: Data()) == nil)
    }
    #endif
}

extension Data {
    fileprivate init(hex: String) {
        let digits = Array(hex.utf8).map { UInt8(Character(Unicode.Scalar($0)).hexDigitValue ?? 0) }
        self.init(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}
#endif
