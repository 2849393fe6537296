#if BMP || canImport(Darwin)
/// The bits of red, green, blue and alpha in a pixel of a bitmap.
struct BMPChannels: Sendable, Hashable {
    /// The adjacent bits of one channel.
    struct Channel: Sendable, Hashable {
        let shift: UInt32
        /// 0 for a channel that is missing.
        let bits: UInt32

        /// The channel's value in a pixel, from 0 to 255, rounded to nearest; 0 if the channel is missing.
        func value(of pixel: UInt32) -> UInt32 { scaled(UInt64(pixel >> shift)) }

        /// The values for all numbers that the lower eight bits of a shifted pixel can form.
        var table: [UInt32] { (0..<256).map { scaled($0) } }

        private func scaled(_ number: UInt64) -> UInt32 {
            let most: UInt64 = 1 << UInt64(bits) - 1
            return bits == 0 ? 0 : UInt32(truncatingIfNeeded: ((number & most) * 255 + most / 2) / most)
        }
    }

    let red: Channel
    let green: Channel
    let blue: Channel
    let alpha: Channel

    /// Five bits each, without alpha.
    static let fiveBits = BMPChannels(
        red: Channel(shift: 10, bits: 5), green: Channel(shift: 5, bits: 5), blue: Channel(shift: 0, bits: 5),
        alpha: Channel(shift: 0, bits: 0))

    /// Whether the channels are bytes in the order blue, green, red, alpha.
    var isBGRA: Bool {
        [blue, green, red, alpha] == stride(from: 0, to: 32, by: 8).map { Channel(shift: $0, bits: 8) }
    }

    var mostBits: Int { [red, green, blue, alpha].map { Int($0.bits) }.max() ?? 0 }
}

extension BMPChannels {
    /// Reads the masks, which follow a header of 40 bytes and are part of longer headers. Returns nil if the bits of a
    /// mask aren't adjacent.
    ///
    /// - Parameter bits: The number of bits of a pixel.
    init?(_ bytes: Span<UInt8>, at offset: Int, bits: Int, hasAlpha: Bool) {
        let all: UInt32 = bits == 32 ? .max : 0xFFFF
        let channels = (0..<4).compactMap { number in
            Channel(mask: number == 3 && !hasAlpha ? 0 : all & UInt32(bytes.littleLong(at: offset + 4 * number) ?? 0))
        }
        guard channels.count == 4 else { return nil }
        self.init(red: channels[0], green: channels[1], blue: channels[2], alpha: channels[3])
    }
}

extension BMPChannels.Channel {
    fileprivate init?(mask: UInt32) {
        let (shift, bits) = (mask.trailingZeroBitCount, mask.nonzeroBitCount)
        guard mask == 0 || mask.leadingZeroBitCount + shift + bits == 32 else { return nil }
        self.init(shift: mask == 0 ? 0 : UInt32(shift), bits: UInt32(bits))
    }
}
#endif
