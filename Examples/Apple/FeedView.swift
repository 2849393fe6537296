import Alcedo
import AlcedoUI
import SwiftUI

/// A long list. The loads of rows that leave the screen get a lower priority. Failed loads are retried when the network
/// is back, or on a tap.
struct FeedView: View {
    let network: NetworkWatcher
    @Environment(\.displayScale) private var displayScale

    private var settings: RemoteImageSettings {
        var settings = RemoteImageSettings()
        settings.slot.placeholder = .color(PixelColor(red: 200, green: 200, blue: 200))
        settings.slot.placeholderDelay = .milliseconds(100)
        settings.slot.connectivity = network.connectivity
        return settings
    }

    /// Smaller images if the user wants to save data.
    private var points: Int { network.isConstrained ? 40 : 120 }

    var body: some View {
        List(Photo.all) { photo in
            HStack {
                RemoteImage(photo.request(points: points, scale: displayScale), settings: settings) { phase in
                    row(phase)
                }
                .frame(width: 120, height: 120)
                .clipped()
                Text("Photo \(photo.id)")
            }
        }
    }

    @ViewBuilder private func row(_ phase: RemoteImagePhase) -> some View {
        if let error = phase.error {
            Button("Failed (\(error.kind)). Try again") { phase.reload() }
        } else if let picture = phase.picture {
            picture.resizable().scaledToFill()
        } else {
            ProgressView(value: phase.fraction)
        }
    }
}
