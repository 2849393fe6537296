import Foundation

/// The files of this repository, found from this one.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// What a reader sees: the README, and every Markdown file and every public source comment below.
    static let documents: [String] = {
        ["README.md"] + files(below: "Docs", ending: ".md") + files(below: "Sources/Alcedo", ending: ".swift")
            + files(below: "Sources/AlcedoUI", ending: ".swift")
    }()

    /// The files that hold regions. Those for Apple's systems are compiled by `make apple-check`.
    static let listings =
        files(below: "Tests/DocTests/Listings", ending: ".swift") + files(below: "Examples/Apple", ending: ".swift")

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Paths from the root, in order.
    private static func files(below folder: String, ending: String) -> [String] {
        let found = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.allObjects ?? []
        return found.compactMap { $0 as? String }.filter { $0.hasSuffix(ending) }.sorted().map { folder + "/" + $0 }
    }
}
