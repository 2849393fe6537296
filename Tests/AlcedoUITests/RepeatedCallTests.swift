#if canImport(UIKit) || canImport(AppKit)
import Alcedo
import AlcedoUI
import Testing

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// Calls for the picture that a place shows or loads already, after the program has changed the view's picture.
@MainActor @Suite(.timeLimit(.minutes(1))) struct RepeatedCallTests {
    private let pictures = ViewPictures()

    #if canImport(UIKit)
    private let view = UIImageView(frame: .zero)
    #else
    private let view = NSImageView(frame: .zero)
    #endif

    @Test func clearedView_showsThePictureAgain() async throws {
        let request = try await pictures.request()
        for _ in 0..<3 {
            view.image = nil
            view.alcedo.setImage(with: request, settings: pictures.settings)
            #expect(view.image?.size.width == 3)
        }
        view.image = try ViewPictures.own()
        view.alcedo.setImage(with: request, settings: pictures.settings)
        #expect(view.image?.size.width == 3)
    }

    @Test func everyPlace_showsItsPictureAgain() async throws {
        final class Owner {
            var picture: PlatformImage?
        }
        let (owner, request) = (Owner(), try await pictures.request())
        for name in ["image", "other"] {
            let place = ViewSlot(owner, named: name) { $0.picture = $1 }
            for _ in 0..<2 {
                owner.picture = nil
                place.setImage(with: request, settings: pictures.settings)
                #expect(owner.picture?.size.width == 3)
            }
        }
    }

    @Test func program_isToldOnce_ofEachCall() async throws {
        var settings = pictures.settings
        settings.setsImage = false
        let request = try await pictures.request()
        var told: [[PixelSize?]] = []
        for index in 0..<3 {
            told.append([])
            view.alcedo.setImage(with: request, settings: settings) { slot in
                told[index].append(slot.shown.picture.image?.bitmap.size)
            }
        }
        #expect(told == Array(repeating: [PixelSize(width: 3, height: 2)], count: 3))
        #expect(view.image == nil)
    }

    @Test func emptyPlace_isToldOnce() {
        var phases: [ImageSlot.Phase] = []
        view.alcedo.setImage(with: nil as ImageRequest?, settings: pictures.settings) { phases.append($0.phase) }
        #expect(phases.count == 1)
        if let phase = phases.first, case .empty = phase { return }
        Issue.record("an empty place has the phase \(phases)")
    }

    @Test func callOfOnChange_endsOnlyItsOwnReport() async throws {
        let (first, second) = (try await pictures.request("first", width: 4), try await pictures.request("second"))
        var told: [String] = []
        view.alcedo.setImage(with: first, settings: pictures.settings)
        view.alcedo.setImage(with: first, settings: pictures.settings) { [view, pictures] _ in
            told.append("first")
            view.alcedo.setImage(with: second, settings: pictures.settings) { _ in told.append("second") }
        }
        #expect(told == ["first", "second"])
        #expect(view.image?.size.width == 3 && view.alcedo.request == second)
    }

    @Test func pictureShownAgain_hasNoTransition() async throws {
        var transitions = 0
        var settings = pictures.settings
        settings.slot.transition = .always
        settings.transition = .custom { _, change in
            transitions += 1
            change()
        }
        let request = try await pictures.request()
        view.alcedo.setImage(with: request, settings: settings)
        #expect(transitions == 1 && view.image?.size.width == 3)
        view.image = nil
        view.alcedo.setImage(with: request, settings: settings)
        #expect(transitions == 1 && view.image?.size.width == 3)
    }

    @Test func runningLoad_showsItsPlaceholderAgain() throws {
        var settings = pictures.settings
        settings.placeholderImage = try ViewPictures.own()
        let request = pictures.endlessRequest()
        view.alcedo.setImage(with: request, settings: settings)
        #expect(view.image === settings.placeholderImage)
        view.image = nil
        var told: [Bool] = []
        view.alcedo.setImage(with: request, settings: settings) { told.append($0.isLoading) }
        #expect(view.image === settings.placeholderImage && told == [true])
        view.alcedo.cancel()
    }

    @Test func failure_showsItsPicture_whileItIsTriedAgain() async throws {
        var settings = pictures.settings
        settings.failureImage = try ViewPictures.own()
        let request = ImageRequest(id: "none") { throw ViewPictures.Refusal() }
        await end(of: request, settings)
        #expect(view.alcedo.phase.error != nil && view.image === settings.failureImage)
        view.image = nil
        view.alcedo.setImage(with: request, settings: settings)
        #expect(view.alcedo.isLoading && view.image === settings.failureImage)
        view.image = nil
        await end(of: request, settings)
        #expect(view.alcedo.phase.error != nil && view.image === settings.failureImage)
    }

    /// Waits until a load has ended that is started or joined.
    private func end(of request: ImageRequest, _ settings: ViewImageSettings) async {
        await withCheckedContinuation { continuation in
            var hasEnded = false
            view.alcedo.setImage(with: request, settings: settings) { slot in
                if hasEnded || slot.isLoading { return }
                hasEnded = true
                continuation.resume()
            }
        }
    }

    // MARK: The program's own picture

    @Test func ownPicture_staysUntilThereIsAnother_ifTheCurrentOneIsKept() throws {
        var settings = pictures.settings
        settings.slot.keepsCurrent = true
        let own = try ViewPictures.own()
        view.image = own
        for _ in 0..<2 {
            view.alcedo.setImage(with: pictures.endlessRequest(), settings: settings)
            #expect(view.image === own)
        }
        view.alcedo.cancel()
    }

    @Test(arguments: [false, true]) func noRequest_emptiesTheView_eachTime(keepsCurrent: Bool) throws {
        var settings = pictures.settings
        settings.slot.keepsCurrent = keepsCurrent
        for _ in 0..<2 {
            view.image = try ViewPictures.own()
            view.alcedo.setImage(with: nil as ImageRequest?, settings: settings)
            #expect(view.image == nil)
        }
    }

    @Test func keptPicture_doesNotReturn_forAnotherRequest() async throws {
        var settings = pictures.settings
        settings.slot.keepsCurrent = true
        view.alcedo.setImage(with: try await pictures.request(), settings: settings)
        view.image = nil
        view.alcedo.setImage(with: pictures.endlessRequest(), settings: settings)
        #expect(view.image == nil)
        view.alcedo.cancel()
    }

    // MARK: Animations

    @Test func animation_goesOn() async throws {
        let request = try await pictures.animation()
        view.alcedo.setImage(with: request, settings: pictures.settings)
        let player = try #require(view.alcedo.player)
        let frame = try #require(view.image)
        view.image = nil
        view.alcedo.setImage(with: request, settings: pictures.settings)
        #expect(view.alcedo.player === player && view.image === frame)
    }

    @Test func animation_playsAsOftenAsTheSettingsSay() async throws {
        var settings = pictures.settings
        settings.loopCount = .times(1)
        view.alcedo.setImage(with: try await pictures.animation(), settings: settings)
        let player = try #require(view.alcedo.player)
        // An endless one would be at its beginning again.
        player.seek(to: .seconds(9))
        #expect(player.position == player.animation.duration)
    }

    @Test func animation_stops_ifTheSettingsSaySo() async throws {
        let request = try await pictures.animation()
        view.alcedo.setImage(with: request, settings: pictures.settings)
        #expect(view.alcedo.player != nil)
        var settings = pictures.settings
        settings.playsAnimations = false
        view.alcedo.setImage(with: request, settings: settings)
        #expect(view.alcedo.player == nil && view.image?.size.width == 3)
        view.alcedo.setImage(with: request, settings: pictures.settings)
        #expect(view.alcedo.player != nil)
    }
}
#endif
