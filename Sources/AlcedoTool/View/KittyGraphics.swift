import Foundation

/// The sequences of kitty's graphics protocol, which draws pixels (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
enum KittyGraphics {
    /// The number of the query, which is repeated in the answer.
    static let queryID = 31

    /// Asks whether the terminal can draw, and then for its attributes, which every terminal reports.
    static let query = command("i=\(queryID),s=1,v=1,a=q,t=d,f=24", "AAAA") + "\u{1B}[c"

    /// Deletes all images.
    static let deleteAll = command("a=d,d=A,q=2")

    /// Sends an image without showing it yet.
    ///
    /// - Parameter isStill: Whether its pixels will stay for a while. If so, a PNG is sent, which is often about half
    ///   as long. Making it takes some 50 ms per megapixel, too long for each frame of an animation.
    static func transmit(_ raster: Raster, isStill: Bool, id: Int) -> String {
        if isStill, let png = raster.png { return transmit(png, "f=100", id) }
        // The pixels are contiguous, three bytes each.
        let bytes = raster.pixels.withUnsafeBytes { Data($0) }
        return transmit(bytes, "f=24,s=\(raster.width),v=\(raster.height)", id)
    }

    private static func transmit(_ bytes: Data, _ format: String, _ id: Int) -> String {
        let text = bytes.base64EncodedString()
        var output = ""
        var rest = text.utf8[...]
        var keys = "a=t,\(format),i=\(id),q=2"
        repeat {
            let chunk = rest.prefix(longestChunk)
            rest = rest.dropFirst(longestChunk)
            output += command("\(keys),m=\(rest.isEmpty ? 0 : 1)", String(Substring(chunk)))
            keys = "q=2"
        } while !rest.isEmpty
        return output
    }

    /// Shows an image in a rectangle of cells without moving the cursor.
    static func place(id: Int, in cells: CellRectangle) -> String {
        "\u{1B}[\(cells.row + 1);\(cells.column + 1)H"
            + command("a=p,i=\(id),p=1,c=\(cells.width),r=\(cells.height),C=1,q=2")
    }

    /// Deletes an image and its pixels.
    static func delete(id: Int) -> String { command("a=d,d=I,i=\(id),q=2") }

    /// The maximum length of a chunk of pixels in Base64.
    private static let longestChunk = 4_096

    private static func command(_ keys: String, _ payload: String = "") -> String {
        "\u{1B}_G\(keys)" + (payload.isEmpty ? "" : ";\(payload)") + "\u{1B}\\"
    }
}
