import Alcedo
import Foundation

/// An image on the web, in the size that a row needs.
struct Photo: Identifiable {
    let id: Int

    static let all = (10..<90).map { Photo(id: $0) }

    /// An animation of about 1 MB.
    static let animation = URL(
        string: "https://upload.wikimedia.org/wikipedia/commons/2/2c/Rotating_earth_%28large%29.gif")

    func url(width: Int, height: Int) -> URL? { URL(string: "https://picsum.photos/id/\(id)/\(width)/\(height)") }

    /// A request for a file that is ten times as wide as the view, decoded to the view's size in pixels.
    func request(points: Int, scale: Double) -> ImageRequest? {
        guard let url = url(width: points * 10, height: points * 20 / 3) else { return nil }
        var request = ImageRequest(url: url)
        let side = Int(Double(points) * scale)
        request.targetSize = PixelSize(width: side, height: side)
        request.scale = .factor(scale)
        return request
    }
}
