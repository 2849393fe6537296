import AlcedoTestSupport
import Foundation
import Synchronization

/// 2,000 URLs of 10 KB each, on one server that all cases use.
struct SmallFiles: Sendable {
    static let count = 2_000
    static let bytes = 10_000

    let urls: [URL]
    private let server: FileServer

    static var shared: SmallFiles {
        get throws {
            try cache.withLock { cache in
                if let files = cache { return files }
                let files = try SmallFiles()
                cache = files
                return files
            }
        }
    }

    private static let cache = Mutex<SmallFiles?>(nil)

    private init() throws {
        let server = try FileServer(name: "small", bytes: Self.bytes)
        self.server = server
        // A file server ignores the query.
        urls = (0..<Self.count).map { server.url("small?\($0)") }
    }
}

/// Serves one file: with nginx if installed, otherwise with the built-in server in this process.
final class FileServer: Sendable {
    private enum Program: Sendable {
        case nginx(NginxServer)
        case builtIn(LoopbackServer)
    }

    private let program: Program

    convenience init(name: String, bytes: Int) throws {
        try self.init(name: name, contents: Data(repeating: 0x61, count: bytes))
    }

    init(name: String, contents: Data) throws {
        if NginxServer.isInstalled {
            program = .nginx(try NginxServer(files: [name: contents]))
        } else {
            printError("nginx is not installed: the built-in server shares this process's cores and memory")
            program = .builtIn(try LoopbackServer { _ in .bytes(contents) })
        }
    }

    func url(_ path: String) -> URL {
        switch program {
        case .nginx(let server): server.url("/" + path)
        case .builtIn(let server): server.url("/" + path)
        }
    }

    func stop() {
        switch program {
        case .nginx(let server): server.stop()
        case .builtIn(let server): server.stop()
        }
    }
}
