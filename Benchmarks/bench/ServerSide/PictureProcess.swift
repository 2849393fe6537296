import AlcedoTestSupport
import Foundation

/// A ``PictureWorker`` process, as seen by its parent.
final class PictureProcess: Sendable {
    /// The outcome of a page.
    struct Page: Sendable {
        var answers: [PictureAnswer] = []
        /// The images for which the process gave no answer, because it was killed.
        var unanswered: [Int] = []
        /// All other lines that the process wrote.
        var troubles: [String] = []
        var isKilled = false
    }

    private let process: LineProcess

    init(proxy: URL, directory: URL) throws {
        // The process is started through a shell, in which this path would name the shell's own program.
        let program = URL(filePath: Platform.executablePath).resolvingSymlinksInPath().path(percentEncoded: false)
        let path = directory.path(percentEncoded: false)
        process = try LineProcess([program, Options.workerOption, proxy.absoluteString, path], in: "/")
    }

    /// Loads the images of a page at the same time, and waits for all of them.
    ///
    /// - Parameter isFatal: Whether to kill the process after an answer, given the number of missing answers.
    func load(
        _ numbers: [Int], killedAfter isFatal: (PictureAnswer, Int) -> Bool = { _, _ in false }
    ) async throws -> Page {
        try process.send(numbers.map(String.init))
        var page = Page(unanswered: numbers)
        while !page.unanswered.isEmpty, let line = try await process.nextLine() {
            guard let answer = PictureAnswer(line: line),
                let place = page.unanswered.firstIndex(of: answer.number)
            else {
                page.troubles.append(line)
                continue
            }
            page.unanswered.remove(at: place)
            page.answers.append(answer)
            if isFatal(answer, page.unanswered.count) {
                process.kill()
                page.isKilled = true
            }
        }
        guard page.unanswered.isEmpty || page.isKilled else {
            throw BenchError("a process ended: \(page.troubles.joined(separator: ", "))")
        }
        return page
    }

    /// Kills the process and waits until it has exited.
    func kill() async throws {
        process.kill()
        _ = try await process.end()
    }

    /// Lets the process exit once it has stored everything that it loaded. Returns the rest of its output.
    func finish() async throws -> [String] {
        let status = try await process.end()
        var lines = status == 0 ? [] : ["a process ended with status \(status)"]
        while let line = try await process.nextLine() { lines.append(line) }
        return lines
    }
}
