import Alcedo
import AlcedoUI
import SwiftUI

/// Shows in Xcode that the scale is respected: 200 × 200 pixels at `@2x` are as large as 100 × 100 at `@1x`.
struct ScalePreviews: PreviewProvider {
    static var previews: some View {
        VStack {
            square(pixels: 100, scale: 1)
            square(pixels: 200, scale: 2)
        }
        .previewDisplayName("@1x and @2x")
    }

    @ViewBuilder private static func square(pixels: Int, scale: Double) -> some View {
        RemoteImage(request(pixels: pixels, scale: scale)) { phase in
            // The image isn't resizable, so it has its own size.
            if let picture = phase.picture { picture } else { Text("Loading") }
        }
    }

    private static func request(pixels: Int, scale: Double) -> ImageRequest {
        var request = ImageRequest(id: "square of \(pixels) pixels") {
            var builder = try BitmapBuilder(size: PixelSize(width: pixels, height: pixels))
            builder.withBytes { bytes in
                for offset in stride(from: 0, to: bytes.byteCount, by: 4) {
                    bytes.storeBytes(of: 0xff80_4020, toByteOffset: offset, as: UInt32.self)
                }
            }
            return try PNGEncoder().encode(builder.freeze())
        }
        request.scale = .factor(scale)
        return request
    }
}
