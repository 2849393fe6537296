import Foundation
import Synchronization

/// The files and directories of a store, below its own directory:
///
///     entries/      one file for each entry
///     temporary/    files that are being written
///     discarded/    files to be deleted in the background
///     index         see ``IndexLog``
///     key           see ``DirectoryKey``
///     lock          held while entries or the index are changed
struct DiskDirectory: Sendable {
    let path: String
    let entries: String
    let temporary: String
    let discarded: String
    let index: String
    let key: String
    let lock: String

    private static let lastNumber = Atomic(0)
    /// Distinguishes this process from all others.
    private static let processToken = String(UInt64.random(in: .min ... .max), radix: 16)

    init(_ path: String) {
        self.path = path
        entries = path + "/entries"
        temporary = path + "/temporary"
        discarded = path + "/discarded"
        index = path + "/index"
        key = path + "/key"
        lock = path + "/lock"
    }

    func file(_ name: EntryName) -> String { name.text(after: entries + "/") }

    /// The path of an entry's file below the store's directory.
    func relativeFile(_ name: EntryName) -> String { name.text(after: "entries/") }

    /// A name that no other file has.
    private static func freshName() -> String {
        processToken + "-" + String(lastNumber.add(1, ordering: .relaxed).newValue)
    }

    func freshTemporary() -> String { temporary + "/" + Self.freshName() }

    func freshDiscarded() -> String { discarded + "/" + Self.freshName() }
}
