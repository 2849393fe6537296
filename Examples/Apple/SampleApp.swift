import Alcedo
import AlcedoUI
import SwiftUI

/// Shows three ways to use Alcedo on Apple's systems: a SwiftUI feed, the system's own views, and an animation.
@main
struct SampleApp: App {
    private let lifecycle = AppLifecycle()
    @State private var network = NetworkWatcher()

    var body: some Scene {
        WindowGroup {
            TabView {
                FeedView(network: network).tabItem { Text("SwiftUI") }
                SystemViews().tabItem { Text("Views") }
                AnimationView().tabItem { Text("Animation") }
            }
        }
    }
}
