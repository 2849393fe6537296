import Foundation

/// A public async function, or a property with an async getter, as declared in the sources. Members isolated to a
/// public actor count, because they are async for their callers.
struct PublicFunction: Sendable, Hashable {
    /// The enclosing types, the name, and the labels and types of the parameters: `ImageLoader.image(for: URL)`.
    let name: String
    let isThrowing: Bool

    /// The functions of a module.
    static func all(in module: String) throws -> [PublicFunction] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/\(module)")
        let files = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        let sources = try files.filter { $0.hasSuffix(".swift") }.sorted().map { file in
            try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
        }
        let actors = Set(sources.flatMap(actors))
        return sources.flatMap { all(of: $0, actors: actors) }
    }

    /// The functions in one source file.
    static func all(of source: String) -> [PublicFunction] { all(of: source, actors: Set(actors(of: source))) }

    private static func actors(of source: String) -> [String] {
        source.matches(of: /(?m)^public actor (\w+)/).map { String($0.1) }
    }

    /// The functions in a formatted source, whose indentation shows the nesting.
    private static func all(of source: String, actors: Set<String>) -> [PublicFunction] {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0).replacing(/"(\\.|[^"\\])*"/, with: "\"\"").replacing(/\/\/.*/, with: "")
        }
        let typeDeclaration = /((?:[a-z@]\w* )*)(extension|class|struct|enum|actor|protocol) ([A-Z][\w.]*)/
        let memberDeclaration = /((?:[a-z@]\w* )*)(?:func |var |(?=init|subscript))(\w+)/
        var functions: [PublicFunction] = []
        var types: [(indentation: Int, name: String, membersArePublic: Bool)] = []
        for (index, line) in lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indentation)
            if let type = text.prefixMatch(of: typeDeclaration) {
                types.removeAll { $0.indentation >= indentation }
                let isOpen = ["protocol", "extension"].contains(type.2) && type.1.contains("public")
                types.append((indentation, String(type.3), isOpen))
            } else if let member = text.prefixMatch(of: memberDeclaration) {
                let around = types.filter { $0.indentation < indentation }
                guard member.1.contains("public") || around.last?.membersArePublic == true else { continue }
                let declaration = ([String(text)] + lines[(index + 1)...]).joined(separator: "\n")
                let path = around.map { $0.name + "." }.joined()
                let isIsolated =
                    actors.contains(around.last?.name ?? "") && member.2 != "init"
                    && !member.1.contains(/nonisolated|static/)
                let rest = declaration.dropFirst(member.0.count)
                if let function = read(rest, named: path + member.2, isIsolated: isIsolated) {
                    functions.append(function)
                }
            }
        }
        return functions
    }

    /// - Parameter declaration: Everything after the name.
    private static func read(_ declaration: Substring, named name: String, isIsolated: Bool) -> PublicFunction? {
        let generic = declaration.prefixMatch(of: /<[^(]*>/)?.0.count ?? 0
        let declaration = declaration.dropFirst(generic)
        guard declaration.hasPrefix("(") || declaration.hasPrefix("?(") else {
            let isThrowing = getter(declaration) ?? (isIsolated ? false : nil)
            return isThrowing.map { PublicFunction(name: name, isThrowing: $0) }
        }
        let list = balanced(declaration.drop { $0 != "(" }, "(", ")")
        let effects = declaration[list.endIndex...].dropFirst()
            .prefixMatch(of: /\s*(async\b)?(\s*throws\b(?!\(Never\)))?/)
        guard let effects, effects.1 != nil || isIsolated else { return nil }
        let parameters = parameters(list.dropFirst()).joined(separator: ", ")
        return PublicFunction(name: "\(name)(\(parameters))", isThrowing: effects.2 != nil)
    }

    /// Whether the async getter of a property throws; nil for a property without one.
    private static func getter(_ declaration: Substring) -> Bool? {
        guard let type = declaration.prefixMatch(of: /:[^\n={]*(?=\{)/) else { return nil }
        let body = balanced(declaration.dropFirst(type.0.count), "{", "}")
        return body.prefixMatch(of: /\{\s*get async\b( throws\b)?/).map { $0.1 != nil }
    }

    /// The text from an opening bracket up to the matching closing one, which isn't included.
    private static func balanced(_ text: Substring, _ opening: Character, _ closing: Character) -> Substring {
        var depth = 0
        return text.prefix { character in
            if character == opening { depth += 1 } else if character == closing { depth -= 1 }
            return depth > 0
        }
    }

    /// The label and the type of each parameter.
    private static func parameters(_ list: Substring) -> [String] {
        var depth = 0
        let parts = list.split { character in
            if "([<".contains(character) { depth += 1 } else if ")]>".contains(character) { depth -= 1 }
            return character == "," && depth == 0
        }
        return parts.compactMap { part in
            let words = part.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return words.wholeMatch(of: /(\w+)(?: \w+)?: (.*?)(?: = .*)?/).map { "\($0.1): \($0.2)" }
        }
    }
}
