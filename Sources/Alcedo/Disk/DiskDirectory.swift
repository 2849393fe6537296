import Foundation
import Synchronization

/// Where a store keeps what, below its own directory:
///
///     entries/      one file for each entry
///     temporary/    files that are being written
///     discarded/    what is to be deleted, by and by
///     index         see ``IndexLog``
///     key           see ``DirectoryKey``
///     lock          held by whoever changes entries and index
struct DiskDirectory: Sendable {
    let path: String
    let entries: String
    let temporary: String
    let discarded: String
    let index: String
    let key: String
    let lock: String

    private static let lastNumber = Atomic(0)
    /// Tells this process from all others.
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

    /// A name that nothing else has.
    private static func freshName() -> String {
        processToken + "-" + String(lastNumber.add(1, ordering: .relaxed).newValue)
    }

    func freshTemporary() -> String { temporary + "/" + Self.freshName() }

    func freshDiscarded() -> String { discarded + "/" + Self.freshName() }
}
