package import Foundation

/// The bytes of a body: in memory, or in a file if there are many.
package enum Body: Sendable, Equatable {
    case memory(Data)
    case file(BodyFile)

    package var count: Int {
        switch self {
        case .memory(let data): data.count
        case .file(let file): file.count
        }
    }

    package var isEmpty: Bool { count == 0 }

    /// The number of bytes held in memory.
    package var heldBytes: Int { if case .memory(let data) = self { data.count } else { 0 } }

    /// The number of bytes that the body counts for while it waits to be written. A file counts as 2 MiB, because it is
    /// open.
    package var stagedBytes: Int { if case .file = self { 2 << 20 } else { heldBytes } }

    /// The bytes, mapped if they are in a file. Nil once that file has a name, because others could then truncate it.
    package var data: Data? {
        switch self {
        case .memory(let data): data
        case .file(let file): file.mapped()
        }
    }

    /// The bytes, read into memory where they can't be mapped. Blocks.
    package func read() throws(FileError) -> Data {
        if let data { return data }
        guard case .file(let file) = self else { return Data() }
        return try file.read(from: 0, to: file.count)
    }

    package static func == (one: Body, other: Body) -> Bool {
        switch (one, other) {
        case (.memory(let one), .memory(let other)): one == other
        case (.file(let one), .file(let other)): one === other
        default: false
        }
    }
}
