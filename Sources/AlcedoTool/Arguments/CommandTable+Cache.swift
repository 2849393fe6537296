extension CommandTable {
    static let cache = CommandSpec(
        name: "cache", summary: "inspect, verify and clean up a disk cache",
        examples: [
            .init("alcedo cache stats", "print the size of the cache that all commands share"),
            .init("alcedo cache trim --to 200M --dry-run", "see what would be removed"),
            .init("alcedo cache remove https://example.com/a.jpg", "remove an image in all sizes"),
        ],
        details: [
            """
            Works even while programs use the cache. The default is the cache that "alcedo load" and the other \
            commands share.
            """
        ],
        environment: EnvironmentVariable.cache + EnvironmentVariable.terminal,
        commands: [
            cache(
                "stats", "print the number and size of the entries",
                examples: [.init("alcedo cache stats --program myapp", "print the size of another program's cache")],
                details: [
                    """
                    Prints the number of entries and their bytes, in total, by kind and by format, the times of the \
                    oldest and newest use, and the size limit that applies if the program that owns the cache sets none.
                    """
                ]),
            cache(
                "list", "print each entry",
                examples: [.init("alcedo cache list --prefix https://example.com/", "print the entries of one host")],
                details: [
                    """
                    The least recently used entry comes first. Each line has an entry's digest, bytes, format, kind, \
                    size, last use, URL and tags. With both filters, only entries that match both are printed.
                    """
                ], [prefix("print only entries whose URL begins with TEXT"), tag("print only entries with this tag")]),
            cache(
                "verify", "read all entries and remove the damaged ones",
                examples: [
                    .init("alcedo cache verify --cache /srv/images", "verify the cache in a directory"),
                    .init("alcedo cache verify --dry-run", "find damaged entries, and keep them"),
                ],
                details: ["The exit code is 1 if an entry is damaged or can't be read."], [dryRun, quiet]),
            cache(
                "trim", "remove the least recently used entries",
                examples: [
                    .init("alcedo cache trim --to 200M", "remove entries until 200 MB are left"),
                    .init("alcedo cache trim --to 1GiB --dry-run", "see what would be removed"),
                ],
                details: [confirmation],
                [
                    OptionSpec(
                        "--to", takes: .text("BYTES"), isRequired: true,
                        "remove entries until at most BYTES are left: 500, 500K, 20M or 1G in units of 1000, or 1GiB "
                            + "in units of 1024"),
                    dryRun, yes, quiet,
                ]),
            cache(
                "clear", "remove all entries",
                examples: [
                    .init("alcedo cache clear --dry-run", "see what would be removed"),
                    .init("alcedo cache clear --program myapp", "remove the entries of another program's cache"),
                ], details: [confirmation], [dryRun, yes, quiet]),
            cache(
                "remove", "remove entries by URL, prefix, tag or age", operands: .urls("URL...|FILTER"),
                examples: [
                    .init("alcedo cache remove https://example.com/a.jpg", "remove an image in all sizes"),
                    .init("alcedo cache remove --prefix https://example.com/ -n", "see what a filter selects"),
                    .init("alcedo cache remove --unused-for 30", "remove entries that haven't been used for 30 days"),
                ],
                details: [
                    """
                    A URL selects its image in all sizes. FILTER is one of --prefix, --tag, --expired and \
                    --unused-for. The exit code is 1 if a URL isn't in the cache.
                    """,
                    confirmation,
                ],
                [
                    prefix("remove the entries whose URL begins with TEXT"), tag("remove the entries with this tag"),
                    OptionSpec("--expired", "remove the entries that have expired"),
                    OptionSpec(
                        "--unused-for", takes: .text("DAYS"),
                        "remove the entries that haven't been used for DAYS days"),
                    dryRun, yes, quiet,
                ]),
        ])

    private static let confirmation = """
        The removed entries are printed. If standard input and output are terminals, the command asks for \
        confirmation first; the exit code is 1 if the answer isn't "y" or "yes".
        """

    private static let dryRun = OptionSpec(
        "--dry-run", short: "-n", "print the entries that would be removed, and remove nothing")

    private static let yes = OptionSpec("--yes", short: "-y", "don't ask for confirmation")

    private static func prefix(_ help: String) -> OptionSpec { OptionSpec("--prefix", takes: .text("TEXT"), help) }
    private static func tag(_ help: String) -> OptionSpec { OptionSpec("--tag", takes: .text("TAG"), help) }

    private static func cache(
        _ word: String, _ summary: String, operands: CommandSpec.Operands = .none,
        examples: [CommandSpec.Example], details: [String] = [],
        _ options: [OptionSpec] = []
    ) -> CommandSpec {
        let all =
            options + [
                OptionSpec("--cache", takes: .directory("DIR"), "use the cache in DIR"),
                OptionSpec(
                    "--program", takes: .text("PROGRAM"),
                    "use a cache of the program whose executable is named PROGRAM; default alcedo"),
                OptionSpec("--name", takes: .text("NAME"), "use the program's cache named NAME instead of \"default\""),
                json("print the result as JSON"),
            ]
        return CommandSpec(
            name: "cache \(word)", summary: summary, operands: operands, examples: examples, details: details,
            // It is unclear which of two values is meant, and mistaken removals can't be undone.
            options: all.map { $0.value == nil ? $0 : $0.refusingRepetition() },
            environment: EnvironmentVariable.cache + EnvironmentVariable.terminal)
    }
}
