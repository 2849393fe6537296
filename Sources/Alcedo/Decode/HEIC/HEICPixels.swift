#if os(Linux) && HEIC
import CHeif
import Foundation

/// The decoded pixels of an image, in libheif's memory: straight or premultiplied RGBA of 8 to 16 bits.
struct HEICPixels: ~Copyable {
    private let image: OpaquePointer
    /// Empty if there are no interleaved pixels.
    let size: PixelSize
    private let bits: Int

    /// Takes ownership of an image.
    init(_ image: OpaquePointer) {
        self.image = image
        bits = Int(heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved))
        size = PixelSize(
            width: Int(heif_image_get_width(image, heif_channel_interleaved)),
            height: Int(heif_image_get_height(image, heif_channel_interleaved)))
    }

    deinit { heif_image_release(image) }

    /// Makes a bitmap of the visible part of the image.
    func bitmap(_ picture: HEIFPicture, _ request: DecodeRequest) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: picture.size, limits: request.limits)
        var stride: Int32 = 0
        let plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride)
        guard let base = plane.map({ UnsafeRawPointer($0) }), (8...16).contains(bits) else {
            throw .corruptImage(.heic, reason: "no pixels")
        }
        let bytesPerRow = Int(stride)
        let width = builder.bytesPerRow
        let toneMapping = picture.colors?.toneMapping
        let table = DeepSamples(bits: bits, most: toneMapping == nil ? 255 : 65_535)
        try builder.withUnsafeMutableBytes { (target) throws(ImageLoaderError) in
            for row in 0..<picture.size.height {
                if row & 63 == 0 { try request.cancellation.check() }
                let output = UnsafeMutableRawBufferPointer(rebasing: target[row * width..<(row + 1) * width])
                let input = base + (picture.transforms.y + row) * bytesPerRow
                if bits == 8 {
                    output.copyMemory(
                        from: UnsafeRawBufferPointer(start: input + picture.transforms.x * 4, count: width))
                    if let toneMapping { toneMapping.map(output) }
                } else {
                    let samples = UnsafeRawBufferPointer(start: input + picture.transforms.x * 8, count: width * 2)
                    table.read(samples, to: output, toneMapping)
                }
            }
        }
        if picture.alpha == nil {
            builder.makeOpaque()
        } else if picture.isPremultiplied {
            builder.clampToAlpha()
        } else {
            builder.premultiply()
        }
        return builder.freeze()
    }
}

/// Converts samples of 9 to 16 bits to another range, rounded.
private struct DeepSamples {
    private let values: [UInt16]

    /// - Parameter most: The largest value of the other range.
    init(bits: Int, most: Int) {
        let last = (1 << bits) - 1
        values = bits == 8 ? [] : (0...last).map { UInt16(($0 * most + last / 2) / last) }
    }

    func read(
        _ samples: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, _ toneMapping: ToneMapping?
    ) {
        let last = values.count - 1
        func value(_ index: Int) -> UInt16 {
            values[
                min(last, Int(UInt16(littleEndian: samples.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))))]
        }
        if let toneMapping {
            let row = (0..<output.count).map(value)
            toneMapping.map(row.span, to: output)
        } else {
            for index in 0..<output.count { output[index] = UInt8(truncatingIfNeeded: value(index)) }
        }
    }
}

extension BitmapBuilder {
    /// Limits colors to their alpha, which premultiplied colors can't exceed.
    fileprivate mutating func clampToAlpha() {
        withUnsafeMutableBytes { bytes in
            for start in stride(from: 0, to: bytes.count - 3, by: 4) {
                for index in start..<start + 3 { bytes[index] = min(bytes[index], bytes[start + 3]) }
            }
        }
    }
}
#endif
