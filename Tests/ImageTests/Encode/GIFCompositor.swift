import Alcedo
import AlcedoTestSupport
import Foundation

/// Reads a GIF as its specification says (GIF89a, 1990), strictly, and composes the frames as viewers do. Uses none of
/// the library's own code for GIF.
struct GIFCompositor {
    /// What viewers show where no image is, and where one was cleared.
    enum Ground: CaseIterable {
        /// Nothing, as browsers do.
        case transparent
        /// The background color, as the specification says; nothing if the image's transparent index is that of the
        /// background.
        case backgroundColor
        /// Nothing if the image has a transparent index, and the background color otherwise.
        case byImage
    }

    struct Malformed: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// One image of the file.
    struct Image {
        var x = 0
        var y = 0
        var width = 0
        var height = 0
        var disposal = 0
        var transparent: Int?
        var palette: [SIMD4<UInt8>] = []
        var indices: [Int] = []
    }

    private let bytes: [Int]
    private var offset = 0
    private(set) var width = 0
    private(set) var height = 0
    private(set) var background = 0
    private var palette: [SIMD4<UInt8>] = []
    private(set) var images: [Image] = []

    init(_ file: Data) throws {
        bytes = file.map(Int.init)
        guard try take(6) == "GIF89a".utf8.map(Int.init) else { throw Malformed("signature") }
        (width, height) = (try word(), try word())
        let flags = try byte()
        background = try byte()
        _ = try byte()
        if flags & 0x80 != 0 { palette = try colors(flags) }
        var control = Image()
        while true {
            switch try byte() {
            case 0x3B:
                guard offset == bytes.count else { throw Malformed("bytes after the end") }
                return
            case 0x2C:
                images.append(try image(control))
                control = Image()
            case 0x21:
                if try byte() == 0xF9 {
                    let content = try blocks()
                    guard content.count == 4 else { throw Malformed("control of \(content.count) bytes") }
                    control.disposal = content[0] >> 2 & 7
                    control.transparent = content[0] & 1 == 1 ? content[3] : nil
                } else {
                    _ = try blocks()
                }
            case let other: throw Malformed("block \(other)")
            }
        }
    }

    /// The frames, with pixels that are opaque or 0.
    func frames(on ground: Ground) throws -> [Bitmap] {
        func cleared(_ image: Image) -> SIMD4<UInt8> {
            let isClear =
                switch ground {
                case .transparent: true
                case .backgroundColor: image.transparent == background
                case .byImage: image.transparent != nil
                }
            return isClear || background >= palette.count ? .zero : palette[background]
        }
        guard let first = images.first else { throw Malformed("no image") }
        var canvas = [SIMD4<UInt8>](repeating: cleared(first), count: width * height)
        return try images.map { image in
            let places = (0..<image.height).flatMap { row in
                (0..<image.width).map { (image.y + row) * width + image.x + $0 }
            }
            for (place, index) in zip(places, image.indices) where index != image.transparent {
                canvas[place] = image.palette[index]
            }
            let frame = try Pictures.make(width, height) { canvas[$1 * width + $0] }
            guard image.disposal < 3 else { throw Malformed("disposal \(image.disposal)") }
            if image.disposal == 2 { for place in places { canvas[place] = cleared(image) } }
            return frame
        }
    }

    // MARK: Blocks

    private mutating func take(_ count: Int) throws -> [Int] {
        guard offset + count <= bytes.count else { throw Malformed("ends too early") }
        offset += count
        return Array(bytes[offset - count..<offset])
    }

    private mutating func byte() throws -> Int { try take(1)[0] }

    private mutating func word() throws -> Int { try byte() | byte() << 8 }

    private mutating func colors(_ flags: Int) throws -> [SIMD4<UInt8>] {
        try (0..<2 << (flags & 7)).map { _ in
            let color = try take(3).map(UInt8.init)
            return [color[0], color[1], color[2], 255]
        }
    }

    private mutating func blocks() throws -> [Int] {
        var content: [Int] = []
        while true {
            let count = try byte()
            if count == 0 { return content }
            content += try take(count)
        }
    }

    private mutating func image(_ control: Image) throws -> Image {
        var image = control
        (image.x, image.y, image.width, image.height) = (try word(), try word(), try word(), try word())
        guard image.width > 0, image.height > 0, image.x + image.width <= width, image.y + image.height <= height
        else { throw Malformed("an image beyond the canvas") }
        let flags = try byte()
        guard flags & 0x40 == 0 else { throw Malformed("interlaced") }
        image.palette = flags & 0x80 == 0 ? palette : try colors(flags)
        let minimum = try byte()
        image.indices = try Self.unpacked(blocks(), minimum, count: image.width * image.height)
        guard image.indices.allSatisfy(image.palette.indices.contains) else { throw Malformed("an index of no color") }
        return image
    }

    /// Unpacks codes of variable length (appendix F).
    private static func unpacked(_ data: [Int], _ minimum: Int, count: Int) throws -> [Int] {
        let clear = 1 << minimum
        let start = (0..<clear).map { [$0] } + [[], []]
        var (strings, bits, previous) = (start, minimum + 1, [Int]())
        var (pending, pendingBits, place) = (0, 0, 0)
        var output: [Int] = []
        while true {
            while pendingBits < bits {
                guard place < data.count else { throw Malformed("no end code") }
                pending |= data[place] << pendingBits
                (pendingBits, place) = (pendingBits + 8, place + 1)
            }
            let code = pending & ((1 << bits) - 1)
            (pending, pendingBits) = (pending >> bits, pendingBits - bits)
            if code == clear + 1 { break }
            if code == clear {
                (strings, bits, previous) = (start, minimum + 1, [])
                continue
            }
            guard code < strings.count || code == strings.count && !previous.isEmpty else {
                throw Malformed("code \(code) of \(strings.count)")
            }
            let string = code < strings.count ? strings[code] : previous + [previous[0]]
            output += string
            if !previous.isEmpty, strings.count < 4_096 {
                strings.append(previous + [string[0]])
                if strings.count == 1 << bits, bits < 12 { bits += 1 }
            }
            previous = string
        }
        guard output.count == count else { throw Malformed("\(output.count) of \(count) pixels") }
        return output
    }
}
