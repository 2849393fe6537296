/// A fenced block of Swift in a document.
struct Fence: Equatable {
    /// The line of its opening fence, counted from 1.
    let line: Int
    let code: [String]

    /// A block that does not end.
    struct Unclosed: Error, Equatable {
        let line: Int
    }

    /// The Swift blocks of a Markdown file, or of the documentation comments of a source file.
    static func swiftBlocks(of text: String, isSource: Bool) throws(Unclosed) -> [Fence] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var blocks: [Fence] = []
        var open: (line: Int, isSwift: Bool, code: [String])?
        for (number, line) in zip(1..., lines) {
            guard let line = isSource ? commentText(of: line) : line else { continue }
            let words = line.trimmingPrefix { $0 == " " }
            if words.hasPrefix("```") {
                if let block = open {
                    if block.isSwift {
                        blocks.append(Fence(line: block.line, code: block.code.withoutCommonIndentation))
                    }
                    open = nil
                } else {
                    open = (number, words.dropFirst(3).lowercased().hasPrefix("swift"), [])
                }
            } else {
                open?.code.append(line)
            }
        }
        if let left = open { throw Unclosed(line: left.line) }
        return blocks
    }

    /// What follows `///`, nil for code.
    private static func commentText(of line: String) -> String? {
        let words = line.trimmingPrefix { $0 == " " }
        guard words.hasPrefix("///") else { return nil }
        return String(words.dropFirst(3))
    }
}
