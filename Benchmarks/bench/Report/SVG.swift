/// Elements of an SVG image.
enum SVG {
    static func document(width: Double, height: Double, title: String, _ elements: [String]) -> String {
        let head = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(number(width)) \(number(height))\""
                + " font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\" fill=\"#333\">",
            "<title>\(escaped(title))</title>",
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
        ]
        return (head + elements + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    static func bar(x: Double, y: Double, width: Double, height: Double, color: String) -> String {
        "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
            + " fill=\"\(color)\"/>"
    }

    static func label(_ text: String, x: Double, y: Double, anchor: String = "start", bold: Bool = false) -> String {
        let weight = bold ? " font-weight=\"bold\"" : ""
        return "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\"\(weight)>\(escaped(text))</text>"
    }

    /// - Parameter command: `h` for a horizontal line, `v` for a vertical one.
    static func line(x: Double, y: Double, _ command: Character, length: Double, color: String) -> String {
        "<path d=\"M\(number(x)) \(number(y))\(command)\(number(length))\" stroke=\"\(color)\"/>"
    }

    static func polyline(_ points: [(x: Double, y: Double)], color: String) -> String {
        let text = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        return "<polyline points=\"\(text)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\"/>"
    }

    /// Escapes a text. A file name may contain any characters.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    private static func number(_ value: Double) -> String { NumberFormat.fixed(value, 1) }
}
