#if canImport(UIKit) && !os(watchOS)
import Alcedo
import AlcedoUI
import Testing
import UIKit

/// The highlighted picture of an image view, and pictures shown one after another.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ImageViewSlotTests {
    private let pictures = ViewPictures()
    private let view = UIImageView(frame: .zero)

    @Test func highlightedImage_hasItsOwnPlace() async throws {
        let url = try await pictures.url("a")
        view.alcedo.setHighlightedImage(with: url, settings: pictures.settings)
        #expect(view.highlightedImage?.size.width == 3 && view.image == nil)
        #expect(view.alcedo.highlighted.url == url && view.alcedo.url == nil)
        view.alcedo.setImage(with: try await pictures.url("b", width: 5), settings: pictures.settings)
        view.alcedo.setHighlightedImage(with: nil, settings: pictures.settings)
        #expect(view.highlightedImage == nil && view.image?.size.width == 5)
    }

    @Test func requests_areShown() async throws {
        let (a, b) = (try await pictures.request("a"), try await pictures.request("b", width: 5))
        view.alcedo.setHighlightedImage(with: a, settings: pictures.settings)
        #expect(view.highlightedImage?.size.width == 3)
        view.alcedo.setHighlightedImage(with: ViewPictures.Model(request: b), settings: pictures.settings)
        #expect(view.highlightedImage?.size.width == 5)
    }

    @Test func clearedHighlightedImage_isShownAgain() async throws {
        let url = try await pictures.url("a")
        var told = 0
        for _ in 0..<2 {
            view.highlightedImage = nil
            view.alcedo.setHighlightedImage(with: url, settings: pictures.settings) { _ in told += 1 }
            #expect(view.highlightedImage?.size.width == 3)
        }
        #expect(told == 2)
    }

    // MARK: Sequences

    /// Loads a sequence, and waits until the view shows it.
    private func showSequence(_ requests: [ImageRequest], limit: Int = 12) async -> [Int: ImageLoaderError] {
        await withCheckedContinuation { continuation in
            view.alcedo.setAnimationImages(
                with: requests, secondsPerImage: 0.5, loader: pictures.loader, limit: limit
            ) { continuation.resume(returning: $0) }
        }
    }

    @Test func sequence_isShownInOrder_withoutWhatFails() async throws {
        let failing = ImageRequest(id: "none") { throw ViewPictures.Refusal() }
        let good = (try await pictures.request("a"), try await pictures.request("b", width: 5))
        let errors = await showSequence([good.0, failing, good.1], limit: 1)
        #expect(errors.keys.sorted() == [1])
        #expect(view.animationImages?.map(\.size.width) == [3, 5])
        #expect(view.animationDuration == 1)
    }

    @Test func sequenceOfURLs_isShown() async throws {
        let urls = [try await pictures.url("a"), try await pictures.url("b", width: 5)]
        let errors = await withCheckedContinuation { continuation in
            view.alcedo.setAnimationImages(with: urls, loader: pictures.loader) { continuation.resume(returning: $0) }
        }
        #expect(errors.isEmpty && view.animationImages?.map(\.size.width) == [3, 5])
    }

    @Test func sequence_isSetAgain_afterTheProgramHasRemovedIt() async throws {
        let request = try await pictures.request()
        for _ in 0..<2 {
            view.animationImages = nil
            _ = await showSequence([request])
            #expect(view.animationImages?.count == 1)
        }
    }

    @Test func newSequence_endsTheOneBefore() async throws {
        var hasEnded = false
        view.alcedo.setAnimationImages(with: [pictures.endlessRequest()], loader: pictures.loader) { _ in
            hasEnded = true
        }
        _ = await showSequence([try await pictures.request(width: 5)])
        #expect(!hasEnded && view.animationImages?.map(\.size.width) == [5])
    }

    @Test func picture_takesThePlaceOfASequence() async throws {
        let request = try await pictures.request()
        _ = await showSequence([request])
        view.alcedo.setImage(with: request, settings: pictures.settings)
        #expect(view.animationImages == nil && view.image?.size.width == 3)
    }

    @Test func highlightedImage_leavesASequence() async throws {
        _ = await showSequence([try await pictures.request()])
        view.alcedo.setHighlightedImage(with: try await pictures.url("a"), settings: pictures.settings)
        #expect(view.animationImages?.count == 1)
    }
}
#endif
