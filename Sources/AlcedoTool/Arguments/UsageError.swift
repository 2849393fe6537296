/// Invalid arguments.
struct UsageError: Error, Equatable {
    /// The name of the command, such as "cache trim"; empty if none was recognised.
    var command: String
    var reason: String

    init(_ command: String, _ reason: String) {
        self.command = command
        self.reason = reason
    }

    private var program: String { command.isEmpty ? "alcedo" : "alcedo \(command)" }

    var message: String { "\(program): \(reason)" }

    /// Where to read more. The whole help would push the reason off the screen.
    var hint: String {
        let hasCommands = !CommandTable.alcedo.find(command.split(separator: " ").map(String.init)).commands.isEmpty
        return #"Run "\#(program) --help" for its \#(hasCommands ? "commands" : "options")."#
    }
}
