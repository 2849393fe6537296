import AlcedoUI
import Foundation
import SwiftUI

/// Shows an image of one black pixel, which needs no network.
@main
struct ClientApp: App {
    private let lifecycle = AppLifecycle()
    private let url = URL(
        string: "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==")

    var body: some Scene {
        WindowGroup { RemoteImage(url).imageLabel(Text("Pixel")) }
    }
}
