#if PNG || canImport(ImageIO)
import AlcedoTestSupport
import Testing

@testable import Alcedo

/// The processors' results are those of other programs. `make-tool-references.py` says which of them made what,
/// and what was left out because they mean something else by the name.
///
/// The tools compute with at least 16 bits, and their results are rounded once: they differ from the formulas by a
/// level, where a number is close to a half. The rest of each tolerance is the library's own.
@Suite struct ProcessorToolReferenceTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let reference: String
        let source: String
        /// The greatest difference of a channel that is accepted, of 255.
        let worst: Int
        /// The mean difference of all channels that is accepted.
        let mean: Double
        let processor: @Sendable () throws -> any ImageProcessing

        init(
            _ reference: String, worst: Int, mean: Double, of source: String = "small",
            _ processor: @escaping @Sendable () throws -> any ImageProcessing
        ) {
            (self.reference, self.source, self.processor) = (reference, source, processor)
            (self.worst, self.mean) = (worst, mean)
        }

        var testDescription: String { reference }
    }

    private static let blue = PixelColor(red: 20, green: 60, blue: 200)
    private static let red = PixelColor(red: 255, green: 30, blue: 10, alpha: 128)

    private static func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    /// Pixels are only moved.
    static let places = [
        Case("crop-rectangle", worst: 0, mean: 0) { .crop(to: PixelRectangle(x: 5, y: 4, size: size(23, 11))) },
        Case("crop-center", worst: 0, mean: 0) { .crop(to: size(21, 11)) },
        Case("crop-corner", worst: 0, mean: 0) { .crop(to: size(20, 10), at: .bottomRight) },
        Case("rotate-clockwise", worst: 0, mean: 0) { .rotate(.clockwise) },
        Case("rotate-half", worst: 0, mean: 0) { .rotate(.half) },
        Case("rotate-counterclockwise", worst: 0, mean: 0) { .rotate(.counterclockwise) },
        Case("flip-horizontal", worst: 0, mean: 0) { .flip(.horizontal) },
        Case("flip-vertical", worst: 0, mean: 0) { .flip(.vertical) },
    ]

    /// The library rounds weights and sums to few fractional bits, so numbers close to a half can be rounded otherwise.
    static let resizes = [
        Case("resize-lanczos-17x13", worst: 1, mean: 0.1, of: "large") { .resize(to: size(17, 13)) },
        Case("resize-lanczos-40x64", worst: 1, mean: 0.1, of: "large") { .resize(to: size(40, 64)) },
        Case("resize-lanczos-1x5", worst: 1, mean: 0.1, of: "large") { .resize(to: size(1, 5)) },
        Case("resize-cubic-17x13", worst: 1, mean: 0.1, of: "large") {
            .resize(to: size(17, 13), filter: .catmullRom)
        },
        Case("resize-cubic-40x64", worst: 1, mean: 0.1, of: "large") {
            .resize(to: size(40, 64), filter: .catmullRom)
        },
    ]

    /// The tool's function is Gaussian; three boxes are not quite.
    static let blurs = [
        Case("blur-0.5", worst: 3, mean: 0.5, of: "large") { .blur(radius: 0.5) },
        Case("blur-1.5", worst: 3, mean: 0.5, of: "large") { .blur(radius: 1.5) },
        Case("blur-4", worst: 3, mean: 0.5, of: "large") { .blur(radius: 4) },
        Case("blur-12", worst: 3, mean: 0.7, of: "large") { .blur(radius: 12) },
        Case("blur-100", worst: 3, mean: 0.9, of: "large") { .blur(radius: 100) },
    ]

    /// The tool samples shapes 64 by 64 times in each pixel. The library rounds how much of a pixel is covered to 8
    /// bits, and with a border adds two rounded parts up.
    static let shapes = [
        Case("corners-6", worst: 1, mean: 0.03) { .roundedCorners(radius: 6) },
        Case("corners-half", worst: 1, mean: 0.06) { .roundedCorners(radius: .fraction(0.5)) },
        Case("corners-too-large", worst: 1, mean: 0.06) {
            .roundedCorners(radius: 40, corners: [.topLeft, .bottomLeft, .bottomRight])
        },
        Case("corners-two", worst: 1, mean: 0.03) { .roundedCorners(radius: 7.3, corners: [.topLeft, .bottomRight]) },
        Case("corners-border", worst: 2, mean: 0.06) {
            .roundedCorners(radius: 6, border: PixelBorder(width: 2.5, color: blue))
        },
        Case("corners-clear-border", worst: 2, mean: 0.06) {
            .roundedCorners(
                radius: 8, corners: [.topLeft, .topRight, .bottomRight], border: PixelBorder(width: 3, color: red))
        },
        Case("circle", worst: 1, mean: 0.08) { .circle() },
        Case("circle-border", worst: 2, mean: 0.1) { .circle(border: PixelBorder(width: 1.5, color: blue)) },
        Case("border", worst: 1, mean: 0.08) { .border(width: 3.25, color: red) },
    ]

    /// No more than a few numbers in a thousand are so close to a half that they are rounded to different sides.
    static let blends = BlendMode.allCases.map { mode in
        Case("blend-\(mode)", worst: 1, mean: 0.005, of: "beneath") {
            .blend(try ReferencePicture.read(mode == .colorDodge ? "tools/dodge-above" : "above"), mode: mode)
        }
    }

    /// The library first rounds the color, or the other picture, to 8 bits for its opacity.
    static let layers = [
        Case("overlay-multiply", worst: 1, mean: 0.03) { .overlay(red, mode: .multiply) },
        Case("background", worst: 1, mean: 0.005) { .background(red) },
        Case("opacity", worst: 1, mean: 0.03) { .opacity(0.3) },
        Case("tint", worst: 1, mean: 0.2) { .tint(blue, strength: 0.7) },
        Case("watermark", worst: 1, mean: 0.04) {
            .watermark(try ReferencePicture.read("mark"), at: .bottomRight, x: -2, y: 2, opacity: 0.8)
        },
    ]

    /// Many sums of opaque colors with a tenth of 255 are half numbers.
    static let colors = [
        Case("gray", worst: 1, mean: 0.01) { .gray() },
        // 25.5 levels more: the sums of opaque pixels are halves, which may be rounded either way.
        Case("brightness", worst: 1, mean: 0.2) { .colorControls(brightness: 0.1) },
        Case("contrast", worst: 1, mean: 0.01) { .colorControls(contrast: 1.3) },
        Case("desaturated", worst: 1, mean: 0.01) { .colorControls(saturation: 0.5) },
        Case("saturation", worst: 1, mean: 0.01) { .colorControls(saturation: 2.5) },
        Case("gamma", worst: 1, mean: 0.01) { .colorControls(gamma: 2.2) },
        Case("dark", worst: 1, mean: 0.01) { .colorControls(gamma: 0.6) },
        Case("all-controls", worst: 1, mean: 0.02) {
            .colorControls(brightness: 0.1, contrast: 0.7, saturation: 0.8, gamma: 1.5)
        },
    ]

    /// One row or column, where a single number is about a hundredth of the mean.
    static let thin = ["row", "column"].flatMap { name in
        let blends = [BlendMode.normal, .multiply, .softLight, .xor].map { mode in
            Case("\(name)-blend-\(mode)", worst: 1, mean: 0.02, of: name) {
                .blend(try ReferencePicture.read("tools/\(name)-above"), mode: mode)
            }
        }
        return blends + [
            Case("\(name)-resize", worst: 1, mean: 0.1, of: name) { .resize(to: size(10, 6)) },
            Case("\(name)-blur", worst: 4, mean: 0.8, of: name) { .blur(radius: 3) },
            Case("\(name)-rotate", worst: 0, mean: 0, of: name) { .rotate(.clockwise) },
            Case("\(name)-corners", worst: 1, mean: 0.05, of: name) { .roundedCorners(radius: 0.5) },
            Case("\(name)-circle", worst: 1, mean: 0.75, of: "tools/\(name)-above") { .circle() },
            Case("\(name)-border", worst: 1, mean: 0.3, of: name) { .border(width: 0.25, color: red) },
            Case("\(name)-tint", worst: 1, mean: 0.15, of: name) { .tint(blue, strength: 0.7) },
            Case("\(name)-opacity", worst: 1, mean: 0.05, of: name) { .opacity(0.3) },
            Case("\(name)-background", worst: 1, mean: 0.02, of: name) { .background(red) },
            Case("\(name)-gray", worst: 1, mean: 0.02, of: name) { .gray() },
            Case("\(name)-contrast", worst: 1, mean: 0.03, of: name) { .colorControls(contrast: 1.3) },
            Case("\(name)-gamma", worst: 1, mean: 0.05, of: name) { .colorControls(gamma: 2.2) },
        ]
    }

    @Test(arguments: places + resizes + blurs + shapes + blends + layers + colors + thin)
    func result_isThatOfTool(_ test: Case) throws {
        let reference = try ReferencePicture.read("tools/" + test.reference)
        let result = try test.processor().made(of: try ReferencePicture.read(test.source))
        let worst = try #require(result.difference(from: reference))
        let mean = try #require(result.meanDifference(from: reference))
        #expect(worst <= test.worst)
        #expect(mean <= test.mean)
        #expect(result.isPremultiplied)
    }
}
#endif
