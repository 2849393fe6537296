#if canImport(ImageIO) || os(Linux) && JPEG && PNG && GIF
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The frames of animations, and the encoders.
enum AnimationRows {
    static let all = [
        Row(
            "AnimatedImage.frame(at: Int)",
            { try showing(animation(), .value) },
            { try showing(damagedAnimation(), .error) },
            { try showing(animation(), .cancelled, cancelled: .beforeTheCall) }),
        encoding("AnimationEncoding.encode(_: AnimatedImage, delays: [Duration]?, loopCount: LoopCount?)") {
            encoder, image, here in
            defer { here.note() }
            _ = try await encoder.encode(image)
        },
        encoding(
            "AnimationEncoding.encode(_: AnimatedImage, atMost: Int, lowestQuality: Int, delays: [Duration]?, "
                + "loopCount: LoopCount?)"
        ) { encoder, image, here in
            defer { here.note() }
            _ = try await encoder.encode(image, atMost: 1 << 20)
        },
        writing("AutomaticEncoder.encode(_: DecodedImage)") { encoder, image, here in
            defer { here.note() }
            _ = try await encoder.encode(image)
        },
        writing("FileEncoding.encodedFile(of: DecodedImage)") { encoder, image, here in
            defer { here.note() }
            _ = try await encoder.encodedFile(of: image)
        },
        writing("ImageEncoding.encodedFile(of: DecodedImage, atMost: Int, lowestQuality: Int)") {
            encoder, image, here in
            defer { here.note() }
            let (own, limit) = encoder.opaque.map { ($0, 1 << 20) } ?? (PNGEncoder(), 1)
            _ = try await own.encodedFile(of: image, atMost: limit)
        },
    ]

    private static func showing(
        _ image: AnimatedImage, _ end: Scenario.End, cancelled: Scenario.Cancellation = .never
    ) -> Scenario {
        Scenario(end, cancelled: cancelled) { here in
            defer { here.note() }
            _ = try await image.frame(at: 1)
        }
    }

    private typealias Encode = @Sendable (any AnimationEncoding, AnimatedImage, Resumption) async throws -> Void

    private static func encoding(
        _ name: String, _ encode: @escaping Encode
    ) -> Row {
        Row(
            name,
            {
                let image = try animation()
                return Scenario(.value) { try await encode(GIFEncoder(), image, $0) }
            },
            {
                let image = try damagedAnimation()
                return Scenario(.error) { try await encode(GIFEncoder(), image, $0) }
            },
            {
                let image = try animation()
                return Scenario(.cancelled, cancelled: .beforeTheCall) { try await encode(GIFEncoder(), image, $0) }
            },
            {
                let (image, encoder) = (try animation(), GatedEncoder())
                return Scenario(
                    .cancelled, cancelled: .whileItWaits,
                    {
                        defer { encoder.gate.open() }
                        try await encode(encoder, image, $0)
                    }, meanwhile: { await encoder.gate.arrivals(1) })
            })
    }

    private typealias Write = @Sendable (AutomaticEncoder, DecodedImage, Resumption) async throws -> Void

    private static func writing(_ name: String, _ write: @escaping Write) -> Row {
        Row(
            name,
            { try writing(PNGEncoder(), .value, write) },
            { try writing(nil, .error, write) },
            { try writing(PNGEncoder(), .cancelled, cancelled: .beforeTheCall, write) },
            {
                let encoder = GatedEncoder()
                return try writing(encoder, .cancelled, cancelled: .whileItWaits, gate: encoder.gate, write)
            })
    }

    private static func writing(
        _ encoder: (any ImageEncoding)?, _ end: Scenario.End, cancelled: Scenario.Cancellation = .never,
        gate: ThreadGate? = nil, _ write: @escaping Write
    ) throws -> Scenario {
        let image = DecodedImage(bitmap: try Pictures.gradient(8, 6))
        var changed = AutomaticEncoder()
        (changed.opaque, changed.drawn) = (encoder, nil)
        // A closure with a capture list wouldn't have its caller's isolation.
        let automatic = changed
        return Scenario(
            end, cancelled: cancelled,
            { here in
                defer { gate?.open() }
                try await write(automatic, image, here)
            }, meanwhile: { await gate?.arrivals(1) })
    }

    // MARK: Material

    private static func animation() throws -> AnimatedImage {
        try #require(ImageDecoders.builtIn.decode(file.get()).animation)
    }

    /// An animation whose first frame can be read, but not its last one.
    private static func damagedAnimation() throws -> AnimatedImage {
        var file = try file.get()
        // Undefined codes, in the last block of the last frame's data.
        file.replaceSubrange(file.count - 20..<file.count - 10, with: repeatElement(0xff, count: 10))
        return try #require(ImageDecoders.builtIn.decode(file).animation)
    }

    /// A small file, because encoding takes long without the optimizer.
    private static let file = Result {
        let frames = try [Pictures.gradient(8, 6), Pictures.noise(8, 6, seed: 1)]
        return try GIFEncoder().encode(frames.map { AnimationFrame($0, delay: .milliseconds(50)) })
    }
}

/// An encoder that writes nothing until its gate is open.
private struct GatedEncoder: ImageEncoding, AnimationEncoding {
    let gate = ThreadGate()
    var format: ImageFormat { .png }
    var identity: String { "gated" }

    func encode(_ bitmap: Bitmap) -> Data {
        gate.enter()
        return Data()
    }

    func makeWriter(size: PixelSize, loopCount: LoopCount) -> sending any AnimationWriting { Writer(gate: gate) }

    private struct Writer: AnimationWriting {
        let gate: ThreadGate

        func append(_ frame: AnimationFrame) { gate.enter() }
        func finish() -> Data { Data() }
    }
}
#endif
