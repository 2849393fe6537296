public import Alcedo

/// A surface on which a cell draws: an image view, a layer, a terminal.
@MainActor public protocol Canvas: AnyObject {
    /// Draws an image in place of the previous one; nil draws none.
    func draw(_ picture: Bitmap?, fading: Bool)
}
