public import Alcedo
public import Foundation

extension ImageRequest {
    /// A round image of a person.
    public static func avatar(_ url: URL, pixels: Int) -> Self {
        var request = ImageRequest(url: url)
        // ImageProcessors.Resize(size:unit:contentMode:), ImageProcessors.Circle()
        request.processors = [.resize(to: PixelSize(width: pixels, height: pixels), mode: .fill), .circle()]
        // ImageRequest.priority
        request.priority = .high
        return request
    }
}
