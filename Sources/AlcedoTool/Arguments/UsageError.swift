/// An error in the arguments.
struct UsageError: Error, Equatable {
    /// The name of the command, such as "cache trim"; empty if none was recognized.
    var command: String
    var reason: String

    init(_ command: String, _ reason: String) {
        self.command = command
        self.reason = reason
    }

    private var program: String { command.isEmpty ? "alcedo" : "alcedo \(command)" }

    var message: String { "\(program): \(reason)" }

    /// Refers to the help. Printing the whole help would push the reason off the screen.
    var hint: String {
        let hasCommands = !CommandTable.alcedo.find(command.split(separator: " ").map(String.init)).commands.isEmpty
        return #"Run "\#(program) --help" for its \#(hasCommands ? "commands" : "options")."#
    }
}
