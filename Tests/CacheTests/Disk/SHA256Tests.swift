import Alcedo
import Testing

/// Against the examples of FIPS 180-4 and the cases of RFC 4231.
struct SHA256Tests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func examplesOfStandard_match(message: String, digest: String) {
        #expect(SHA256.digest(of: bytes(message)).hexadecimal == digest)
    }

    @Test func millionLetters_match() {
        let letters = [UInt8](repeating: 0x61, count: 1_000_000)
        #expect(
            SHA256.digest(of: letters).hexadecimal
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    /// The digest of the digests of messages of 0 to 256 bytes, as another implementation made it.
    @Test func everyLength_upToFourBlocks() {
        let digests = (0...256).flatMap { length in SHA256.digest(of: (0..<length).map { UInt8($0 % 251) }) }
        #expect(
            SHA256.digest(of: digests).hexadecimal
                == "4c0384cbd3c2f144d0f3201210c48cf88c1e45e9a8f1f1aae791983835b2ba44")
    }

    @Test func rfc4231Cases_match() {
        let long = [UInt8](repeating: 0xAA, count: 131)
        let cases: [(key: [UInt8], message: [UInt8], code: String)] = [
            (
                [UInt8](repeating: 0x0B, count: 20), bytes("Hi There"),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                bytes("Jefe"), bytes("what do ya want for nothing?"),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Array(1...25), [UInt8](repeating: 0xCD, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                [UInt8](repeating: 0x0C, count: 20), bytes("Test With Truncation"),
                "a3b6167473100ee06e0c796c2955552b"
            ),
            (
                long, bytes("Test Using Larger Than Block-Size Key - Hash Key First"),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                long,
                bytes(
                    "This is a test using a larger than block-size key and a larger than block-size data. "
                        + "The key needs to be hashed before being used by the HMAC algorithm."),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ]
        for (key, message, code) in cases {
            #expect(SHA256.code(of: message, key: key).hexadecimal.hasPrefix(code))
        }
    }
}
