import Alcedo
import Foundation
import Testing

@testable import AlcedoTestSupport

/// Runs the program with an output whose reader has exited, as in `alcedo cache list | true`.
@Suite(.timeLimit(.minutes(1))) struct ClosedOutputTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    /// Runs the program with a closed pipe as its output.
    private func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
        let tests = try #require(Bundle.main.executableURL)
        let tool = tests.deletingLastPathComponent().appending(path: "alcedo-tool").path
        let script = #"errors=$1; shift; export XDG_CACHE_HOME="$PWD"; exec "$0" "$@" 2>"$errors""#
        let output = Pipe()
        try output.fileHandleForReading.close()
        let process = try ChildProcess(
            ["/bin/sh", "-c", script, tool, temporary.file("errors")] + arguments, in: temporary.path, input: nil,
            output: output.fileHandleForWriting.fileDescriptor)
        let status = process.waitUntilExit()
        return (status, try String(contentsOfFile: temporary.file("errors"), encoding: .utf8))
    }

    @Test func helpAndLoad_endWithoutErrors() throws {
        let image = temporary.url.appending(path: "a.png")
        try Pictures.png().write(to: image)
        for arguments in [["--help"], ["load", image.absoluteString], ["load", "--json", image.absoluteString]] {
            let (status, errors) = try run(arguments)
            #expect(status == 0 && errors.isEmpty, "\(arguments): \(status) \(errors)")
        }
    }

    @Test func cacheCommands_endWithoutErrors() async throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: temporary.url.appending(path: "cache"))
        let loader = ImageLoader(configuration)
        try await loader.store(Pictures.png(), for: ImageRequest("http://h/a.png"), in: .disk)
        await loader.flush()
        for command in ["stats", "list", "verify"] {
            let (status, errors) = try run(["cache", command, "--cache", temporary.file("cache")])
            #expect(status == 0 && errors.isEmpty, "\(command): \(status) \(errors)")
        }
    }

    /// A failure is distinguished from a reader that has exited.
    @Test func failure_isStillReported() throws {
        let (status, errors) = try run(["load", temporary.url.appending(path: "missing.png").absoluteString])
        #expect(status == 1)
        #expect(errors.hasSuffix("No such file or directory\n"))
    }
}
