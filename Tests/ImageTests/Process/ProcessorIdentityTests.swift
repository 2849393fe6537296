import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Processors have the same identity if, and only if, they are equal.
@Suite struct ProcessorIdentityTests {
    /// Processors, each with a text of all its parameters. Few values, so that many are equal.
    private static func processors(_ random: inout SeededRandom) throws -> [(String, any ImageProcessing)] {
        func pick<Value>(_ values: Value...) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        let (one, two) = (pick(0, 0.25, 0.5, 1), pick(0, 1, 0.5))
        let (x, y) = (pick(0, 1, 2), pick(0, 1, 2))
        let size = PixelSize(width: pick(1, 2), height: pick(1, 2))
        let color = PixelColor(red: pick(0, 1), green: pick(0, 1), blue: pick(0, 1), alpha: pick(0, 255))
        let border = pick(nil, PixelBorder(width: one, color: color))
        let mode = pick(BlendMode.normal, .sourceOver, .multiply, .xor)
        let anchor = pick(PixelAnchor.topLeft, .left, .center)
        let crop = pick(CropAnchor.topLeft, .attention, .focus(x: 0, y: 1), .focus(x: 1, y: 0))
        let filter = pick(ResamplingFilter.lanczos3, .catmullRom)
        let (resize, grows) = (pick(ResizeProcessor.Mode.exact, .fit, .fill), pick(nil, true, false))
        let radius = pick(RoundedCornersProcessor.Radius.pixels(one), .fraction(one))
        let corners = pick(RoundedCornersProcessor.Corners.all, [.topLeft], [.topRight, .bottomLeft])
        let rotation = pick(TurnProcessor.Rotation.clockwise, .half, .counterclockwise)
        let axis = pick(TurnProcessor.Axis.horizontal, .vertical)
        let value = pick(UInt8(3), 4)
        let mark = try Pictures.plain(size.width, size.height, [value, 0, 0, 255])
        let allowsUpscaling = grows ?? (resize == .exact)
        return [
            (
                "resize \(size) \(resize) \(filter) \(allowsUpscaling)",
                .resize(to: size, mode: resize, filter: filter, allowsUpscaling: grows)
            ),
            ("crop \(x) \(y) \(size)", .crop(to: PixelRectangle(x: x, y: y, size: size))),
            ("crop \(size) \(crop)", .crop(to: size, at: crop)),
            ("turn \(rotation)", .rotate(rotation)), ("flip \(axis)", .flip(axis)),
            (
                "corners \(radius) \(corners.rawValue) \(String(describing: border))",
                .roundedCorners(radius: radius, corners: corners, border: border)
            ),
            ("circle \(String(describing: border))", .circle(border: border)),
            ("border \(one) \(color)", .border(width: one, color: color)),
            ("background \(color)", .background(color)), ("opacity \(one)", .opacity(one)),
            ("blur \(one)", .blur(radius: one)), ("gray", .gray()),
            ("tint \(color) \(one)", .tint(color, strength: one)),
            (
                "controls \(one) \(two) \(x) \(y)",
                .colorControls(brightness: one, contrast: two, saturation: Double(x), gamma: Double(y + 1))
            ),
            ("overlay \(color) \(mode)", .overlay(color, mode: mode)),
            ("blend \(size) \(value) \(mode) \(one)", .blend(mark, mode: mode, opacity: one)),
            (
                "watermark \(size) \(value) \(anchor) \(x) \(y) \(one) \(mode)",
                .watermark(mark, at: anchor, x: x, y: y, opacity: one, mode: mode)
            ),
        ]
    }

    @Test func identities_areEqual_exactlyForEqualParameters() throws {
        var random = SeededRandom(seed: 7)
        // Each text has one identity, and each identity one text.
        var chains: [String: ProcessingChain] = [:]
        var texts: [String: String] = [:]
        var names: [ProcessingChain: String] = [:]
        for _ in 0..<400 {
            for (name, processor) in try Self.processors(&random) {
                let chain = try #require(ProcessingChain([processor]))
                must(chains[name, default: chain] == chain, name)
                must(chains[name, default: chain].text == chain.text, name)
                must(names[chain, default: name] == name, "\(name) and \(names[chain, default: ""])")
                must(texts[chain.text, default: name] == name, "\(name) and \(texts[chain.text, default: ""])")
                (chains[name], names[chain], texts[chain.text]) = (chain, name, name)
            }
        }
        #expect(chains.count > 1_000 && chains.count == texts.count && chains.count == names.count)
    }

    @Test func chains_areEqual_onlyWithSameOrder() throws {
        let one: [any ImageProcessing] = [.blur(radius: 8), .circle()]
        let other: [any ImageProcessing] = [.circle(), .blur(radius: 8)]
        #expect(ProcessingChain(one) == ProcessingChain(one))
        #expect(ProcessingChain(one) != ProcessingChain(other))
        #expect(ProcessingChain(one)?.text != ProcessingChain(other)?.text)
    }

    @Test func pictures_areTold_bySizeAndPixels() throws {
        let pixels = try Pictures.noise(6, 4, seed: 1)
        let same = try Pictures.make(6, 4) { pixels[$0, $1] }
        let reshaped = try Pictures.make(4, 6) { x, y in pixels[(y * 4 + x) % 6, (y * 4 + x) / 6] }
        func chain(_ bitmap: Bitmap) -> ProcessingChain? { ProcessingChain([.watermark(bitmap)]) }
        #expect(chain(pixels) == chain(same))
        #expect(chain(pixels) != chain(reshaped))
        #expect(chain(pixels) != chain(try Pictures.noise(6, 4, seed: 2)))
    }

    #if canImport(Glibc)
    /// In a process of its own, which does nothing else.
    @Test(.disabled(if: Sanitizer.ownsMemory, "the memory is the sanitizer's"))
    func pictures_areIdentified_withoutACopy() async {
        await #expect(processExitsWith: .success) {
            let picture = try BitmapBuilder(size: PixelSize(width: 1_024, height: 512)).freeze()
            // The least of three, because the system may take pages of code back at any time.
            let peaks = try (0..<3).map { _ in try Heap.peak { _ = WatermarkProcessor(picture) } }
            #expect(try #require(peaks.min()) < picture.byteCount / 2, "\(peaks)")
        }
    }
    #endif
}
