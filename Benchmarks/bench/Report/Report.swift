import Foundation

/// The contents of the file that `--json` writes. Optional fields are missing from the files of older versions.
struct Report: Codable {
    let machine: Machine
    /// The command that measured.
    var command: String?
    /// The versions of Alcedo and of the libraries that it uses.
    var versions: [String: String]?
    /// The reasons of the cases that failed.
    var failures: [String: String]?
    let results: [CaseResult]

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }

    static func read(_ file: URL) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(contentsOf: file))
    }
}
