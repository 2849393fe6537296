#if canImport(AppKit) && !canImport(UIKit)
import Alcedo
import AlcedoUI
import AppKit
import SwiftUI

/// The content of the app's second tab.
typealias SystemViews = PhotoPair

/// An image view and a button of AppKit.
struct PhotoPair: View {
    var body: some View {
        HStack {
            PhotoImageView(photo: Photo(id: 10))
            PhotoButton(photo: Photo(id: 11))
        }
    }
}

struct PhotoImageView: NSViewRepresentable {
    let photo: Photo

    func makeNSView(context: Context) -> NSImageView { NSImageView(frame: .zero) }

    func updateNSView(_ view: NSImageView, context: Context) {
        var settings = ViewImageSettings()
        settings.showsActivity = true
        view.alcedo.setImage(with: photo.request(points: 300, scale: 2), settings: settings)
    }
}

struct PhotoButton: NSViewRepresentable {
    let photo: Photo

    func makeNSView(context: Context) -> NSButton { NSButton(frame: .zero) }

    func updateNSView(_ view: NSButton, context: Context) {
        view.alcedo.setImage(with: photo.url(width: 80, height: 80))
        view.alcedo.setAlternateImage(with: photo.url(width: 81, height: 81))
    }
}
#endif
