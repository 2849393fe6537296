import Foundation

/// Writes a line to standard error, so that it isn't mixed with a table.
func printError(_ line: String) {
    FileHandle.standardError.write(Data("bench: \(line)\n".utf8))
}
