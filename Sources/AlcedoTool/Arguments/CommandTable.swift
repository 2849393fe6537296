import Alcedo

/// All commands and options. The parser, the help and the completions use this table.
enum CommandTable {
    static let alcedo = CommandSpec(
        name: "", summary: "load images from the command line",
        examples: [
            .init("alcedo load https://example.com/a.jpg -o pictures", "save an image in the directory pictures"),
            .init("alcedo load *.png -o small --resize 640x480 --format webp", "make smaller copies in another format"),
            .init("alcedo view pictures/*", "look at images in the terminal"),
            .init("alcedo probe https://example.com/a.jpg", "see what is at a URL, and how long it is fresh"),
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
            .init("alcedo load https://example.com/a.jpg --json", "print format, size and source as JSON"),
            .init("alcedo load pictures/*.jpg --sheet sheet.png", "draw all images on one sheet"),
        ],
        details: [
            """
            Takes http, https, file and data URLs and plain paths. Each is loaded once, and a line is printed when it \
            has finished. On a terminal, a bar shows each running download.
            """,
            """
            The exit code is 0 if everything was loaded and saved, 1 if not, 2 for a usage error, and 130 or 143 after \
            SIGINT or SIGTERM.
            """,
        ],
        options: [
            OptionSpec("--output", short: "-o", takes: .directory("DIR"), "save the files in DIR, as received"),
            force,
            OptionSpec(
                "--remote-names",
                "with -o, name files as their servers suggest; existing files are never overwritten"),
            OptionSpec(
                "--resize", takes: .text("WxH"),
                "scale images down to fit into W by H pixels, such as 640x480; with -o, the scaled image is saved, and "
                    + "one that fits is saved as received, unless one of the following options is given"),
            OptionSpec(
                "--crop", takes: .text("PART"),
                "with --resize, fill W by H and keep a part of the image: attention, which is where people look, or "
                    + PixelAnchor.allCases.map(\.rawValue).joined(separator: ", ")),
            OptionSpec(
                "--region", takes: .text("X,Y,WxH"),
                "load only the part of W by H pixels whose first column is X and whose first row is Y, such as "
                    + "100,50,640x480"),
            OptionSpec("--format", takes: .choice(PictureFormat.names), "convert the saved images to this format"),
            OptionSpec(
                "--quality", takes: .text("N"),
                "the quality of converted JPEG, WebP and AVIF files, from 0 to 100; default 85 for JPEG, 60 for AVIF, "
                    + "and for WebP 80 or, where that is no larger, lossless"),
            OptionSpec("--lossless", "save WebP files without loss; PNG files always are"),
            OptionSpec("--progressive", "save converted JPEG files in several scans, each finer than the last"),
            OptionSpec(
                "--metadata", takes: .choice(EncodingOptions.metadata.map(\.name)),
                "what converted files say beside the image, such as when and where it was taken; default strip, "
                    + "nothing"),
            sheet, timeline,
            json("the results, in the order of the URLs,"), quiet,
        ] + cacheAccess + network + decoding, environment: EnvironmentVariable.loading)

    static let prefetch = CommandSpec(
        name: "prefetch", summary: "fill the disk cache from a list of URLs", operands: .files("FILE"),
        readsInput: true,
        examples: [
            .init("alcedo prefetch urls.txt", "load all URLs of a list that aren't fresh in the cache"),
            .init("alcedo prefetch - --cache /srv/images --jobs 4", "the same for standard input and another cache"),
        ],
        details: [
            """
            Reads one http or https URL per line from FILE, or from standard input if FILE is "-". Blank lines and \
            lines that begin with "#" are ignored. Images that are fresh in the cache aren't loaded again.
            """,
            "Prints a line for each URL that failed, and the totals. The exit code is 1 if any failed.",
        ],
        options: [timeline, force, json("the totals and failures"), quiet] + cacheAccess + network,
        environment: EnvironmentVariable.loading)

    static let probe = CommandSpec(
        name: "probe", summary: "report the images at URLs and their freshness", operands: .files("URL..."),
        examples: [
            .init("alcedo probe https://example.com/a.jpg", "report an image, and how long it is fresh"),
            .init("alcedo probe --offline --json https://example.com/a.jpg", "report what the cache has, as JSON"),
        ],
        details: [
            """
            For each URL or path, the report has its status, format, size, frames, orientation, bytes and ThumbHash, \
            whether it came from the server or the cache, how long it is fresh and why. The exit code is 1 if one \
            can't be loaded or isn't an image.
            """
        ],
        options: [json("the results"), quiet] + cacheAccess + network + decoding,
        environment: EnvironmentVariable.loading)

    static let demo = CommandSpec(
        name: "demo", summary: "load some 60 images from a server inside this program",
        examples: [.init("alcedo demo --timeline demo.svg", "run the demo, and draw a timeline of its loads")],
        details: [
            """
            The images are loaded over each transport, from memory and from disk. The demo also cancels a load, prints \
            a table of the times, and writes a contact sheet to the temporary directory, replacing an earlier one.
            """
        ],
        options: [timeline, force], environment: EnvironmentVariable.temporary + EnvironmentVariable.terminal)

    static let completions = CommandSpec(
        name: "completions", summary: "print completions for a shell", operands: .choice(Completions.shells),
        examples: [.init("source <(alcedo completions bash)", "complete commands and options in this shell")],
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
            Without a command, lists all commands. For a subcommand, give both words, such as "alcedo help cache trim".
            """
        ])

    private static let timeline = OptionSpec(
        "--timeline", takes: .file("FILE"),
        "draw a timeline of the loads, as FILE.svg or, for ui.perfetto.dev, as FILE.json")

    private static let sheet = OptionSpec(
        "--sheet", takes: .file("FILE"),
        "draw all images, at most \(ContactSheet.ofLoads(.max).capacity), on one sheet, a PNG file")

    private static let force = OptionSpec(
        "--force", short: "-f", "overwrite existing files; otherwise, an existing file is an error")

    static let quiet = OptionSpec("--quiet", short: "-q", "print nothing but errors")

    static func json(_ what: String) -> OptionSpec { OptionSpec("--json", "print \(what) as JSON") }

    /// The options that ``CacheAccess`` reads.
    static let cacheAccess = [
        OptionSpec(
            "--cache", takes: .directory("DIR"), "use the cache in DIR; by default, one that all commands share"),
        OptionSpec("--revalidate", "ask the server even if the cached response is fresh"),
        OptionSpec("--offline", "never ask the server"),
    ]

    /// The options of commands that download.
    static let network = [
        OptionSpec(
            "--jobs", short: "-j", takes: .text("N"),
            "load N images at a time, from one host or several; default 12, of which 6 from one host"),
        OptionSpec(
            "--timeout", takes: .text("SECONDS"),
            "give up after SECONDS without a byte, including the time to connect; default 15"),
        OptionSpec("--retries", takes: .text("N"), "retry transient failures N times; default 2"),
        OptionSpec("--user-agent", takes: .text("TEXT"), "the User-Agent to send"),
        OptionSpec(
            "--header", takes: .text("'NAME: VALUE'"), repetition: .allCount,
            "a header field to send to every host; may be given more than once"),
        OptionSpec(
            "--cacert", takes: .file("FILE"),
            "trust the certificate authorities in FILE, in PEM; by default, those in $SSL_CERT_FILE, or the system's"),
    ]

    /// The options of commands that decode.
    static let decoding = [
        OptionSpec(
            "--max-pixels", takes: .text("N"),
            "refuse images of more than N pixels, such as 500M; default 268M, or 67M if decoded at full size")
    ]
}
