import Foundation

/// Writes the chunks of a WebP, valid or not, around images that an encoder has made.
enum WebPFixture {
    /// The file that consists of these chunks.
    static func file(_ chunks: [UInt8]...) -> Data {
        let content = Array("WEBP".utf8) + chunks.joined()
        return Data(Array("RIFF".utf8) + long(content.count) + content)
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        Array(type.utf8) + long(content.count) + content + (content.count % 2 == 0 ? [] : [0])
    }

    /// The head of a file with more than one chunk.
    static func head(_ width: Int, _ height: Int, _ flags: Flags) -> [UInt8] {
        chunk("VP8X", [flags.rawValue, 0, 0, 0] + triple(width - 1) + triple(height - 1))
    }

    struct Flags: OptionSet {
        var rawValue: UInt8
        static let animation = Flags(rawValue: 2)
        static let xmp = Flags(rawValue: 4)
        static let exif = Flags(rawValue: 8)
        static let alpha = Flags(rawValue: 16)
        static let profile = Flags(rawValue: 32)
    }

    /// The image chunks of a file that an encoder has made: the pixels and their alpha.
    static func picture(_ file: Data) -> [UInt8] {
        Array(file.dropFirst(file.dropFirst(12).starts(with: "VP8X".utf8) ? 30 : 12))
    }

    /// The chunk with the loop count.
    static func loops(_ count: Int) -> [UInt8] {
        chunk("ANIM", [0, 0, 0, 255, UInt8(count & 255), UInt8(count >> 8)])
    }

    /// A frame chunk. Its position must be even.
    struct Frame {
        var x = 0
        var y = 0
        var width: Int
        var height: Int
        var delay = 100
        var blends = true
        var isCleared = false
        var picture: [UInt8]

        var chunk: [UInt8] {
            let place: [UInt8] = [x / 2, y / 2, width - 1, height - 1, delay].flatMap(triple)
            return WebPFixture.chunk("ANMF", place + [(blends ? 0 : 2) | (isCleared ? 1 : 0)] + picture)
        }
    }

    static func animation(_ width: Int, _ height: Int, loops: Int = 0, _ frames: [Frame]) -> Data {
        file(head(width, height, [.animation, .alpha]), self.loops(loops), frames.flatMap(\.chunk))
    }

    /// A lossy image with a head that has 14 bits for each side, but without pixels.
    static func claim(_ width: Int, _ height: Int) -> Data {
        file(chunk("VP8 ", [0x10, 0, 0, 0x9D, 1, 0x2A] + word(width) + word(height) + [0, 0, 0, 0]))
    }

    static func long(_ value: Int) -> [UInt8] { word(value & 0xFFFF) + word(value >> 16) }
    static func triple(_ value: Int) -> [UInt8] { word(value & 0xFFFF) + [UInt8(value >> 16 & 255)] }
    static func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
}
