import Foundation

/// `alcedo`: the library's command-line tool.
@main
struct Main {
    static func main() async {
        // A reader that has seen enough closes the pipe. The write then fails instead of ending the program, and the
        // cache is still cleaned up.
        signal(SIGPIPE, SIG_IGN)
        occupyStandardDescriptors()
        let console = Console()
        let code = await run(Array(CommandLine.arguments.dropFirst()), on: console)
        exit(exitCode(code, of: console))
    }

    /// - Returns: The exit code: 0 if everything succeeded, 1 if something failed, 2 if the arguments are invalid.
    static func run(_ arguments: [String], on console: Console) async -> Int32 {
        if arguments.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
            console.print(usage)
            return 0
        }
        let rest = Array(arguments.dropFirst())
        do throws(UsageError) {
            switch arguments.first {
            case "help":
                console.print(usage)
                return 0
            case "demo":
                if let argument = rest.first { throw UsageError(message: "alcedo demo: unknown argument: \(argument)") }
                return await DemoCommand(console: console).run()
            case "load": return await LoadCommand(options: try LoadOptions(rest), console: console).run()
            case "probe": return await ProbeCommand(options: try ProbeOptions(rest), console: console).run()
            case "cache": return await CacheCommand(options: try CacheOptions(rest), console: console).run()
            case let unknown?: throw UsageError(message: "alcedo: unknown command: \(unknown)")
            case nil: break
            }
        } catch {
            console.error(error.message)
        }
        for line in usage.split(separator: "\n", omittingEmptySubsequences: false) { console.error(String(line)) }
        return 2
    }

    /// The parent process may have closed stdout: the next file or socket would then get its number, and output would
    /// go there. A read-only descriptor occupies the number and rejects output.
    private static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Lost output turns a success into a failure, unless the reader closed the pipe.
    static func exitCode(_ code: Int32, of console: Console) -> Int32 {
        guard let failure = console.outputFailure, failure != EPIPE else { return code }
        console.error("alcedo: the output is not complete: \(ErrorText.of(systemCode: failure))")
        return max(code, 1)
    }

    static let usage = """
        usage: alcedo demo
               alcedo load URL... [-o DIR] [--sheet FILE] [--json]
               alcedo probe URL... [--cache DIR] [--revalidate | --offline] [--json]
               alcedo cache stats|verify|clear [--directory DIR | [--program PROGRAM] [--name NAME]] [--json]
               alcedo cache list [--prefix TEXT] [--tag TAG] ...
               alcedo cache trim --to BYTES ...
               alcedo cache remove URL... | --prefix TEXT | --tag TAG | --expired | --unused-for DAYS ...

        demo          load some 60 pictures from a server inside this program, three ways
        load          load http, https and file URLs, each once
          -o DIR        save the files, as they came, in DIR
          --sheet FILE  draw all pictures on one sheet, a PNG file
          --json        print what was loaded as JSON
        probe         tell what http, https and file URLs have: status, format, size, frames, orientation, bytes,
                      ThumbHash, whether the server or the cache had it, how long it is fresh and why; the exit code
                      is 1 when there was one without a picture
          --cache DIR   use the cache in DIR; by default the one of "alcedo load"
          --revalidate  ask the server even if the cache has a fresh response
          --offline     ask no server
          --json        print what was found as JSON
        cache         look after a disk cache, also while programs use it; by default the one of "alcedo load"
          stats         tell how much it holds
          list          tell of each entry, the one used longest ago first: digest, bytes, format, kind, size, last use,
                        URL, tags; with both filters, of those that pass both
          verify        read all entries and move the damaged ones away; the exit code is 1 when there were any
          trim          evict entries, those used longest ago first, until no more than BYTES are left: 500, 500K, 20M
                        or 1G, in units of 1024
          clear         remove all entries
          remove        remove entries in one of these ways; the exit code is 1 when a URL is not in the cache
            URL...            those of the URLs, with all pictures made of them
            --prefix TEXT     those whose URL begins so
            --tag TAG         those with the tag
            --expired         those that were stored with a time to live which is over
            --unused-for DAYS those that were not used for so many days
          --directory DIR    the cache in DIR
          --program PROGRAM  the default cache of a program, by what its executable is called
          --name NAME        the cache of that name, of this program or of PROGRAM
          --json             print the outcome as JSON
        """
}

/// Invalid arguments.
struct UsageError: Error, Equatable {
    let message: String
}

extension ArraySlice<String> {
    /// Takes the value of an option. If it looks like an option, the actual value was forgotten; a file of that name is
    /// "./-name".
    mutating func takeValue(of option: String, in command: String) throws(UsageError) -> String {
        guard let value = popFirst(), !value.isEmpty, !value.hasPrefix("-") else {
            throw UsageError(message: "alcedo \(command): \(option) needs a value")
        }
        return value
    }
}
