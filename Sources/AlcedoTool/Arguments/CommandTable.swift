import Alcedo

/// All commands and options. The parser, the help and the completions use this table.
enum CommandTable {
    static let alcedo = CommandSpec(
        name: "", summary: "load images from the command line",
        examples: [
            .init("alcedo load https://example.com/a.jpg -o pictures", "save an image in the directory pictures"),
            .init("alcedo load *.png -o small --resize 640x480 --format webp", "make smaller copies in another format"),
            .init("alcedo view pictures/*", "look at images in the terminal"),
            .init("alcedo probe https://example.com/a.jpg", "see what is at a URL, and how long it stays fresh"),
        ],
        options: [OptionSpec("--version", short: "-V", "print the version")], environment: EnvironmentVariable.all,
        commands: [load, view, prefetch, probe, cache, demo, completions, help])

    static let load = CommandSpec(
        name: "load", summary: "load images from URLs and files", operands: .files("URL..."),
        examples: [
            .init("alcedo load https://example.com/a.jpg -o pictures", "save an image as received"),
            .init(
                "alcedo load *.png -o small --resize 640x480 --format webp --quality 80",
                "make smaller copies in another format"),
            .init("alcedo load https://example.com/a.jpg --json", "print the image's format, size and source as JSON"),
            .init("alcedo load pictures/*.jpg --sheet sheet.png", "draw all images on one contact sheet"),
        ],
        details: [
            """
            Accepts http, https, file and data URLs, and paths. Each image is loaded once, and a line is printed when \
            it is done. If standard error is a terminal, it shows a bar for each running download.
            """,
            """
            The exit code is 0 if all images were loaded and saved, 1 if not, 2 for a usage error, and 130 or 143 \
            after SIGINT or SIGTERM.
            """,
        ],
        options: [
            OptionSpec(
                "--output", short: "-o", takes: .directory("DIR"),
                "save the images in DIR, as received unless an option below converts them"),
            force,
            OptionSpec(
                "--remote-names",
                "with -o, use the file names that servers suggest; existing files are never overwritten"),
            OptionSpec(
                "--resize", takes: .text("WxH"),
                "scale images down to fit within W by H pixels, such as 640x480; an image that fits already is saved "
                    + "as received, unless an option below converts it"),
            OptionSpec(
                "--crop", takes: .text("PART"),
                "with --resize, fill W by H pixels, and crop the image around PART: attention (what people look at), "
                    + PixelAnchor.allCases.map(\.rawValue).joined(separator: ", ")),
            OptionSpec(
                "--region", takes: .text("X,Y,WxH"),
                "load only the W by H pixels that begin at column X and row Y, such as 100,50,640x480"),
            OptionSpec("--format", takes: .choice(PictureFormat.names), "convert images to this format"),
            OptionSpec(
                "--quality", takes: .text("N"),
                "the quality of converted JPEG, WebP and AVIF files, from 0 to 100; default 85 for JPEG, 60 for AVIF, "
                    + "and 80 for WebP, which becomes lossless if that is no larger"),
            OptionSpec("--lossless", "convert to lossless WebP; PNG is always lossless"),
            OptionSpec("--progressive", "convert to progressive JPEG, which is shown coarsely before it is complete"),
            OptionSpec(
                "--metadata", takes: .choice(EncodingOptions.metadata.map(\.name)),
                "whether converted files keep the original's metadata, such as the camera and the location; default "
                    + "strip"),
            sheet, timeline,
            json("print the results as JSON, in the order of the URLs"), quiet,
        ] + cacheAccess + network + decoding, environment: EnvironmentVariable.loading)

    static let prefetch = CommandSpec(
        name: "prefetch", summary: "fill the disk cache from a list of URLs", operands: .files("FILE"),
        readsInput: true,
        examples: [
            .init("alcedo prefetch urls.txt", "download the images in a list of URLs"),
            .init(
                "alcedo prefetch - --cache /srv/images --jobs 4",
                "read the list from standard input, and fill another cache"),
        ],
        details: [
            """
            Reads one http or https URL per line from FILE, or from standard input if FILE is "-". Blank lines and \
            lines that begin with "#" are ignored. Images that are fresh in the cache aren't downloaded again.
            """,
            "Prints the totals, and an error for each URL that failed. The exit code is 1 if any failed.",
        ],
        options: [timeline, force, json("print the totals and failures as JSON"), quiet] + cacheAccess + network,
        environment: EnvironmentVariable.loading)

