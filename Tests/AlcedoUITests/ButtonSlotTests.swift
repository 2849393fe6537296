#if canImport(UIKit) && !os(watchOS)
import Alcedo
import AlcedoUI
import Testing
import UIKit

/// The pictures of a button, by state.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ButtonSlotTests {
    private let pictures = ViewPictures()
    private let button = UIButton(frame: .zero)

    @Test func states_haveTheirOwnImages() async throws {
        button.alcedo.setImage(with: try await pictures.url("a"), for: .normal, settings: pictures.settings)
        button.alcedo.setImage(with: try await pictures.url("b", width: 5), for: .selected, settings: pictures.settings)
        #expect(button.image(for: .normal)?.size.width == 3 && button.image(for: .selected)?.size.width == 5)
        #expect(button.backgroundImage(for: .normal) == nil)
        button.alcedo.setImage(with: nil, for: .normal, settings: pictures.settings)
        #expect(button.image(for: .normal) == nil && button.image(for: .selected)?.size.width == 5)
    }

    @Test func states_haveTheirOwnBackgrounds() async throws {
        let (a, b) = (try await pictures.url("a"), try await pictures.url("b", width: 5))
        button.alcedo.setBackgroundImage(with: a, for: .normal, settings: pictures.settings)
        button.alcedo.setBackgroundImage(with: b, for: .highlighted, settings: pictures.settings)
        #expect(button.backgroundImage(for: .normal)?.size.width == 3)
        #expect(button.backgroundImage(for: .highlighted)?.size.width == 5)
        #expect(button.image(for: .normal) == nil)
        #expect(button.alcedo.backgroundImage(for: .normal).url == a && button.alcedo.image(for: .normal).url == nil)
    }

    @Test func requests_areShown() async throws {
        let (a, b) = (try await pictures.request("a"), try await pictures.request("b", width: 5))
        button.alcedo.setImage(with: a, for: .normal, settings: pictures.settings)
        button.alcedo.setBackgroundImage(with: b as ImageRequest?, for: .normal, settings: pictures.settings)
        #expect(button.image(for: .normal)?.size.width == 3 && button.backgroundImage(for: .normal)?.size.width == 5)
        button.alcedo.setImage(with: ViewPictures.Model(request: b), for: .normal, settings: pictures.settings)
        button.alcedo.setBackgroundImage(
            with: ViewPictures.Model(request: a) as ViewPictures.Model?, for: .normal, settings: pictures.settings)
        #expect(button.image(for: .normal)?.size.width == 5 && button.backgroundImage(for: .normal)?.size.width == 3)
        button.alcedo.setBackgroundImage(with: nil, for: .normal, settings: pictures.settings)
        #expect(button.backgroundImage(for: .normal) == nil)
    }

    @Test(arguments: [UIControl.State.normal, .selected]) func clearedState_showsItsPicturesAgain(
        _ state: UIControl.State
    ) async throws {
        let url = try await pictures.url("a")
        var told = 0
        for _ in 0..<2 {
            button.setImage(nil, for: state)
            button.setBackgroundImage(nil, for: state)
            button.alcedo.setImage(with: url, for: state, settings: pictures.settings) { _ in told += 1 }
            button.alcedo.setBackgroundImage(with: url, for: state, settings: pictures.settings) { _ in told += 1 }
            #expect(button.image(for: state)?.size.width == 3)
            #expect(button.backgroundImage(for: state)?.size.width == 3)
        }
        #expect(told == 4)
    }

    @Test func cancelAll_endsTheLoadsOfAllStates() {
        let places = [
            button.alcedo.image(), button.alcedo.image(for: .selected), button.alcedo.backgroundImage(),
        ]
        for (index, place) in places.enumerated() {
            place.setImage(with: pictures.endlessRequest("\(index)"), settings: pictures.settings)
        }
        #expect(places.map(\.isLoading) == [true, true, true])
        button.alcedo.cancelAll()
        #expect(places.map(\.isLoading) == [false, false, false])
    }
}
#elseif canImport(AppKit) && !canImport(UIKit)
import Alcedo
import AlcedoUI
import AppKit
import Testing

/// The two pictures of a button.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ButtonSlotTests {
    private let pictures = ViewPictures()
    private let button = NSButton(frame: .zero)

    @Test func imageAndAlternateImage_areLoadedSeparately() async throws {
        let (a, b) = (try await pictures.url("a"), try await pictures.url("b", width: 5))
        button.alcedo.setImage(with: a, settings: pictures.settings)
        button.alcedo.setAlternateImage(with: b, settings: pictures.settings)
        #expect(button.image?.size.width == 3 && button.alternateImage?.size.width == 5)
        #expect(button.alcedo.url == a && button.alcedo.alternate.url == b)
        button.alcedo.setAlternateImage(with: nil, settings: pictures.settings)
        #expect(button.image?.size.width == 3 && button.alternateImage == nil)
    }

    @Test func requests_areShown() async throws {
        let (a, b) = (try await pictures.request("a"), try await pictures.request("b", width: 5))
        button.alcedo.setAlternateImage(with: a, settings: pictures.settings)
        #expect(button.alternateImage?.size.width == 3)
        button.alcedo.setAlternateImage(with: ViewPictures.Model(request: b), settings: pictures.settings)
        #expect(button.alternateImage?.size.width == 5)
    }

    @Test func clearedButton_showsItsPicturesAgain() async throws {
        let url = try await pictures.url("a")
        var told = 0
        for _ in 0..<2 {
            (button.image, button.alternateImage) = (nil, nil)
            button.alcedo.setImage(with: url, settings: pictures.settings) { _ in told += 1 }
            button.alcedo.setAlternateImage(with: url, settings: pictures.settings) { _ in told += 1 }
            #expect(button.image?.size.width == 3 && button.alternateImage?.size.width == 3)
        }
        #expect(told == 4)
    }

    @Test func cancelAll_endsBothLoads() {
        button.alcedo.setImage(with: pictures.endlessRequest("a"), settings: pictures.settings)
        button.alcedo.alternate.setImage(with: pictures.endlessRequest("b"), settings: pictures.settings)
        #expect(button.alcedo.isLoading && button.alcedo.alternate.isLoading)
        button.alcedo.cancelAll()
        #expect(!button.alcedo.isLoading && !button.alcedo.alternate.isLoading)
    }
}
#endif
