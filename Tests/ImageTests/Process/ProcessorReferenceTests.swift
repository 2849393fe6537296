#if PNG || canImport(ImageIO)
import AlcedoTestSupport
import Testing

@testable import Alcedo

/// The processors' results are those of the formulas in floating-point numbers.
@Suite struct ProcessorReferenceTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let reference: String
        let source: String
        /// The greatest difference of a channel that is accepted, of 255.
        let tolerance: Int
        let processor: @Sendable () throws -> any ImageProcessing

        init(
            _ reference: String, _ tolerance: Int, of source: String = "small",
            _ processor: @escaping @Sendable () throws -> any ImageProcessing
        ) {
            (self.reference, self.source, self.tolerance, self.processor) = (reference, source, tolerance, processor)
        }

        var testDescription: String { reference }
    }

    private static let blue = PixelColor(red: 20, green: 60, blue: 200)
    private static let red = PixelColor(red: 255, green: 30, blue: 10, alpha: 128)

    private static func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    static let resizes = [
        Case("resize-lanczos-17x13", 1, of: "large") { .resize(to: size(17, 13)) },
        Case("resize-lanczos-40x64", 1, of: "large") { .resize(to: size(40, 64)) },
        Case("resize-lanczos-1x5", 1, of: "large") { .resize(to: size(1, 5)) },
        Case("resize-cubic-17x13", 1, of: "large") { .resize(to: size(17, 13), filter: .catmullRom) },
        Case("resize-cubic-40x64", 0, of: "large") { .resize(to: size(40, 64), filter: .catmullRom) },
    ]

    /// Three boxes are not quite a Gaussian function.
    static let blurs = [
        Case("blur-0.5", 3, of: "large") { .blur(radius: 0.5) },
        Case("blur-1.5", 3, of: "large") { .blur(radius: 1.5) },
        Case("blur-4", 3, of: "large") { .blur(radius: 4) },
        Case("blur-12", 3, of: "large") { .blur(radius: 12) },
        Case("blur-100", 3, of: "large") { .blur(radius: 100) },
    ]

    /// The references' shapes are sampled 32 by 32 times in each pixel.
    static let shapes = [
        Case("corners-6", 1) { .roundedCorners(radius: 6) },
        Case("corners-half", 1) { .roundedCorners(radius: .fraction(0.5)) },
        Case("corners-too-large", 1) {
            .roundedCorners(radius: 40, corners: [.topLeft, .bottomLeft, .bottomRight])
        },
        Case("corners-two", 1) { .roundedCorners(radius: 7.3, corners: [.topLeft, .bottomRight]) },
        Case("corners-border", 1) { .roundedCorners(radius: 6, border: PixelBorder(width: 2.5, color: blue)) },
        Case("corners-clear-border", 1) {
            .roundedCorners(
                radius: 8, corners: [.topLeft, .topRight, .bottomRight], border: PixelBorder(width: 3, color: red))
        },
        Case("circle", 1) { .circle() },
        Case("circle-border", 2) { .circle(border: PixelBorder(width: 1.5, color: blue)) },
        Case("border", 1) { .border(width: 3.25, color: red) },
    ]

    /// Those of 16 bits are exact.
    static let blends =
        BlendMode.allCases.map { mode in
            Case("blend-\(mode)", mode == .colorDodge ? 1 : 0, of: "beneath") {
                .blend(try ReferencePicture.read("above"), mode: mode)
            }
        } + [
            Case("overlay-multiply", 1) { .overlay(red, mode: .multiply) },
            Case("blend-scaled", 2) { .blend(try ReferencePicture.read("large"), mode: .screen, opacity: 0.6) },
            Case("background", 0) { .background(red) },
            Case("opacity", 0) { .opacity(0.3) },
            Case("tint", 1) { .tint(blue, strength: 0.7) },
            Case("watermark", 1) {
                .watermark(try ReferencePicture.read("mark"), at: .bottomRight, x: -2, y: 2, opacity: 0.8)
            },
        ]

    /// Pixels are only moved.
    static let places = [
        Case("crop-rectangle", 0) { .crop(to: PixelRectangle(x: 5, y: 4, size: size(23, 11))) },
        Case("crop-center", 0) { .crop(to: size(21, 11)) },
        Case("crop-corner", 0) { .crop(to: size(20, 10), at: .bottomRight) },
        Case("rotate-clockwise", 0) { .rotate(.clockwise) },
        Case("rotate-half", 0) { .rotate(.half) },
        Case("rotate-counterclockwise", 0) { .rotate(.counterclockwise) },
        Case("flip-horizontal", 0) { .flip(.horizontal) },
        Case("flip-vertical", 0) { .flip(.vertical) },
    ]

    static let thin = ["row", "column"].flatMap { name in
        [
            Case("\(name)-resize", 1, of: name) { .resize(to: size(10, 6)) },
            Case("\(name)-blur", 4, of: name) { .blur(radius: 3) },
            Case("\(name)-corners", 1, of: name) { .roundedCorners(radius: 0.5) },
            Case("\(name)-rotate", 0, of: name) { .rotate(.clockwise) },
        ]
    }

    static let colors = [
        Case("gray", 0) { .gray() },
        Case("controls", 0) { .colorControls(brightness: 0.1, contrast: 1.3, saturation: 0.5) },
        Case("saturated", 0) { .colorControls(brightness: -0.05, contrast: 0.8, saturation: 2.5) },
        Case("gamma", 1) { .colorControls(gamma: 2.2) },
        Case("dark-gamma", 1) { .colorControls(brightness: 0.05, contrast: 1.1, saturation: 0.9, gamma: 0.6) },
    ]

    @Test(arguments: resizes + blurs + shapes + blends + places + thin + colors)
    func result_isThatOfReference(_ test: Case) throws {
        let result = try test.processor().made(of: try ReferencePicture.read(test.source))
        let difference = try #require(result.difference(from: try ReferencePicture.read(test.reference)))
        #expect(difference <= test.tolerance)
        #expect(result.isPremultiplied)
    }
}
#endif
