import AlcedoTestSupport
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What holds for all processors, whatever the picture and the parameters.
@Suite struct ProcessorPropertyTests {
    private static let sizes = [(1, 1), (1, 40), (40, 1), (2, 3), (17, 17), (33, 21), (70, 130)]

    /// All processors, with parameters that a picture of any size allows.
    ///
    /// - Parameter sides: Of the sizes that pictures are resized to.
    static func processors(
        _ random: inout SeededRandom, sides: ClosedRange<Int> = 1...90
    ) throws -> [any ImageProcessing] {
        let color = PixelColor.random(&random)
        let border = PixelBorder(width: Double.random(in: 0...9, using: &random), color: PixelColor.random(&random))
        let other = try Pictures.noise(
            Int.random(in: 1...30, using: &random), Int.random(in: 1...30, using: &random), seed: random.next())
        let (part, wide) = (Double.random(in: 0...1, using: &random), Double.random(in: 0...40, using: &random))
        let size = PixelSize(
            width: Int.random(in: sides, using: &random), height: Int.random(in: sides, using: &random))
        let corners = RoundedCornersProcessor.Corners(rawValue: Int.random(in: 0...15, using: &random))
        let mode = BlendMode.allCases.randomElement(using: &random) ?? .normal
        let anchor = PixelAnchor.allCases.randomElement(using: &random) ?? .center
        return [
            .resize(to: size), .resize(to: size, mode: .fit, filter: .catmullRom, allowsUpscaling: true),
            .resize(to: size, mode: .fill), .crop(to: PixelSize(width: 1, height: 1), at: .place(anchor)),
            .crop(to: PixelSize(width: 1, height: 1), at: .attention),
            .crop(to: PixelRectangle(x: 0, y: 0, width: 1, height: 1)),
            .rotate(.clockwise), .rotate(.half), .rotate(.counterclockwise), .flip(.horizontal), .flip(.vertical),
            .roundedCorners(radius: .pixels(wide), corners: corners, border: border),
            .roundedCorners(radius: .fraction(part)), .circle(border: border), .circle(),
            .border(width: border.width, color: color), .background(color), .opacity(part),
            .blur(radius: wide), .blur(radius: part), .blur(radius: 150), .gray(), .tint(color, strength: part),
            .colorControls(brightness: 2 * part - 1, contrast: wide, saturation: 40 - wide, gamma: part + 0.1),
            .colorControls(brightness: part / 2, contrast: 1 + part, saturation: 2 * part),
            .overlay(color, mode: mode), .blend(other, mode: mode, opacity: part),
            .watermark(
                other, at: anchor, x: Int.random(in: -20...20, using: &random),
                y: Int.random(in: -20...20, using: &random), opacity: part, mode: mode),
        ]
    }

    @Test(arguments: 0..<(Fuzz.isLong ? 12 : 6)) func colors_neverExceedAlpha(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for (width, height) in Self.sizes {
            let noise = try Pictures.noise(width, height, seed: random.next())
            let hard = try Pictures.hardAlpha(width, height, seed: random.next())
            for processor in try Self.processors(&random) {
                for picture in [noise, hard] {
                    let result = try processor.made(of: picture)
                    must(result.isPremultiplied, "\(processor) of \(picture.size)")
                }
            }
        }
    }

