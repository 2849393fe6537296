import Alcedo
import Foundation

/// A format of this program's own: "TOY1", width and height in two bytes each, and premultiplied RGBA.
extension ImageFormat {
    static let toy = ImageFormat(rawValue: "toy", mediaTypes: ["image/x-toy"])
}

struct ToyEncoder: ImageEncoding {
    var format: ImageFormat { .toy }
    var identity: String { "toy 1" }

    func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        guard let width = UInt16(exactly: bitmap.size.width), let height = UInt16(exactly: bitmap.size.height) else {
            throw .encodingFailed(.toy, reason: "\(bitmap.size) pixels")
        }
        var file = Data("TOY1".utf8) + [UInt8(width >> 8), UInt8(width & 255), UInt8(height >> 8), UInt8(height & 255)]
        for y in 0..<bitmap.size.height {
            for x in 0..<bitmap.size.width {
                let pixel = bitmap[x, y]
                file += [pixel.x, pixel.y, pixel.z, pixel.w]
            }
        }
        return file
    }
}

struct ToyDecoder: StoredImageDecoding {
    var format: ImageFormat { .toy }

    func recognizes(_ head: Data, detected: ImageFormat?) -> Bool { head.starts(with: Data("TOY1".utf8)) }

    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        let head = [UInt8](data.prefix(8))
        guard head.count == 8 else { throw .corruptImage(.toy, reason: "ends too early") }
        let size = PixelSize(width: Int(head[4]) << 8 | Int(head[5]), height: Int(head[6]) << 8 | Int(head[7]))
        try limits.check(size)
        return ImageHeader(format: .toy, size: size)
    }

    func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let pixels = data.dropFirst(8)
        guard pixels.count == header.size.width * header.size.height * 4 else {
            throw .corruptImage(.toy, reason: "\(pixels.count) bytes of pixels")
        }
        return StoredImage(bitmap: try Self.bitmap(pixels, header.size, request.limits))
    }

    fileprivate static func bitmap(
        _ pixels: Data, _ size: PixelSize, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: size, limits: limits)
        builder.withBytes { target in
            for (offset, byte) in pixels.enumerated() {
                target.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
        return builder.freeze()
    }
}

extension ToyDecoder: PreviewDecoding {
    func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        head.count < 8 ? nil : try header(of: head, limits: request.limits)
    }

    func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        header.size.width * header.size.height * 8
    }

    func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        ToyReader(header, request)
    }
}

/// Shows the rows that have arrived.
private final class ToyReader: PreviewReading {
    private let header: ImageHeader
    private let request: DecodeRequest
    private var bytes = Data()
    private var shownRows = 0

    init(_ header: ImageHeader, _ request: DecodeRequest) {
        self.header = header
        self.request = request
    }

    func append(
        _ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) {
        self.bytes.append(contentsOf: bytes)
    }

    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage? {
        let rowBytes = header.size.width * 4
        let rows = max(0, bytes.count - 8) / rowBytes
        guard rows > shownRows else { return nil }
        shownRows = rows
        let bitmap = try ToyDecoder.bitmap(bytes.dropFirst(8).prefix(rows * rowBytes), header.size, request.limits)
        return PartialImage(
            bitmap: bitmap, coverage: Double(rows) / Double(header.size.height), quality: .final)
    }
}
