import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

#if os(Linux) && JPEG && PNG && GIF && WebP && ColorProfiles
/// What `alcedo load` does to the files that it saves.
@Suite(.timeLimit(.minutes(1))) struct LoadConversionTests {
    /// Loads `file` as `/a` with an ending, and returns the only file saved.
    private func saved(_ file: Data, as ending: String = "png", _ arguments: String...) async throws -> Data {
        try await saved(file, as: ending, arguments)
    }

    private func saved(_ file: Data, as ending: String = "png", _ arguments: [String]) async throws -> Data {
        let fixture = try LoadFixture { _ in .bytes(file).header("Cache-Control", "no-store") }
        let out = fixture.temporary.file("out")
        #expect(try await fixture.load([fixture.url("/a.\(ending)"), "-o", out] + arguments) == 0)
        #expect(fixture.server.statistics.requests == 1)
        let names = try fixture.temporary.names(in: "out")
        #expect(names.count == 1)
        return try Data(contentsOf: URL(fileURLWithPath: "\(out)/\(names[0])"))
    }

    private func animation() throws -> Data {
        let frames = try [20, 200].map {
            AnimationFrame(try Pictures.plain(8, 6, [UInt8($0), 0, 0, 255]), delay: .seconds(1))
        }
        return try GIFEncoder().encode(frames)
    }

    // MARK: Size

    @Test(arguments: ["64x48", "65535x65535", "64x1000"])
    func imageThatFits_isSavedAsReceived(_ size: String) async throws {
        let jpeg = try JPEGEncoder(quality: 40).encode(Pictures.gradient(64, 48))
        #expect(try await saved(jpeg, as: "jpg", "--resize", size) == jpeg)
        let png = try PNGEncoder(compressionLevel: 9).encode(Pictures.gradient(64, 48))
        #expect(try await saved(png, as: "png", "--resize", size) == png)
        let webP = try WebPEncoder(.lossless).encode(Pictures.gradient(64, 48))
        #expect(try await saved(webP, as: "webp", "--resize", size) == webP)
        #expect(try await saved(animation(), as: "gif", "--resize", size) == animation())
    }

    /// Its orientation is saved as well.
    @Test func turnedImage_isMeasuredUpright() async throws {
        let jpeg = try JPEGEncoder().encode(Pictures.gradient(64, 48))
        // One field, the orientation, is "right".
        let exif: [UInt8] = Array("Exif\0\0II".utf8) + [42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        let segment = [0xFF, 0xE1, 0, UInt8(exif.count + 6)] + exif + [0, 0, 0, 0]
        let turned = Data(jpeg.prefix(2) + segment + jpeg.dropFirst(2))
        #expect(try ImageDecoders.builtIn.decode(turned).size == PixelSize(width: 48, height: 64))
        #expect(try await saved(turned, as: "jpg", "--resize", "48x64") == turned)
        let smaller = try await saved(turned, as: "jpg", "--resize", "64x48")
        #expect(try ImageDecoders.builtIn.decode(smaller).size == PixelSize(width: 36, height: 48))
    }

    @Test func largerImage_isScaled() async throws {
        let file = try await saved(Pictures.png(64, 48), "--resize", "63x48")
        let image = try ImageDecoders.builtIn.decode(file)
        #expect(image.size == PixelSize(width: 63, height: 47) && image.format == .png)
    }

    /// An animation is scaled with all of its frames.
    @Test func largerAnimation_isScaled() async throws {
        let image = try ImageDecoders.builtIn.decode(await saved(animation(), as: "gif", "--resize", "4x4"))
        #expect(image.size == PixelSize(width: 4, height: 3) && image.animation?.frameCount == 2)
    }

    @Test func region_isThatPart() async throws {
        let png = try PNGEncoder().encode(Pictures.make(40, 20) { x, y in [UInt8(x * 6), UInt8(y * 12), 90, 255] })
        let image = try ImageDecoders.builtIn.decode(await saved(png, "--region", "10,5,12x8"))
        #expect(image.size == PixelSize(width: 12, height: 8) && image.bitmap[0, 0] == [60, 60, 90, 255])
        let scaled = try ImageDecoders.builtIn.decode(await saved(png, "--region", "10,5,12x8", "--resize", "6x6"))
        #expect(scaled.size == PixelSize(width: 6, height: 4))
        let large = try PNGEncoder().encode(Pictures.plain(400, 300, [9, 9, 9, 255]))
        let folder = try TemporaryDirectory()
        let beside = try ImageDecoders.builtIn.decode(
            await saved(large, "--region", "0,0,390x290", "--sheet", folder.file("sheet.png")))
        #expect(beside.size == PixelSize(width: 390, height: 290))
        for text in ["1,2,3", "a,0,1x1", "0,0,0x4", "-1,0,4x4", "0,0,4x4x4"] {
            #expect(throws: UsageError("load", "--region must be X,Y,WxH, such as 100,50,640x480: \(text)")) {
                try LoadOptions(["a", "--region", text])
            }
        }
    }

    @Test func crop_keepsAPart() async throws {
        let png = try PNGEncoder().encode(
            Pictures.make(80, 20) { x, _ in x < 60 ? [0, 0, 90, 255] : [255, 0, 0, 255] })
        for (name, color) in [("left", 0), ("right", 255), ("attention", 255)] as [(String, UInt8)] {
            let image = try ImageDecoders.builtIn.decode(await saved(png, "--resize", "20x20", "--crop", name))
            #expect(image.size == PixelSize(width: 20, height: 20) && image.bitmap[15, 10].x == color, "\(name)")
        }
        #expect(throws: UsageError("load", "--crop needs --resize")) {
            try LoadOptions(["a", "-o", "x", "--crop", "center"])
        }
    }

    @Test func imageThatFits_isConvertedToAnotherFormat() async throws {
        let png = try Pictures.png(64, 48)
        let file = try await saved(png, "--resize", "64x48", "--format", "jpeg")
        #expect(ImageFormat(sniffing: file) == .jpeg)
        #expect(try await saved(png, "--resize", "64x48", "--format", "png") == png)
    }

    // MARK: Settings of formats

    @Test func quality_makesFilesSmaller() async throws {
        let png = try PNGEncoder().encode(Pictures.noise(64, 48, seed: 2))
        for format in ["jpeg", "webp"] {
            let low = try await saved(png, as: "png", "--format", format, "--quality", "20")
            let high = try await saved(png, as: "png", "--format", format, "--quality", "90")
            #expect(ImageFormat(sniffing: low)?.rawValue == format && low.count < high.count)
        }
        // Without another format, it is that of a scaled image.
        let jpeg = try JPEGEncoder().encode(Pictures.gradient(64, 48))
        let low = try await saved(jpeg, as: "jpg", "--resize", "32x32", "--quality", "0")
        let high = try await saved(jpeg, as: "jpg", "--resize", "32x32", "--quality", "100")
        #expect(low.count < high.count)
    }

    @Test func lossless_keepsEveryPixel() async throws {
        let noise = try Pictures.noise(64, 48, seed: 2)
        let file = try await saved(PNGEncoder().encode(noise), "--format", "webp", "--lossless")
        #expect(ImageFormat(sniffing: file) == .webp)
        #expect(try ImageDecoders.builtIn.decode(file).bitmap == noise)
    }

    @Test func progressive_isWritten() async throws {
        let png = try Pictures.png(64, 48)
        for (option, marker) in [(["--progressive"], 0xC2), ([], 0xC0)] as [([String], UInt8)] {
            let fixture = try LoadFixture { _ in .bytes(png) }
            let out = fixture.temporary.file("out")
            #expect(try await fixture.load([fixture.url("/a"), "-o", out, "--format", "jpeg"] + option) == 0)
            let file = try Data(contentsOf: URL(fileURLWithPath: "\(out)/\(fixture.temporary.names(in: "out")[0])"))
            #expect(file.firstRange(of: Data([0xFF, marker])) != nil)
        }
    }

    @Test func metadata_isKeptOnDemand() async throws {
        var metadata = ImageMetadata()
        metadata.caption = "Dusk"
        metadata.location = .init(latitude: 1, longitude: 2)
        var encoder = JPEGEncoder()
        encoder.metadata = .keep
        let photo = try encoder.encode(DecodedImage(bitmap: Pictures.gradient(64, 48)).withMetadata(metadata))
        for format in ["jpeg", "png", "webp"] {
            for (option, caption, location) in [
                ([], nil, nil), (["--metadata", "strip"], nil, nil), (["--metadata", "keep"], "Dusk", 1),
                (["--metadata", "keep-without-location"], "Dusk", nil),
            ] as [([String], String?, Double?)] {
                let options = ["--format", format, "--resize", "32x32"] + option
                let read = try ImageMetadata(of: await saved(photo, as: "jpg", options))
                #expect(read.caption == caption && read.location?.latitude == location, "\(options)")
            }
        }
        // An image that fits is encoded nevertheless.
        let fitting = try await saved(photo, as: "jpg", ["--resize", "64x64", "--metadata", "strip"])
        #expect(try ImageMetadata(of: fitting).location == nil)
    }

    @Test func quality_isThatOfAnImageThatFits() async throws {
        let png = try PNGEncoder().encode(Pictures.noise(64, 48, seed: 2))
        let options = ["--format", "jpeg", "--quality"]
        let jpeg = try await saved(png, options + ["90"])
        let low = try await saved(jpeg, as: "jpg", ["--resize", "64x64", "--quality", "10"])
        #expect(low.count < jpeg.count / 2)
    }

    /// A drawn animation isn't blurred.
    @Test func drawnPicture_isLosslessInWebP() async throws {
        let gif = try animation()
        let file = try await saved(gif, as: "gif", "--format", "webp")
        let (read, original) = try (ImageDecoders.builtIn.decode(file), ImageDecoders.builtIn.decode(gif))
        #expect(read.bitmap == original.bitmap && read.animation?.frameCount == 2)
    }

    // MARK: Color

    /// 40 × 30 pixels of (200, 100, 50) in Display P3, which is (215, 93, 31) in sRGB.
    static let displayP3 = Data(
        base64Encoded: """
            iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAABTmlDQ1BJQ0MgUHJvZmlsZQAAeJxjYGA8kZOcW8wkwMCQm1dSFOTupBARGa\
            XA/oiBmUGEgZOBj0E2Mbm4wDfYLYQBCIoTy4uTS4pyGFDAt2sMjCD6sm5GYl7KllV35YVPMNt8DRRx1aia8YgBP+BMSS1OBtIfgDguuaCo\
            hIGBkQfI5ikvKQCxJYBskSKgo4BsHRA7HcJ2ALGTIOwQsJqQIGcgOwPITkhHYichsaF2gQBLaYAxikNKUitKQLSzswEDKAwgop8DwX5jFD\
            uDEGu+z8Bgu/////+7EWJe+xkYNpozMHDtRIhpWDAwCHIxMJzYmVxaVAa1RguIaxh+MM5hKmVuZjnJ5schxCXBk8T3RfC8yDeJLBk9BWeV\
            NZpZenXGry03219zC/c1CymLEU+RzWkrDavr7dCZZDZn9fKeTbf3zTx1/Hrqk/KPP///BwBXJGdN71xyRQAAAC5JREFUeNrtzTEBADAIAC\
            BdJDMZ1liL4OkDBcjpigsvjojFYrFYLBaLxWKxePcBGYsBmkQCzvUAAAAASUVORK5CYII=
            """)

    private func isNear(_ pixel: SIMD4<UInt8>, _ expected: SIMD4<UInt8>) -> Bool {
        (0..<4).allSatisfy { abs(Int(pixel[$0]) - Int(expected[$0])) <= 4 }
    }

    @Test(arguments: PictureFormat.names)
    func colors_areThoseOfTheImage(_ name: String) async throws {
        let file = try #require(Self.displayP3)
        for arguments in [["--resize", "20x15"], ["--resize", "40x30"], []] {
            let fixture = try LoadFixture { _ in .bytes(file) }
            let out = fixture.temporary.file("out")
            #expect(try await fixture.load([fixture.url("/a"), "-o", out, "--format", name] + arguments) == 0)
            let path = "\(out)/\(try fixture.temporary.names(in: "out")[0])"
            let image = try ImageDecoders.builtIn.decode(Data(contentsOf: URL(fileURLWithPath: path)))
            let isConverted = name == "gif"
            #expect(image.profile?.count == (isConverted ? nil : 456), "\(arguments)")
            let expected: SIMD4<UInt8> = isConverted ? [215, 93, 31, 255] : [200, 100, 50, 255]
            #expect(isNear(image.bitmap[5, 5], expected), "\(image.bitmap[5, 5]), \(arguments)")
        }
    }

    /// It has pictures of all profiles on it.
    @Test(arguments: [[], ["--resize", "20x15"]])
    func sheet_isSRGB(_ arguments: [String]) async throws {
        let file = try #require(Self.displayP3)
        let fixture = try LoadFixture { _ in .bytes(file) }
        let sheet = fixture.temporary.file("sheet.png")
        for output in [[], ["-o", fixture.temporary.file("out")]] {
            let all = [fixture.url("/a.png"), "--sheet", sheet, "--force"] + output + arguments
            #expect(try await fixture.load(all) == 0)
            let image = try ImageDecoders.builtIn.decode(Data(contentsOf: URL(fileURLWithPath: sheet)))
            #expect(isNear(image.bitmap[88, 68], [215, 93, 31, 255]), "\(image.bitmap[88, 68]), \(all)")
            #expect(image.profile == nil)
        }
    }
}
#endif