    @Test func parametersThatChangeNothing_returnSamePicture() throws {
        let picture = try Pictures.noise(9, 7, seed: 1)
        let mark = try Pictures.plain(2, 2)
        let processors: [any ImageProcessing] = [
            .resize(to: picture.size), .resize(to: PixelSize(width: 18, height: 14), mode: .fit),
            .resize(to: PixelSize(width: 10, height: 7), allowsUpscaling: false),
            .crop(to: picture.size), .crop(to: PixelRectangle(x: 0, y: 0, size: picture.size)),
            .roundedCorners(radius: 0), .roundedCorners(radius: 5, corners: []), .border(width: 0, color: .black),
            .background(.clear), .opacity(1), .blur(radius: 0), .colorControls(), .tint(.white, strength: 0),
            .watermark(mark, at: .topLeft, x: 9),
        ]
        for processor in processors { #expect(try processor.made(of: picture) === picture, "\(processor)") }
        let opaque = try Pictures.plain(4, 4)
        #expect(try BackgroundProcessor(.black).made(of: opaque) === opaque)
    }

    /// Whatever its alpha, a plain picture stays exactly what it is when its pixels are averaged.
    @Test(arguments: [0, 1, 2, 127, 128, 254, 255] as [UInt8])
    func plainPicture_staysExact(alpha: UInt8) throws {
        let pixel = SIMD4(alpha, alpha / 2, 0, alpha)
        for (width, height) in Self.sizes {
            let picture = try Pictures.plain(width, height, pixel)
            for radius in [0.3, 1, 2.5, 20, 150] {
                must(try BlurProcessor(radius: radius).made(of: picture) == picture, "\(radius) \(picture.size)")
            }
            for filter in ResamplingFilter.allCases {
                for size in [PixelSize(width: 5, height: 90), PixelSize(width: 90, height: 3)] {
                    let result = try ResizeProcessor(to: size, filter: filter).made(of: picture)
                    must(try result == Pictures.plain(size.width, size.height, pixel), "\(filter) \(size)")
                }
            }
        }
    }

    /// Far beyond the picture, each side counts as half of all.
    @Test func largestRadius_isFine() throws {
        let picture = try Pictures.make(3, 2) { x, _ in [UInt8(x * 100), 0, 0, 255] }
        let result = try BlurProcessor(radius: 5_000).made(of: picture)
        for x in 0..<3 { #expect(abs(Int(result[x, 1].x) - 100) <= 1 && result[x, 0].w == 255) }
    }

    /// Pictures of several bands of rows and columns, which begin elsewhere in a picture that is upside down.
    @Test func bands_fitTogether() throws {
        let half = TurnProcessor(.half)
        let picture = try Pictures.noise(150, 200, seed: 1)
        let upsideDown = try half.made(of: picture)
        let processors: [any ImageProcessing] = [
            .blur(radius: 0.7), .blur(radius: 9), .roundedCorners(radius: 90), .circle(), .gray(), .opacity(0.6),
            .overlay(PixelColor(red: 9, green: 200, blue: 70, alpha: 99), mode: .hardLight),
            .border(width: 2.5, color: .white),
        ]
        for processor in processors {
            let (one, other) = (try processor.made(of: picture), try half.made(of: try processor.made(of: upsideDown)))
            let difference = try #require(one.difference(from: other))
            // Areas at corners are calculated from other numbers.
            #expect(difference <= 1, "\(processor)")
        }
    }

    @Test func resizedPicture_isThatOfDecoders() throws {
        let picture = try Pictures.noise(150, 201, seed: 2)
        for size in [PixelSize(width: 70, height: 133), PixelSize(width: 301, height: 250)] {
            let result = try ResizeProcessor(to: size, filter: .catmullRom).made(of: picture)
            let difference = try #require(
                result.difference(from: try picture.scaled(to: size, limits: DecodeLimits())))
            #expect(difference <= 1)
        }
    }

    @Test func opaquePicture_staysOpaque() throws {
        var random = SeededRandom(seed: 3)
        let picture = try Pictures.gradient(31, 18)
        let processors: [any ImageProcessing] = [
            .resize(to: PixelSize(width: 12, height: 40)), .blur(radius: 3), .gray(), .tint(.black, strength: 0.4),
            .colorControls(contrast: 3, gamma: 0.5), .border(width: 2.5, color: .random(&random)),
            .overlay(.random(&random), mode: .multiply), .watermark(try Pictures.noise(9, 9, seed: 1)),
        ]
        for processor in processors { #expect(try processor.made(of: picture).isOpaque, "\(processor)") }
    }

    @Test func cancelledProcessor_throws() throws {
        var random = SeededRandom(seed: 4)
        let picture = try Pictures.noise(40, 30, seed: 1)
        let context = ProcessingContext(originalSize: picture.size)
        context.cancellation.cancel()
        for processor in try Self.processors(&random) {
            // Neither is work: a copy of one pixel, and what changes nothing.
            if processor is CropProcessor { continue }
            do {
                let result = try processor.process(picture, context)
                must(result === picture, "\(processor)")
            } catch {
                must(error as? ImageLoaderError == .cancelled, "\(processor): \(error)")
            }
        }
    }

    /// The band that runs is the last one. Turns, flips and crops have no bands.
    @Test func processorCancelledDuringItsWork_endsIt() throws {
        let picture = try Pictures.plain(400, 400, [100, 20, 10, 128])
        let (small, large) = (try Pictures.noise(40, 30, seed: 5), try Pictures.plain(400, 400))
        let border = PixelBorder(width: 2.5, color: .white)
        let long: [any ImageProcessing] = [
            .resize(to: PixelSize(width: 390, height: 390)), .blur(radius: 20), .gray(), .colorControls(contrast: 2),
            .colorControls(gamma: 2), .roundedCorners(radius: .pixels(30)), .circle(), .circle(border: border),
            .border(width: border.width, color: border.color), .opacity(0.5), .background(.white),
            .tint(.black, strength: 0.4), .overlay(.black, mode: .multiply), .blend(small, mode: .screen),
            .blend(large, opacity: 0.5), .watermark(small), .watermark(large, x: 9, y: -9, opacity: 0.5),
        ]
        for processor in long {
            let looks = Atomic(0)
            var context = ProcessingContext(originalSize: picture.size)
            let cancellation = context.cancellation
            // Helps on the thread that has the job. Asked before each band whether it is needed elsewhere.
            context.idleThreads = IdleThreads(count: 1) { help in
                help {
                    if looks.add(1, ordering: .relaxed).newValue == 2 { cancellation.cancel() }
                    return false
                }
                return true
            }
            #expect(throws: ImageLoaderError.cancelled, "\(processor)") { try processor.process(picture, context) }
            #expect(looks.load(ordering: .relaxed) == 2, "\(processor)")
        }
    }
}

extension PixelColor {
    static func random(_ random: inout SeededRandom) -> PixelColor {
        func byte() -> UInt8 { UInt8.random(in: 0...255, using: &random) }
        return PixelColor(red: byte(), green: byte(), blue: byte(), alpha: byte())
    }
}

extension Pictures {
    /// Pixels with an alpha of 0, 1, 254 or 255 and extreme colors, premultiplied.
    static func hardAlpha(_ width: Int, _ height: Int, seed: UInt64) throws -> Bitmap {
        var random = SeededRandom(seed: seed)
        return try make(width, height) { _, _ in
            let alpha = ([0, 1, 254, 255] as [UInt8]).randomElement(using: &random) ?? 0
            func color() -> UInt8 { [0, alpha / 2, alpha].randomElement(using: &random) ?? 0 }
            return [color(), color(), color(), alpha]
        }
    }
}
