import Foundation

/// The contents of the file that `--json` writes.
struct Report: Encodable {
    let machine: Machine
    let results: [CaseResult]

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
