public import Alcedo

/// Where a cell draws: an image view, a layer, a terminal.
@MainActor public protocol Canvas: AnyObject {
    /// Draws a picture in place of the previous one; nil for none.
    func draw(_ picture: Bitmap?, fading: Bool)
}