    static let probe = CommandSpec(
        name: "probe", summary: "describe the images at URLs, and how long they stay fresh", operands: .files("URL..."),
        examples: [
            .init("alcedo probe https://example.com/a.jpg", "describe an image, and how long it stays fresh"),
            .init("alcedo probe --offline --json https://example.com/a.jpg", "describe what the cache has, as JSON"),
        ],
        details: [
            """
            Accepts http, https, file and data URLs, and paths. For each, prints the status, format, size, frames, \
            orientation, bytes, ThumbHash and metadata, whether the response came from the server or the cache, and \
            how long it stays fresh and why. The exit code is 1 if one can't be loaded or isn't an image.
            """
        ],
        options: [json("print the results as JSON"), quiet] + cacheAccess + network + decoding,
        environment: EnvironmentVariable.loading)

    static let demo = CommandSpec(
        name: "demo", summary: "load 60 images from a built-in server",
        examples: [.init("alcedo demo --timeline demo.svg", "run the demo, and draw a timeline of its loads")],
        details: [
            """
            The images are loaded over each transport, from memory and from disk. The demo also cancels a load, prints \
            a table of the times, and writes a contact sheet to the temporary directory, where it replaces the last one.
            """
        ],
        options: [timeline, force], environment: EnvironmentVariable.temporary + EnvironmentVariable.terminal)

    static let completions = CommandSpec(
        name: "completions", summary: "print shell completions", operands: .choice(Completions.shells),
        examples: [.init("source <(alcedo completions bash)", "complete commands and options in the current shell")],
        details: [
            """
            For bash, add this line to ~/.bashrc: source <(alcedo completions bash). For zsh, save the output as \
            _alcedo in a directory of $fpath. For fish, save it as ~/.config/fish/completions/alcedo.fish.
            """
        ])

    static let help = CommandSpec(
        name: "help", summary: "describe a command",
        operands: .choice(["load", "view", "prefetch", "probe", "cache", "demo", "completions"]),
        examples: [
            .init("alcedo help load", "describe a command"), .init("alcedo help cache trim", "describe a subcommand"),
        ],
        details: [
            """
            Without a command, lists all commands. For a subcommand, give both words, as in "alcedo help cache trim".
            """
        ])

    private static let timeline = OptionSpec(
        "--timeline", takes: .file("FILE"),
        "draw a timeline of the loads: an image if FILE ends in .svg, or a trace for ui.perfetto.dev if it ends in "
            + ".json")

    private static let sheet = OptionSpec(
        "--sheet", takes: .file("FILE"),
        "draw all images, at most \(ContactSheet.ofLoads(.max).capacity), on a contact sheet, a PNG file")

    private static let force = OptionSpec(
        "--force", short: "-f", "overwrite existing files; otherwise, an existing file is an error")

    static let quiet = OptionSpec("--quiet", short: "-q", "print only errors")

    static func json(_ help: String) -> OptionSpec { OptionSpec("--json", help) }

    /// The options that ``CacheAccess`` reads.
    static let cacheAccess = [
        OptionSpec(
            "--cache", takes: .directory("DIR"), "use the cache in DIR instead of the one that all commands share"),
        OptionSpec("--revalidate", "ask the server even if the cached response is fresh"),
        OptionSpec("--offline", "never ask the server, and use the cached response even if it is stale"),
    ]

    /// The options of commands that download.
    static let network = [
        OptionSpec(
            "--jobs", short: "-j", takes: .text("N"),
            "load at most N images at a time, in total and per host; default 12 in total and 6 per host"),
        OptionSpec(
            "--timeout", takes: .text("SECONDS"),
            "give up if nothing is received for SECONDS, also while connecting; default 15"),
        OptionSpec("--retries", takes: .text("N"), "retry transient failures up to N times; default 2"),
        OptionSpec(
            "--wait-for-network", takes: .text("SECONDS"),
            "if there is no network, wait for one for up to SECONDS instead of failing"),
        OptionSpec("--user-agent", takes: .text("TEXT"), "send TEXT as the User-Agent"),
        OptionSpec(
            "--header", takes: .text("'NAME: VALUE'"), repetition: .allCount,
            "send this header field to every host; may be repeated"),
        OptionSpec(
            "--cacert", takes: .file("FILE"),
            "trust the certificate authorities in FILE, in PEM, instead of those in $SSL_CERT_FILE or the system's"),
    ]

    /// The options of commands that decode.
    static let decoding = [
        OptionSpec(
            "--max-pixels", takes: .text("N"),
            "reject images of more than N pixels, such as 500M; default 268M, or 67M if decoded at full size")
    ]
}
