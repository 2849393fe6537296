import Alcedo
import Foundation
import Testing

@testable import AlcedoTestSupport

/// The program itself, whose reader has left before anything is printed, as in `alcedo cache list | true`.
@Suite(.timeLimit(.minutes(1))) struct ClosedOutputTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    /// Runs the program with a closed pipe for its output.
    private func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
        let tests = try #require(Bundle.main.executableURL)
        let tool = tests.deletingLastPathComponent().appending(path: "alcedo").path
        let script = #"errors=$1; shift; export XDG_CACHE_HOME="$PWD"; exec "$0" "$@" 2>"$errors""#
        let output = Pipe()
        try output.fileHandleForReading.close()
        let process = try ChildProcess(
            ["/bin/sh", "-c", script, tool, temporary.file("errors")] + arguments, in: temporary.path, input: nil,
            output: output.fileHandleForWriting.fileDescriptor)
        let status = process.waitUntilExit()
        return (status, try String(contentsOfFile: temporary.file("errors"), encoding: .utf8))
    }

    @Test func helpAndLoad_endQuietly() throws {
        let picture = temporary.url.appending(path: "a.png")
        try Pictures.png().write(to: picture)
        for arguments in [["--help"], ["load", picture.absoluteString], ["load", "--json", picture.absoluteString]] {
            let (status, errors) = try run(arguments)
            #expect(status == 0 && errors.isEmpty, "\(arguments): \(status) \(errors)")
        }
    }

    @Test func cacheCommands_endQuietly() async throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: temporary.url.appending(path: "cache"))
        let loader = ImageLoader(configuration)
        try await loader.store(Pictures.png(), for: ImageRequest("http://h/a.png"), in: .disk)
        await loader.flush()
        for command in ["stats", "list", "verify"] {
            let (status, errors) = try run(["cache", command, "--directory", temporary.file("cache")])
            #expect(status == 0 && errors.isEmpty, "\(command): \(status) \(errors)")
        }
    }

    /// A failure is told apart from a reader that has left.
    @Test func aFailure_isStillTold() throws {
        let (status, errors) = try run(["load", temporary.url.appending(path: "missing.png").absoluteString])
        #expect(status == 1)
        #expect(errors.hasSuffix("No such file or directory\n"))
    }
}
