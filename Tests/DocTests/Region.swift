/// Code of a listing file between `// region: name` and `// endregion`.
///
/// Regions may lie within regions. One that is opened again under the same name goes on where it ended, so that an
/// import at the top of the file and statements in a function make one listing.
struct Region: Equatable {
    let name: String
    var code: [String] = []

    /// A marker that has no counterpart.
    struct Unbalanced: Error, Equatable {
        let line: Int
    }

    /// The regions of a file, in the order of their first lines.
    static func regions(of text: String) throws(Unbalanced) -> [Region] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var regions: [Region] = []
        var open: [(name: String, line: Int, code: [String])] = []
        for (number, line) in zip(1..., lines) {
            let words = line.trimmingPrefix { $0 == " " }
            if words.hasPrefix("// region: ") {
                open.append((String(words.dropFirst("// region: ".count)), number, []))
            } else if words == "// endregion" {
                guard let ended = open.popLast() else { throw Unbalanced(line: number) }
                regions.add(ended.code.withoutCommonIndentation, to: ended.name)
            } else {
                for index in open.indices { open[index].code.append(line) }
            }
        }
        if let left = open.last { throw Unbalanced(line: left.line) }
        return regions
    }
}

extension [Region] {
    fileprivate mutating func add(_ code: [String], to name: String) {
        if let index = firstIndex(where: { $0.name == name }) {
            self[index].code += code
        } else {
            append(Region(name: name, code: code))
        }
    }
}

extension [String] {
    /// The lines less the spaces that all of them begin with, and less the blank ones around them.
    var withoutCommonIndentation: [String] {
        let isBlank = { (line: String) in line.allSatisfy { $0 == " " } }
        let kept = Array(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
        let depth = kept.filter { !isBlank($0) }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return kept.map { isBlank($0) ? "" : String($0.dropFirst(depth)) }
    }
}
