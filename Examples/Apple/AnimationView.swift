import AlcedoUI
import SwiftUI

/// An animation that plays while it is on the screen.
struct AnimationView: View {
    @State private var isPaused = false

    var body: some View {
        VStack {
            AnimatedRemoteImage(Photo.animation, isPaused: isPaused)
                .scaledToFit()
                .frame(width: 300, height: 300)
            Toggle("Paused", isOn: $isPaused)
        }
        .padding(20)
    }
}
