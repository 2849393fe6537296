import Foundation

@testable import Alcedo

/// All that a decoder can be asked for, of one input. What comes of it is checked, and a lie is a trap.
struct DecoderRun<Decoder: StoredImageDecoding> {
    private let decoder: Decoder
    private let limits: DecodeLimits

    init(_ decoder: Decoder) {
        self.decoder = decoder
        var limits = DecodeLimits()
        // Small, so that there are many runs.
        limits.pixels = 1 << 16
        limits.side = 1 << 12
        limits.animationPixels = 1 << 14
        limits.bitmapBytes = 1 << 18
        limits.metadataBytes = 1 << 16
        limits.frames = 50
        limits.jpegScans = 20
        self.limits = limits
    }

    func run(_ input: Data) {
        attempt { () throws(ImageLoaderError) in
            let header = try decoder.header(of: input, limits: limits)
            try whole(input, header)
            try small(input, DecodeTarget(PixelSize(width: 5, height: 7)), header)
            try small(input, DecodeTarget(PixelSize(width: 9, height: 3), mode: .crop, allowsUpscaling: true), header)
            try small(input, Self.part(of: header), header)
        }
        attempt { () throws(ImageLoaderError) in try damaged(input) }
    }

    private func attempt(_ body: () throws(ImageLoaderError) -> Void) {
        do throws(ImageLoaderError) {
            try body()
        } catch {
            precondition(error != .cancelled, "cancelled by nobody")
        }
    }

    /// A region in the middle, at half its size.
    private static func part(of header: ImageHeader) -> DecodeTarget {
        let (width, height) = (header.uprightSize.width, header.uprightSize.height)
        let region = PixelRectangle(x: width / 3, y: height / 3, width: (width + 1) / 2, height: (height + 1) / 2)
        return DecodeTarget(PixelSize(width: (width + 3) / 4, height: (height + 3) / 4), region: region)
    }

    private func damaged(_ input: Data) throws(ImageLoaderError) {
        var request = DecodeRequest(limits: limits)
        request.damaged = .showWhatIsThere
        let picture = try decoder.decode(input, request)
        check(picture.bitmap, isOpaque: picture.isOpaque)
    }

    private func whole(_ input: Data, _ header: ImageHeader) throws(ImageLoaderError) {
        let request = DecodeRequest(limits: limits)
        _ = try decoder.estimatedCost(header, byteCount: input.count, request)
        let picture = try decoder.decodeStored(input, header, atLeast: nil, request)
        precondition(picture.bitmap.size == header.size, "another size than the head says")
        check(picture.bitmap, isOpaque: picture.isOpaque)
        guard let animation = picture.animation else { return }
        precondition(animation.delays.count > 1 && animation.delays.count <= limits.frames, "a count of frames")
        var frames = try animation.makeFrames()
        for index in animation.delays.indices {
            let frame = try frames.next()
            precondition(frame.size == header.size, "a frame of another size")
            precondition(index > 0 || frame == picture.bitmap, "another first frame")
            check(frame, isOpaque: picture.isOpaque)
        }
    }

    private func small(_ input: Data, _ target: DecodeTarget, _ header: ImageHeader) throws(ImageLoaderError) {
        var request = DecodeRequest(limits: limits, target: target)
        request.frames = .first
        _ = try decoder.estimatedCost(header, byteCount: input.count, request)
        let picture = try decoder.decode(input, request)
        precondition(picture.size == target.plan(for: header.uprightSize), "another size than was asked for")
        check(picture.bitmap, isOpaque: picture.isOpaque)
    }

    /// No color above its alpha, and no transparency where there is said to be none.
    private func check(_ bitmap: Bitmap, isOpaque: Bool) {
        bitmap.withBytes { bytes in
            for offset in stride(from: 0, to: bytes.byteCount, by: 4) {
                let pixel = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
                precondition(pixel.max() == pixel[3], "not premultiplied")
                precondition(pixel[3] == 255 || !isOpaque, "not opaque")
            }
        }
    }
}

extension DecodeTarget {
    /// The size of a picture of `original` pixels in the end.
    fileprivate func plan(for original: PixelSize) -> PixelSize { plan(for: original).part }
}
