/// The manual page, in the macros of man(7), generated from the specifications of the commands.
struct ManualPage {
    let root: CommandSpec
    var version = ToolVersion.text

    var text: String {
        let commands = root.tree.filter { $0.commands.isEmpty }
        let sections = [
            section("NAME", [Self.plain("alcedo - \(root.summary)")]),
            section("SYNOPSIS", [".B alcedo", ".I COMMAND", "\\&..."]),
            section("EXAMPLES", examples(of: root)),
            section("OPTIONS", root.allOptions.flatMap(entry)),
            section("COMMANDS", commands.flatMap(describe)),
            section("EXIT STATUS", Self.exitCodes.flatMap { entry("\($0.code)", $0.meaning) }),
            section("ENVIRONMENT", root.environment.flatMap { entry($0.title, $0.meaning) }),
        ]
        let title = #".TH ALCEDO 1 "" "Alcedo \#(Self.plain(version))" "User Commands""#
        return ([#".\" Printed by alcedo man."#, title] + sections.flatMap { $0 }).joined(separator: "\n")
    }

    /// The exit codes of the commands.
    static let exitCodes: [(code: Int, meaning: String)] = [
        (0, "Everything succeeded."), (1, "Something failed."), (2, "The arguments are invalid."),
        (130, "Interrupted by SIGINT, as by Ctrl-C."), (143, "Ended by SIGTERM."),
    ]

    private func section(_ title: String, _ lines: [String]) -> [String] { [".SH \(title)"] + lines }

    private func describe(_ command: CommandSpec) -> [String] {
        let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
        var lines = [".SS \"alcedo \(Self.plain(command.usage))\"", Self.plain(summary)]
        lines += examples(of: command)
        lines += command.details.flatMap { [".PP", Self.plain($0)] }
        return lines + command.options.flatMap(entry)
    }

    private func examples(of command: CommandSpec) -> [String] {
        command.examples.flatMap { example in
            [".TP", ".B \(Self.plain(example.line))", Self.plain(example.meaning)]
        }
    }

    private func entry(_ option: OptionSpec) -> [String] {
        entry((option.short.map { "\($0), " } ?? "") + option.form, option.help)
    }

    private func entry(_ title: String, _ text: String) -> [String] {
        [".TP", ".B \(Self.plain(title))", Self.plain(text)]
    }

    /// Text without a meaning for the formatter: hyphens stay hyphens, and no line begins with a control character.
    static func plain(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
            .replacing("\"", with: "\\(dq").replacing("`", with: "\\(ga").replacing("^", with: "\\(ha")
            .replacing("~", with: "\\(ti")
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}
