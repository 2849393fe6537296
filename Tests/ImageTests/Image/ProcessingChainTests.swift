import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What tells chains of processors apart, and what they make of animations.
@Suite(.timeLimit(.minutes(1))) struct ProcessingChainTests {
    private let runs = CountingProcessor.Runs()

    private enum One {
        struct Blur: ImageProcessing {
            func identify(in identity: inout ProcessorIdentity) {}
            func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap { picture }
        }
    }

    private enum Other {
        struct Blur: ImageProcessing {
            func identify(in identity: inout ProcessorIdentity) {}
            func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap { picture }
        }
    }

    @MainActor private class Base: ImageProcessing {
        nonisolated init() {}
        nonisolated func identify(in identity: inout ProcessorIdentity) {}
        nonisolated func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap { picture }
    }

    private final class Left: Base {
        nonisolated override init() {}
    }

    private final class Right: Base {
        nonisolated override init() {}
    }

    /// A processor whose identity is what `adding` adds.
    private struct Adding: ImageProcessing {
        let adding: @Sendable (inout ProcessorIdentity) -> Void
        func identify(in identity: inout ProcessorIdentity) { adding(&identity) }
        func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap { picture }
    }

    /// Processors that use others.
    private struct Several: ImageProcessing {
        let others: [any ImageProcessing]
        func identify(in identity: inout ProcessorIdentity) { for other in others { identity.add(other) } }
        func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap { picture }
    }

    private func chain(_ processors: any ImageProcessing...) throws -> ProcessingChain {
        try #require(ProcessingChain(processors))
    }

    // MARK: Identity

    @Test func typesWithOneName_differ() throws {
        func local() -> any ImageProcessing {
            struct Blur: ImageProcessing {
                func identify(in identity: inout ProcessorIdentity) {}
                func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap { picture }
            }
            return Blur()
        }
        let chains = try [chain(One.Blur()), chain(Other.Blur()), chain(local())]
        #expect(Set(chains).count == 3 && Set(chains.map(\.text)).count == 3)
        #expect(try chain(One.Blur()) == chains[0] && chain(One.Blur()).text == chains[0].text)
    }

    @Test func subclasses_differ_whateverTypeTheyAreGivenAs() throws {
        let chains = try [chain(Base()), chain(Left() as Base), chain(Right() as Base)]
        #expect(Set(chains).count == 3 && Set(chains.map(\.text)).count == 3)
        #expect(try chain(Left()) == chains[1] && chain(Left()).text == chains[1].text)
    }

    /// Whatever is added, in whatever portions, two identities are equal only if the same was added.
    @Test func identities_areInjective() throws {
        enum Value: Hashable {
            case number(Int), real(UInt64), truth(Bool), text(String), bytes([UInt8]), end
        }
        var random = SplitMix64(seed: 7)
        func value() -> Value {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .number(Int.random(in: -3...3, using: &random))
            case 1: .real([0.0, -0.0, 1, 2, .nan].randomElement(using: &random)?.bitPattern ?? 0)
            case 2: .truth(Bool.random(using: &random))
            case 3: .text(["", "a", "ab", "\0", "\u{5}"].randomElement(using: &random) ?? "")
            case 4: .bytes([[], [0], [1, 0], [5]].randomElement(using: &random) ?? [])
            default: .end
            }
        }
        var known: [[[Value]]: ProcessingChain] = [:]
        var texts: Set<String> = []
        var found: Set<ProcessingChain> = []
        for _ in 0..<20_000 {
            let values = (0..<Int.random(in: 0..<6, using: &random)).map { _ in value() }
            // Each end begins another processor.
            let parts = values.split(separator: .end, omittingEmptySubsequences: false).map(Array.init)
            let processors = parts.map { part in
                Adding { identity in
                    for value in part {
                        switch value {
                        case .number(let number): identity.add(number)
                        case .real(let bits): identity.add(Double(bitPattern: bits))
                        case .truth(let truth): identity.add(truth)
                        case .text(let text): identity.add(text)
                        case .bytes(let bytes): identity.add(bytes)
                        case .end: break
                        }
                    }
                }
            }
            let chain = try #require(ProcessingChain(processors))
            if let before = known.updateValue(chain, forKey: parts) {
                #expect(before == chain && before.text == chain.text && before.hashValue == chain.hashValue)
            } else {
                #expect(found.insert(chain).inserted && texts.insert(chain.text).inserted)
            }
        }
        #expect(known.count > 2_000)
    }

    @Test func usedProcessors_matter() throws {
        let (one, two) = (CountingProcessor(1, runs), CountingProcessor(2, runs))
        let chains = try [
            chain(Several(others: [])), chain(Several(others: [.opacity(0.5)])),
            chain(Several(others: [.blur(radius: 0.5)])),
            chain(Several(others: [one, two])), chain(Several(others: [one]), two), chain(Several(others: [one]), one),
            chain(Several(others: [Several(others: [one])])), chain(one),
        ]
        #expect(Set(chains).count == chains.count && Set(chains.map(\.text)).count == chains.count)
        #expect(try chain(Several(others: [.blur(radius: 0.5)])) == chains[2])
    }

    /// The compiler's names of private and local types are addresses, which are others in the next process.
    @Test func privateTypes_areNotFoundAgain() throws {
        struct Local: ImageProcessing {
            func identify(in identity: inout ProcessorIdentity) {}
            func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap { picture }
        }
        let known = CountingProcessor(1, runs)
        #expect(try chain(known).isFoundAgain && chain(.blur(), .circle(), known).isFoundAgain)
        for processor: any ImageProcessing in [One.Blur(), Local(), Left(), Several(others: [])] {
            #expect(try !chain(known, processor).isFoundAgain && !chain(processor, known).isFoundAgain)
        }
        #expect(try !ImageVariant(chain(Local())).isFoundAgain && ImageVariant(chain(known)).isFoundAgain)
        #expect(ImageVariant(fitting: PixelSize(width: 1, height: 1)).isFoundAgain && !ImageVariant().isFoundAgain)
    }

    @Test func casesOfResizing_keepTheirNumbers() {
        #expect([ResizeProcessor.Mode.exact, .fit, .fill].map(\.rawValue) == [0, 1, 2])
        #expect([ResamplingFilter.lanczos3, .catmullRom].map(\.rawValue) == [0, 1])
    }

    /// Only the first words of an identity are kept in place.
    @Test func longIdentities_differInEachPart() throws {
        func chain(_ numbers: [Int]) throws -> ProcessingChain {
            try self.chain(Adding { identity in for number in numbers { identity.add(number) } })
        }
        let lists = (13...20).flatMap { count in
            (0...count).map { place in (0..<count).map { $0 == place ? 7 : 0 } }
        }
        let chains = try lists.map(chain)
        #expect(Set(chains).count == lists.count && Set(chains.map(\.text)).count == lists.count)
        #expect(Set(chains.map(\.hash)).count == lists.count)
        for (list, one) in zip(lists, chains) { #expect(try chain(list) == one) }
    }

    @Test(arguments: [14, 15, 16, 17]) func typesOfLaterParameters_matter(before: Int) throws {
        let adding: [@Sendable (inout ProcessorIdentity) -> Void] = [
            { $0.add(1) }, { $0.add(true) }, { $0.add(Double(bitPattern: 1)) }, { $0.add("\u{1}") },
            { $0.add([1] as [UInt8]) },
        ]
        let chains = try adding.map { add in
            try chain(
                Adding { identity in
                    for _ in 0..<before { identity.add(0) }
                    add(&identity)
                })
        }
        #expect(Set(chains).count == 5 && Set(chains.map(\.text)).count == 5)
    }

    @Test func orderAndNumber_matter() throws {
        let (one, two) = (CountingProcessor(1, runs), CountingProcessor(2, runs))
        let chains = try [chain(one), chain(one, two), chain(two, one), chain(one, one)]
        #expect(Set(chains).count == 4 && Set(chains.map(\.text)).count == 4)
        #expect(try chains[1].input == chain(one) && chains[0].input == nil)
        #expect(try chain(two).after(chain(one)) == chains[1])
        #expect(ProcessingChain([]) == nil)
    }

    @Test func requests_differByTheirProcessors() throws {
        var request = try ImageRequest.test()
        let plain = request
        request.processors = [CountingProcessor(1, runs)]
        var same = plain
        same.processors = [CountingProcessor(1, .init())]
        #expect(request != plain && request == same && ImageKey(request) == ImageKey(same))
        #expect(ImageKey(request) != ImageKey(plain) && ImageKey(request).original == ImageKey(plain))
        request.processors = []
        #expect(request == plain && ImageKey(request) == ImageKey(plain))
    }

    // MARK: Animations

    private func animated(_ frames: PlainAnimation) throws -> DecodedImage {
        let header = ImageHeader(format: .gif, size: frames.size)
        return DecodedImage(
            bitmap: try Pictures.plain(2, 2, [0, 0, 0, 255]), format: .gif, originalSize: frames.size,
            animation: AnimatedImage(frames, PictureFitting(header, DecodeRequest())))
    }

    private func processed(_ image: DecodedImage, _ processors: any ImageProcessing...) throws -> DecodedImage {
        try processors.indices.reduce(image) { image, last in
            let chain = try #require(ProcessingChain(Array(processors[...last])))
            return try chain.last(of: image, DecodeLimits(), DecodeCancellation())
        }
    }

    @Test func frames_areProcessedAsTheyAreDecoded() async throws {
        let frames = PlainAnimation(count: 5)
        var larger = CountingProcessor(2, runs)
        larger.size = PixelSize(width: 3, height: 4)
        let image = try processed(try animated(frames), CountingProcessor(1, runs), larger)
        #expect(runs.all == [1, 2] && image.size == larger.size && frames.made.values.isEmpty)
        let animation = try #require(image.animation)
        #expect(animation.size == larger.size && animation.frameCount == 5 && animation.unchangedFile == nil)
        for index in 0..<5 {
            let frame = try await animation.frame(at: index)
            #expect(frame.size == larger.size && frame[2, 3] == [UInt8((index * 3 + 1) * 3 + 2), 0, 0, 255])
        }
        #expect(animation.delays == Array(repeating: .milliseconds(50), count: 5))
    }

    @Test func aProcessorOfOneFrame_makesAStillImage() throws {
        var still = CountingProcessor(1, runs)
        still.animations = .firstFrame
        let image = try processed(try animated(PlainAnimation(count: 5)), still, CountingProcessor(2, runs))
        #expect(image.animation == nil && image.bitmap[0, 0] == [5, 0, 0, 255])
    }

    @Test func aProcessorThatRefusesAnimations_isNamed() throws {
        var refusing = CountingProcessor(1, runs)
        refusing.animations = .refused
        #expect(throws: ImageLoaderError.unsupportedImage(.gif, reason: "CountingProcessor refuses animations")) {
            try processed(try animated(PlainAnimation(count: 5)), refusing)
        }
        let still = DecodedImage(bitmap: try Pictures.plain(2, 2))
        #expect(throws: Never.self) { try processed(still, refusing) }
    }

    @Test func framesOfDifferentSizes_areAnError() async throws {
        struct Growing: ImageProcessing {
            func identify(in identity: inout ProcessorIdentity) {}
            func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
                try BitmapBuilder(size: PixelSize(width: 1 + Int(picture[0, 0].x), height: 1)).freeze()
            }
        }
        let animation = try #require(try processed(try animated(PlainAnimation(count: 3)), Growing()).animation)
        #expect(try await animation.frame(at: 0).size == PixelSize(width: 1, height: 1))
        await #expect {
            try await animation.frame(at: 1)
        } throws: {
            "\($0)" == "Growing failed: the frames of an animation have different sizes"
        }
    }

    @Test func context_tellsTheSource() throws {
        struct Looking: ImageProcessing {
            let seen = Recorder<ProcessingContext>()
            func identify(in identity: inout ProcessorIdentity) {}
            func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap {
                seen.record(context)
                return picture
            }
        }
        let looking = Looking()
        let profile = Data([1, 2, 3])
        let image = DecodedImage(
            bitmap: try Pictures.plain(2, 2), format: .webp, originalSize: PixelSize(width: 8, height: 8),
            profile: profile)
        let result = try processed(image, looking)
        let context = try #require(looking.seen.values.first)
        #expect(context.format == .webp && context.originalSize.width == 8 && context.profile == profile)
        #expect(result.profile == profile && result.originalSize.width == 8 && result.format == .webp)
    }
}
