import Foundation

/// `alcedo`: the library from the command line.
@main
struct Main {
    static func main() async {
        let console = Console()
        exit(await run(Array(CommandLine.arguments.dropFirst()), on: console))
    }

    /// - Returns: the exit code: 0 all went well, 1 something could not be loaded, 2 the call was not understood.
    static func run(_ arguments: [String], on console: Console) async -> Int32 {
        switch arguments.first {
        case "demo" where arguments.count == 1:
            return await DemoCommand(console: console).run()
        case "load":
            do throws(UsageError) {
                let options = try LoadOptions(Array(arguments.dropFirst()))
                return await LoadCommand(options: options, console: console).run()
            } catch {
                console.error(error.message)
                console.error(usage)
                return 2
            }
        case "help", "--help", "-h":
            console.print(usage)
            return 0
        case let unknown?:
            console.error("alcedo: unknown command or argument: \(arguments.dropFirst().first ?? unknown)")
        case nil:
            break
        }
        console.error(usage)
        return 2
    }

    static let usage = """
        usage: alcedo demo
               alcedo load URL... [-o DIR] [--sheet FILE] [--json]

        demo          load some 60 pictures from a server inside this program, three ways
        load          load http, https and file URLs, each once
          -o DIR        save the files, as they came, in DIR
          --sheet FILE  draw all pictures on one sheet, a PNG file
          --json        print what was loaded as JSON
        """
}

/// A call that was not understood.
struct UsageError: Error, Equatable {
    let message: String
}
