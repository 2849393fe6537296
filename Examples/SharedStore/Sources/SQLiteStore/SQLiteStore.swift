import Alcedo
import BlockingExecutor
import Foundation

/// A store in an SQLite database. All processes of a machine may use the same file.
///
/// An entry is a row. It has no limit of its own: call ``removeOldest(above:)`` from time to time.
public actor SQLiteStore: ImageStore {
    private nonisolated let executor = BlockingExecutor("sqlite")
    private let file: URL
    private var database: SQLiteDatabase?

    /// The file is opened, and made if necessary, by the first call.
    public init(_ file: URL) { self.file = file }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private static let schema = [
        "PRAGMA journal_mode = WAL",
        // A transaction may be lost when the power fails, but none is torn.
        "PRAGMA synchronous = NORMAL",
        "PRAGMA foreign_keys = ON",
        """
        CREATE TABLE IF NOT EXISTS entries (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, source TEXT NOT NULL, version INTEGER,
            expires INTEGER, metadata BLOB NOT NULL, body BLOB NOT NULL)
        """,
        "CREATE INDEX IF NOT EXISTS entries_source ON entries (source)",
        "CREATE INDEX IF NOT EXISTS entries_expires ON entries (expires) WHERE expires IS NOT NULL",
        // A tag may contain null characters, so it is stored as bytes.
        """
        CREATE TABLE IF NOT EXISTS tags (
            tag BLOB NOT NULL, entry INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
            PRIMARY KEY (tag, entry)) WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS tags_entry ON tags (entry)",
    ]

    private func connected() throws(SQLiteError) -> SQLiteDatabase {
        if let database { return database }
        let database = try SQLiteDatabase(file)
        for statement in Self.schema { try database.run(statement) }
        self.database = database
        return database
    }

    private func perform<Value>(
        _ work: (SQLiteDatabase) throws(SQLiteError) -> Value
    ) throws(ImageLoaderError) -> Value {
        do throws(SQLiteError) {
            return try work(connected())
        } catch {
            throw .storeFailed(UnderlyingError(error))
        }
    }

    // MARK: Looking up and storing

    public func entry(for key: StoredKey, reading part: StoredPart) throws(ImageLoaderError) -> StoredEntry? {
        let body = part == .whole ? "body" : "NULL"
        return try perform { (database) throws(SQLiteError) in
            var found: StoredEntry?
            try database.run("SELECT metadata, \(body) FROM entries WHERE key = ?", [.text(key.text)]) { row in
                found = StoredMetadata(bytes: row.bytes(0)).map { StoredEntry($0, body: row.bytes(1)) }
            }
            return found
        }
    }

    public func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        let bytes = try await body?.data
        let key = SQLiteDatabase.Value.text(metadata.key.text)
        let version = metadata.version.map { SQLiteDatabase.Value.integer(Int64(bitPattern: $0)) } ?? .null
        let expires = metadata.expires.map { SQLiteDatabase.Value.integer(Int64($0.timeIntervalSince1970)) } ?? .null
        let encoded = SQLiteDatabase.Value.bytes(metadata.bytes)
        let tags = metadata.tags
        try perform { (database) throws(SQLiteError) in
            try database.transaction { () throws(SQLiteError) in
                if let bytes {
                    try database.run("DELETE FROM entries WHERE key = ?", [key])
                    try database.run(
                        """
                        INSERT INTO entries (key, source, version, expires, metadata, body) VALUES (?, ?, ?, ?, ?, ?)
                        """,
                        [key, .text(metadata.key.source), version, expires, encoded, .bytes(bytes)])
                } else {
                    // NULL equals nothing.
                    try database.run(
                        "UPDATE entries SET metadata = ?, expires = ? WHERE key = ? AND version = ?",
                        [encoded, expires, key, version])
                    if database.changeCount == 0 { return }
                    try database.run(
                        "DELETE FROM tags WHERE entry = (SELECT id FROM entries WHERE key = ?)", [key])
                }
                for tag in tags {
                    try database.run(
                        "INSERT INTO tags SELECT ?, id FROM entries WHERE key = ?", [.bytes(Data(tag.utf8)), key])
                }
            }
        }
    }

    // MARK: Removing and listing

    public func removeEntries(_ selection: StoredSelection) throws(ImageLoaderError) {
        try perform { (database) throws(SQLiteError) in
            for (condition, values) in Self.conditions(selection) {
                try database.run("DELETE FROM entries WHERE \(condition)", values)
            }
        }
    }

    public func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) throws(ImageLoaderError) {
        var found: [StoredMetadata] = []
        try perform { (database) throws(SQLiteError) in
            for (condition, values) in Self.conditions(selection) {
                try database.run("SELECT metadata FROM entries WHERE \(condition)", values) { row in
                    if let metadata = StoredMetadata(bytes: row.bytes(0)) { found.append(metadata) }
                }
            }
        }
        for start in stride(from: 0, to: found.count, by: 256) {
            body(Array(found[start..<min(start + 256, found.count)]))
        }
    }

    /// The conditions of the selected rows, none of which has two.
    private static func conditions(_ selection: StoredSelection) -> [(String, [SQLiteDatabase.Value])] {
        switch selection {
        case .all: [("TRUE", [])]
        case .expired: [("expires <= ?", [.integer(Int64(Date().timeIntervalSince1970))])]
        case .keys(let keys): Set(keys).map { ("key = ?", [.text($0.text)]) }
        case .source(let source): [("source = ?", [.text(source)])]
        case .tag(let tag): [("id IN (SELECT entry FROM tags WHERE tag = ?)", [.bytes(Data(tag.utf8))])]
        }
    }

    /// Removes the entries that were stored first, until all bodies together have at most `bytes`.
    public func removeOldest(above bytes: Int) throws(ImageLoaderError) {
        try perform { (database) throws(SQLiteError) in
            try database.run(
                """
                DELETE FROM entries WHERE id IN (
                    SELECT id FROM (SELECT id, SUM(LENGTH(body)) OVER (ORDER BY id DESC) AS total FROM entries)
                    WHERE total > ?)
                """,
                [.integer(Int64(bytes))])
        }
    }
}
