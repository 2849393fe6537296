import CSQLite
import Foundation

/// An error of SQLite, in its own words.
struct SQLiteError: Error, Equatable, CustomStringConvertible {
    let code: Int32
    let description: String
}

/// A database file. Its calls block, and must be made by one thread at a time.
final class SQLiteDatabase {
    enum Value {
        case null
        case integer(Int64)
        case text(String)
        case bytes(Data)
    }

    private let handle: OpaquePointer
    /// The prepared statements, by their texts.
    private var statements: [String: OpaquePointer] = [:]

    init(_ file: URL) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(file.path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let handle else {
            let text = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, description: text)
        }
        self.handle = handle
        // Other processes may use the file, too.
        sqlite3_busy_timeout(handle, 1_000)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// The number of rows that the last statement has changed.
    var changeCount: Int { Int(sqlite3_changes(handle)) }

    /// Executes a statement, and passes each row of its result to `read`.
    func run(_ text: String, _ values: [Value] = [], _ read: (SQLiteRow) -> Void = { _ in }) throws(SQLiteError) {
        let statement = try prepared(text)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, to: Int32(index + 1), of: statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: read(SQLiteRow(statement: statement))
            case SQLITE_DONE: return
            default: throw error
            }
        }
    }

    /// Executes statements in one step: all of them, or none if one fails.
    func transaction(_ work: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try run("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try work()
            try run("COMMIT")
        } catch {
            try run("ROLLBACK")
            throw error
        }
    }

    private var error: SQLiteError {
        SQLiteError(code: sqlite3_errcode(handle), description: String(cString: sqlite3_errmsg(handle)))
    }

    private func prepared(_ text: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[text] { return statement }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK, let statement else { throw error }
        statements[text] = statement
        return statement
    }

    /// Tells SQLite to copy the bytes.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private func bind(_ value: Value, to index: Int32, of statement: OpaquePointer) throws(SQLiteError) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
            case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), Self.transient)
            case .bytes(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(statement, index, 0)
            case .bytes(let bytes):
                bytes.withUnsafeBytes {
                    sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), Self.transient)
                }
            }
        guard code == SQLITE_OK else { throw error }
    }
}

/// A row of a result, until the next one is read.
struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    func bytes(_ column: Int32) -> Data {
        guard let start = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
