#if canImport(UIKit) || canImport(AppKit)
import Alcedo
import AlcedoUI
import Foundation
import Testing

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// An image view of the system, without a window.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ViewSlotTests {
    private let pictures = ViewPictures()

    #if canImport(UIKit)
    private let view = UIImageView(frame: .zero)
    #else
    private let view = NSImageView(frame: .zero)
    #endif

    /// Waits until a view has loaded what isn't in memory.
    private func load(_ request: ImageRequest, _ settings: ViewImageSettings) async -> ImageSlot.Phase {
        await withCheckedContinuation { continuation in
            var hasEnded = false
            view.alcedo.setImage(with: request, settings: settings) { slot in
                guard !hasEnded, !slot.isLoading else { return }
                hasEnded = true
                continuation.resume(returning: slot.phase)
            }
        }
    }

    @Test func imageInMemory_isShownAtOnce() async throws {
        let request = try await pictures.request()
        view.alcedo.setImage(with: request, settings: pictures.settings)
        #expect(view.image?.size == CGSize(width: 3, height: 2))
        #expect(view.alcedo.request == request && !view.alcedo.isLoading)
        view.alcedo.setImage(with: nil as ImageRequest?, settings: pictures.settings)
        #expect(view.image == nil)
    }

    @Test func bytes_areLoadedAndShown() async throws {
        let file = try PNGEncoder().encode(PictureTests.bitmap())
        let phase = await load(ImageRequest(data: file, id: "file"), pictures.settings)
        #expect(phase.response?.image.bitmap == (try PictureTests.bitmap()))
        #expect(view.image?.size == CGSize(width: 3, height: 2))
    }

    @Test func failure_showsItsOwnPicture() async throws {
        var settings = pictures.settings
        settings.failureImage = try ViewPictures.own()
        let phase = await load(ImageRequest(id: "none") { throw ViewPictures.Refusal() }, settings)
        #expect(phase.error != nil)
        #expect(view.image === settings.failureImage)
    }

    #if canImport(UIKit)
    private var activity: UIActivityIndicatorView? {
        view.subviews.lazy.compactMap { $0 as? UIActivityIndicatorView }.first
    }
    #else
    private var activity: NSProgressIndicator? {
        view.subviews.lazy.compactMap { $0 as? NSProgressIndicator }.first
    }
    #endif

    @Test func activity_isShownWhileTheImageIsLoaded() async throws {
        var settings = pictures.settings
        settings.showsActivity = true
        view.alcedo.setImage(with: pictures.endlessRequest(), settings: settings)
        #expect(activity != nil)
        view.alcedo.setImage(with: try await pictures.request(), settings: settings)
        #expect(activity == nil)
        view.alcedo.setImage(with: pictures.endlessRequest("other"), settings: settings)
        #expect(activity != nil)
        view.alcedo.cancel()
        #expect(activity == nil)
    }

    @Test(arguments: [false, true]) func activity_hasTheStyleOfTheSettings(isLarge: Bool) throws {
        var settings = pictures.settings
        settings.showsActivity = true
        settings.activityStyle = isLarge ? .large : .medium
        view.alcedo.setImage(with: pictures.endlessRequest(), settings: settings)
        let activity = try #require(activity)
        #if canImport(UIKit)
        #expect(activity.style == (isLarge ? .large : .medium))
        #else
        #expect(activity.controlSize == (isLarge ? .regular : .small))
        #endif
        view.alcedo.cancel()
    }

    /// As a program does that empties its view.
    @Test func removedProbe_isAddedAgain_withTheNextImage() async throws {
        view.alcedo.setImage(with: try await pictures.request("a"), settings: pictures.settings)
        let probes = view.subviews.filter(\.isHidden)
        for probe in probes { probe.removeFromSuperview() }
        #expect(probes.count == 1 && view.subviews.filter(\.isHidden).isEmpty)
        view.alcedo.setImage(with: try await pictures.request("b"), settings: pictures.settings)
        #expect(view.subviews.filter(\.isHidden).count == 1)
    }

    @Test func program_mayShowItself() async throws {
        var settings = pictures.settings
        settings.setsImage = false
        var shown: DecodedImage?
        view.alcedo.setImage(with: try await pictures.request(), settings: settings) { shown = $0.shown.picture.image }
        #expect(view.image == nil && shown != nil)
    }

    @Test func places_doNotDisturbEachOther() async throws {
        final class Owner {
            var first: PlatformImage?
            var second: PlatformImage?
        }
        let owner = Owner()
        let first = ViewSlot(owner, named: "first") { $0.first = $1 }
        let second = ViewSlot(owner, named: "second") { $0.second = $1 }
        first.setImage(with: try await pictures.request("a"), settings: pictures.settings)
        second.setImage(with: try await pictures.request("b"), settings: pictures.settings)
        first.setImage(with: nil as URL?, settings: pictures.settings)
        #expect(owner.first == nil && owner.second != nil)
    }

    @Test func released_viewReleasesItsSlot() async throws {
        final class Owner {}
        var owner: Owner? = Owner()
        weak var slot: ImageSlot?
        let request = pictures.endlessRequest()
        if let owner {
            var settings = pictures.settings
            settings.slot.placeholder = .color(.black)
            ViewSlot(owner) { _, _ in }.setImage(with: request, settings: settings) { slot = $0 }
        }
        #expect(slot != nil)
        owner = nil
        #expect(slot == nil)
    }
}
#endif
