import Foundation
import Testing

@testable import TestFixtures

/// Docs/API.txt lists every public declaration, so that a change of the API shows in the diff of a change.
@Suite struct PublicAPITests {
    private static let file = SourceFile.package.appendingPathComponent("Docs/API.txt")

    private static func listing() throws -> String {
        let sources = try SourceFile.all
        return ["Alcedo", "AlcedoUI", "AlcedoTestSupport"].map { module in
            let lines = Set(sources.filter { $0.path.hasPrefix(module + "/") }.flatMap(PublicAPI.declarations))
            return "# \(module)\n\n" + lines.sorted().map { $0 + "\n" }.joined()
        }.joined(separator: "\n")
    }

    @Test func listing_isUpToDate() throws {
        let listing = try Self.listing()
        if ProcessInfo.processInfo.environment["ALCEDO_WRITE_API"] != nil {
            try Data(listing.utf8).write(to: Self.file)
            return
        }
        let published = Set(try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n"))
        let current = Set(listing.split(separator: "\n"))
        #expect(current.subtracting(published).sorted() == [], "new: please run make api")
        #expect(published.subtracting(current).sorted() == [], "gone: please run make api")
    }

    @Test func declarations_areListed_withEnclosingTypes() {
        let text = """
            public struct A<Value: Sendable>: Sendable {
                /// Not this.
                public var one: Int { get { 1 } }
                public let two = 2
                public init(
                    _ three: Int, four: [String: Int] = [:]
                ) throws(E) where Value: Hashable {
                    self.init()
                }
                public struct Empty: Error {}
                private func five() {}
                public func closure(_ body: () -> Void = { print() }) {}
                public enum Six: Sendable {
                    case seven(Int)
                    case eight, nine

                    public var ten: String { "10" }
                }
            }
            extension A: Equatable {
                public static func == (left: A, right: A) -> Bool { true }
                func eleven() { public var no = 1 }
            }
            public protocol P {
                func twelve() async
                var thirteen: Int { get }
            }
            enum Q {
                case fourteen
            }
            public actor R {
                public nonisolated func fifteen() {}
            }
            """
        #expect(
            PublicAPI.declarations(of: SourceFile(path: "Alcedo/A.swift", text: text)) == [
                "A: struct A<Value: Sendable>: Sendable", "A.one: var one: Int", "A.two: let two = 2",
                "A.init: init(_ three: Int, four: [String: Int] = [:]) throws(E) where Value: Hashable",
                "A.Empty: struct Empty: Error", "A.closure: func closure(_ body: () -> Void = { print() })",
                "A.Six: enum Six: Sendable", "A.Six.seven: case seven(Int)", "A.Six.eight: case eight, nine",
                "A.Six.ten: var ten: String", "A.==: static func == (left: A, right: A) -> Bool", "P: protocol P",
                "P.twelve: func twelve() async", "P.thirteen: var thirteen: Int { get }", "R: actor R",
                "R.fifteen: nonisolated func fifteen()",
            ])
    }
}

/// The public declarations of formatted sources, whose indentation shows the nesting.
enum PublicAPI {
    private struct Scope {
        let indentation: Int
        let name: String
        let membersArePublic: Bool
        let isProtocol: Bool
    }

    static func declarations(of source: SourceFile) -> [String] {
        let lines = source.code
        let declaration = Self.declaration
        let markedPublic = Self.markedPublic
        var scopes: [Scope] = []
        var found: [String] = []
        for (index, line) in lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indentation)
            if text.hasPrefix("}") { scopes.removeAll { $0.indentation >= indentation } }
            guard indentation == (scopes.last?.indentation ?? -4) + 4, let match = text.prefixMatch(of: declaration)
            else { continue }
            let keyword = String(match.keyword)
            let name = match.name.isEmpty ? keyword : String(match.name)
            let saysSo = text.prefixMatch(of: markedPublic) != nil
            let isPublic = saysSo || scopes.last?.membersArePublic == true
            let path = scopes.map { $0.name + "." }.joined()
            let isType = ["struct", "class", "enum", "actor", "protocol"].contains(keyword)
            if keyword == "extension" || isType, !text.hasSuffix("}") {
                scopes.append(
                    Scope(
                        indentation: indentation, name: name,
                        membersArePublic: isPublic && ["enum", "protocol"].contains(keyword),
                        isProtocol: keyword == "protocol"))
            }
            let isInPublicEnum = scopes.last.map { $0.membersArePublic && !$0.isProtocol } ?? false
            let isPlainMember = !isType && keyword != "case" && !text.contains("public ")
            guard keyword != "extension", isPublic, !(isInPublicEnum && isPlainMember) else { continue }
            let isRequirement = scopes.last?.isProtocol == true && !isType
            found.append("\(path)\(name): \(signature(lines[index...], isRequirement))")
        }
        return found
    }

    private static var markedPublic: Regex<Substring> {
        #/(?:@\w+(?:\([^)]*\))?\s)*public\s/#
    }

    private static var declaration: Regex<(Substring, keyword: Substring, name: Substring)> {
        #/
        (?:@\w+(?:\([^)]*\))?\s)*
        (?:(?:public|package|private|fileprivate|internal|final|indirect|nonisolated|static|mutating|override
            |convenience|consuming|required|weak|(?:private|package|fileprivate|internal)\(set\))\s)*
        (?<keyword>struct|class|enum|actor|protocol|extension|func|var|let|case|typealias|init(?=[?(<])|subscript)
        \s?(?<name>[\w.]+|[^\w\s(]+|(?=\())
        /#
    }

    /// The declaration in one line, without its body.
    private static func signature(_ lines: ArraySlice<String>, _ isRequirement: Bool) -> String {
        var text = ""
        var depth = 0
        for line in lines {
            let line = line.trimmingCharacters(in: .whitespaces)
            text += text.isEmpty || text.hasSuffix("(") || line.hasPrefix(")") ? line : " " + line
            depth += line.count(where: { "([".contains($0) }) - line.count(where: { ")]".contains($0) })
            if depth <= 0, isRequirement || line.contains("{") || !continues(text) { break }
        }
        if !isRequirement, let body = body(in: text) { text = String(text[..<body]) }
        for word in ["public ", "private(set) ", "package(set) ", "internal(set) ", "fileprivate(set) "] {
            text = text.replacingOccurrences(of: word, with: "")
        }
        return text.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "@nonexhaustive ", with: "")
    }

    /// Where the first brace outside of parentheses is.
    private static func body(in text: String) -> String.Index? {
        var depth = 0
        return text.indices.first { index in
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            return text[index] == "{" && depth == 0
        }
    }

    private static func continues(_ text: String) -> Bool {
        text.hasSuffix(")") && text.contains(/\bfunc |\binit/) || text.hasSuffix(",") || text.hasSuffix("=")
    }
}
