#if canImport(MapKit) && !os(watchOS)
import Alcedo
import AlcedoUI
import MapKit
import Testing

/// A view on a map, as the documentation of ``ViewSlot`` shows it.
@MainActor @Suite(.timeLimit(.minutes(1))) struct AnnotationViewTests {
    private let pictures = ViewPictures()
    private let view = MKAnnotationView(annotation: nil, reuseIdentifier: nil)

    private var slot: ViewSlot<MKAnnotationView> { ViewSlot(view) { $0.image = $1 } }

    @Test func picture_isShown_andRemoved() async throws {
        slot.setImage(with: try await pictures.url("a"), settings: pictures.settings)
        #expect(view.image?.size.width == 3)
        slot.setImage(with: nil as ImageRequest?, settings: pictures.settings)
        #expect(view.image == nil)
    }

    @Test func clearedView_showsThePictureAgain() async throws {
        let url = try await pictures.url("a")
        var told = 0
        for _ in 0..<2 {
            // As a program does before it reuses the view.
            view.image = nil
            slot.setImage(with: url, settings: pictures.settings) { _ in told += 1 }
            #expect(view.image?.size.width == 3)
        }
        #expect(told == 2)
    }
}
#endif
