import Testing

@testable import TestFixtures

/// The folders of the library depend on each other in one direction.
@Suite struct LayerTests {
    /// Each layer knows only layers before it.
    private static let order = [
        "Support", "Platform", "HTTP", "Image", "Request", "Coalescing", "Stored", "Memory", "Disk", "Download",
        "Decode", "Process", "Encode", "Loader", "Views",
    ]
    /// None of them knows another.
    private static let stages: Set = ["Memory", "Disk", "Download", "Decode", "Process", "Encode"]

    private static func mayUse(_ layer: String, _ other: String) -> Bool {
        guard let index = order.firstIndex(of: layer), let otherIndex = order.firstIndex(of: other) else {
            return false
        }
        return otherIndex < index && !(stages.contains(layer) && stages.contains(other))
    }

    /// Where a layer uses a type of one that it may not know, or a member that such a layer adds to a type of another.
    private static func violations(in sources: [SourceFile]) -> [String] {
        var layers: [Substring: Set<Substring>] = [:]
        let declaration = declaration
        for source in sources {
            for line in source.code where !line.hasPrefix(" ") {
                guard let match = line.firstMatch(of: declaration) else { continue }
                layers[match.name, default: []].insert(layer(of: source))
            }
        }
        layers.merge(addedMembers(in: sources, layers)) { $0.union($1) }
        return sources.flatMap { source in
            let layer = layer(of: source)
            let names = Set(source.code.flatMap { Self.names(in: $0) })
            return names.flatMap { name in
                let others = layers[name, default: []]
                return (others.contains(layer) ? [] : others).filter { !mayUse(String(layer), String($0)) }
                    .map { "\(source.path): \(name) of \($0)" }
            }
        }.sorted()
    }

    /// The names of types, except of nested ones, and of members with the dot before them. Goes through bytes, as a
    /// regular expression takes long for all code.
    private static func names(in line: String) -> [Substring] {
        let upper = UInt8(ascii: "A")...UInt8(ascii: "Z"), lower = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let (dot, underscore) = (UInt8(ascii: "."), UInt8(ascii: "_"))
        func isPart(_ byte: UInt8) -> Bool {
            lower.contains(byte) || upper.contains(byte) || digits.contains(byte) || byte == underscore || byte > 0x7F
        }
        var names: [Substring] = []
        var (start, last, beforeLast): (String.Index?, UInt8, UInt8) = (nil, 0, 0)
        for index in line.utf8.indices {
            let byte = line.utf8[index]
            if !isPart(byte) {
                if let first = start { names.append(line[first..<index]) }
                start = nil
            } else if start == nil, !isPart(last) {
                if upper.contains(byte), last != dot || !isPart(beforeLast) { start = index }
                if lower.contains(byte), last == dot { start = line.utf8.index(before: index) }
            }
            (beforeLast, last) = (last, byte)
        }
        if let start { names.append(line[start...]) }
        return names.filter { $0.utf8.count > 1 }
    }

    /// The members in extensions of other layers' types, after a dot, where no other layer has members of that name.
    private static func addedMembers(
        in sources: [SourceFile], _ types: [Substring: Set<Substring>]
    ) -> [Substring: Set<Substring>] {
        var declared: [Substring: Set<Substring>] = [:]
        var added: Set<Substring> = []
        let (anExtension, members) = (/(?:\w+ )?extension (\w+)/, /\b(?:func|var|let|case) (\w+(?:, \w+)*)/)
        for source in sources {
            let layer = layer(of: source)
            var isOfOther = false
            for line in source.code {
                let indentation = line.prefix { $0 == " " }.count
                // Further in, there are the variables of functions.
                guard indentation <= 8 else { continue }
                if indentation == 0, let match = line.prefixMatch(of: anExtension) {
                    isOfOther = !types[match.1, default: []].contains(layer)
                } else if line.hasPrefix("}") {
                    isOfOther = false
                }
                for name in line.matches(of: members).flatMap({ $0.1.split(separator: ", ") }) {
                    declared["." + name, default: []].insert(layer)
                    if isOfOther, indentation <= 4, !line.contains("private ") { added.insert("." + name) }
                }
            }
        }
        return declared.filter { added.contains($0.key) && $0.value.count == 1 && !standardMembers.contains($0.key) }
    }

    /// Members of the standard library's types.
    private static let standardMembers: Set<Substring> = [".bigEndian", ".clamped", ".rounded"]

    private static var declaration: Regex<(Substring, name: Substring)> {
        #/
        ^(?:@\w+(?:\([^)]*\))?\s+)*
        (?:(?:public|package|private|fileprivate|final|indirect|nonisolated)\s+)*
        (?:struct|class|enum|actor|protocol|typealias)\s+(?<name>\w+)
        /#
    }

    private static func layer(of source: SourceFile) -> Substring { source.path.split(separator: "/")[1] }

    private static func library() throws -> [SourceFile] {
        try SourceFile.all.filter { $0.path.hasPrefix("Alcedo/") }
    }

    @Test func everyFile_liesInALayer() throws {
        let layers = Set(try Self.library().map { String(Self.layer(of: $0)) })
        #expect(layers.isSubset(of: Self.order), "\(layers.subtracting(Self.order))")
        #expect(layers.count > 10)
    }

    @Test func noLayer_knowsLaterOne_andNoStageAnother() throws {
        #expect(Self.violations(in: try Self.library()) == [])
    }

    @Test func forbiddenDependency_isFound() {
        func file(_ path: String, _ text: String) -> SourceFile { SourceFile(path: "Alcedo/" + path, text: text) }
        let sources = [
            file("Support/Heap.swift", "struct Heap { let cache: MemoryCache } // ImageLoader"),
            file("Memory/MemoryCache.swift", "@nonexhaustive\npublic actor MemoryCache { let heap: Heap }"),
            file("Disk/DiskStore.swift", "package actor DiskStore { let memory: MemoryCache }"),
            file("Loader/ImageLoader.swift", "public final class ImageLoader { let disk: DiskStore, heap = Heap() }"),
            file("Request/ImageRequest.swift", #"let (text, size) = ("of \(url.plain)", url.size)"#),
            file("Download/Plain.swift", "extension URL {\n    var plain: URL { self }\n    func size() {}\n}"),
            file("Process/Sizes.swift", "extension URL {\n    var rounded: Int { 0 }\n}\nstruct Size { case size }"),
            file("Image/Pixels.swift", "struct Pixels { let side = 1.5.rounded() }"),
        ]
        #expect(
            Self.violations(in: sources) == [
                "Alcedo/Disk/DiskStore.swift: MemoryCache of Memory",
                "Alcedo/Request/ImageRequest.swift: .plain of Download",
                "Alcedo/Support/Heap.swift: MemoryCache of Memory",
            ])
    }
}
