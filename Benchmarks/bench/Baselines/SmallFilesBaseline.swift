import AlcedoTestSupport
import Foundation

/// The baselines for loads of small files.
enum SmallFilesBaseline: Sendable {
    case bareSession(width: Int)
    case curlProgram(width: Int)

    var name: String {
        switch self {
        case .bareSession: "a bare URLSession delegate"
        case .curlProgram: "curl --parallel"
        }
    }

    func workload(_ files: SmallFiles) throws -> Workload {
        switch self {
        case .bareSession(let width):
            let loop = BareSessionLoop(urls: files.urls, width: width)
            return Workload(tearDown: { loop.stop() }) { iterations in
                for _ in 0..<iterations { try await loop.run() }
            }
        case .curlProgram(let width):
            let directory = try AlcedoTestSupport.TemporaryDirectory()
            let list = directory.url.appending(path: "list")
            let lines = files.urls.map { "url = \"\($0.absoluteString)\"\noutput = \"/dev/null\"\n" }
            try Data(lines.joined().utf8).write(to: list)
            let arguments = [
                "--silent", "--no-progress-meter", "--parallel", "--parallel-max", "\(width)", "--config", list.path,
            ]
            return Workload { iterations in
                for _ in 0..<iterations {
                    blackHole(try ChildProcess(path: "curl", arguments: arguments).run(capturingOutput: false))
                }
                blackHole(directory)
            }
        }
    }
}
