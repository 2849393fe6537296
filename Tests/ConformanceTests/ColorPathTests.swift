#if os(Linux) && JPEG && PNG && GIF && WebP && AVIF && ColorProfiles
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// Colors stay the same on their way through scaling, processors, encoders and the disk cache.
///
/// The files are those of ``ColorConformanceTests``, which compares the decoded pictures with references. Here, these
/// pictures are the references.
struct ColorPathTests {
    struct File: CustomTestStringConvertible, Sendable {
        let bytes: Data
        let testDescription: String
        /// In its own colors.
        let image: DecodedImage
        /// In sRGB.
        let expected: Bitmap

        init(_ bytes: Data, _ name: String) throws {
            (self.bytes, testDescription) = (bytes, name)
            image = try ImageDecoders.builtIn.decode(bytes)
            expected = try ColorPathTests.inSRGB(bytes)
        }
    }

    /// Those of the corpus; without it, one picture of sRGB.
    private static let files = Result {
        let corpus = try ColorConformanceTests.files.map { file in
            try File(Data(contentsOf: file.folder.appending(path: file.name)), file.name)
        }
        let patches = try Pictures.make(96, 72) { x, y in [UInt8(x / 12 * 36), UInt8(y / 12 * 50), 90, 255] }
        return try corpus.isEmpty ? [File(PNGEncoder().encode(patches), "patches")] : corpus
    }

    private static func inSRGB(_ bytes: Data, _ target: DecodeTarget? = nil) throws -> Bitmap {
        var request = DecodeRequest(target: target)
        request.convertsToSRGB = true
        return try ImageDecoders.builtIn.decode(bytes, request).bitmap
    }

    private static func inSRGB(_ image: DecodedImage) throws -> Bitmap { try inSRGB(PNGEncoder().encode(image)) }

    /// The mean and the largest CIEDE2000 difference, of one pixel in nine, or of those in flat patches of the second
    /// bitmap.
    private func difference(_ one: Bitmap, _ other: Bitmap, flatOnly: Bool = false) -> (mean: Double, most: Double) {
        guard one.size == other.size else { return (.infinity, .infinity) }
        var (sum, count, most) = (0.0, 0, 0.0)
        for y in stride(from: 1, to: one.size.height, by: 3) {
            for x in stride(from: 1, to: one.size.width, by: 3) where !flatOnly || isFlat(other, x, y) {
                let difference = colorDifference(one[x, y], other[x, y])
                (sum, count, most) = (sum + difference, count + 1, max(most, difference))
            }
        }
        return (count == 0 ? 0 : sum / Double(count), most)
    }

    private func isFlat(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> Bool {
        let reach = 2
        guard (reach..<bitmap.size.width - reach).contains(x), (reach..<bitmap.size.height - reach).contains(y) else {
            return false
        }
        let pixel = bitmap[x, y]
        return (y - reach...y + reach).allSatisfy { v in
            (x - reach...x + reach).allSatisfy { u in
                (0..<4).allSatisfy { abs(Int(bitmap[u, v][$0]) - Int(pixel[$0])) <= 1 }
            }
        }
    }

    private func turned(_ bitmap: Bitmap) throws -> Bitmap {
        try Pictures.make(bitmap.size.width, bitmap.size.height) { x, y in
            bitmap[bitmap.size.width - 1 - x, bitmap.size.height - 1 - y]
        }
    }

    private static let lossless: [any ImageEncoding] = [PNGEncoder(), WebPEncoder(.lossless)]
    private static let lossy: [any ImageEncoding] = {
        var (jpeg, avif) = (JPEGEncoder(quality: 90), AVIFEncoder(quality: 90, speed: 8))
        (jpeg.subsampling, avif.subsampling) = (.yuv444, .yuv444)
        return [jpeg, WebPEncoder(.lossy(quality: 90)), avif]
    }()

    @Test func filesHaveFlatPatches_andOtherProfiles() throws {
        let files = try Self.files.get()
        #expect(
            files.allSatisfy { file in
                (0..<72).contains { y in (0..<96).contains { x in isFlat(file.expected, x, y) } }
            })
        #expect(files.count == 1 || files.count { $0.image.profile != nil } > 20)
    }

    @Test func losslessEncoders_keepColors() throws {
        for file in try Self.files.get() {
            for encoder in Self.lossless {
                let (mean, most) = difference(try Self.inSRGB(encoder.encode(file.image)), file.expected)
                #expect(mean <= 1 && most <= 3, "\(encoder.format) of \(file): \(mean), \(most)")
            }
        }
    }

    @Test func lossyEncoders_keepPatches() throws {
        for file in try Self.files.get() {
            for encoder in Self.lossy {
                let made = try Self.inSRGB(encoder.encode(file.image))
                let mean = difference(made, file.expected, flatOnly: true).mean
                #expect(mean <= 1.5, "\(encoder.format) of \(file): \(mean)")
            }
        }
    }

    /// Of some thumbnails, because finding palettes takes long without optimization.
    @Test func gif_isNear() throws {
        for file in try Self.files.get().enumerated().filter({ $0.offset % 3 == 0 }).map(\.element) {
            let target = DecodeTarget(PixelSize(width: 24, height: 18))
            let small = try ImageDecoders.builtIn.decode(file.bytes, DecodeRequest(target: target))
            let made = try Self.inSRGB(GIFEncoder().encode(small))
            let mean = difference(made, try Self.inSRGB(file.bytes, target)).mean
            #expect(mean <= 3, "\(file): \(mean)")
        }
    }

    @Test func thumbnails_keepPatches() throws {
        for file in try Self.files.get() {
            let target = DecodeTarget(PixelSize(width: 48, height: 36))
            let small = try ImageDecoders.builtIn.decode(file.bytes, DecodeRequest(target: target))
            let mean = difference(try Self.inSRGB(small), try Self.inSRGB(file.bytes, target), flatOnly: true).mean
            #expect(small.size.width == 48 && mean <= 1, "\(file): \(mean)")
        }
    }

    @Test func processedPictures_keepColors_alsoOnDisk() async throws {
        let files = try Self.files.get()
        let bytes = files.map(\.bytes)
        let temporary = try TemporaryDirectory()
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: temporary.url)
        configuration.disk?.contents = .processed
        configuration.dataLoader = ScriptedDataLoader { request in
            Int(request.url.lastPathComponent).map { .bytes(bytes[$0]) } ?? .status(404)
        }
        for source in [ImageSource.network, .disk] {
            let loader = ImageLoader(configuration)
            for (index, file) in files.enumerated() {
                var request = ImageRequest(url: try #require(URL(string: "http://host.test/\(index)")))
                request.processors = [.rotate(.half)]
                let response = try await loader.response(for: request)
                #expect(response.source == source)
                let (mean, most) = difference(try Self.inSRGB(response.image), try turned(file.expected))
                #expect(mean <= 1 && most <= 3, "\(file) from \(source): \(mean), \(most)")
            }
            await loader.close()
        }
    }
}
#endif
