extension CommandTable {
    static let view = CommandSpec(
        name: "view", summary: "show images in the terminal, in a grid or one at a time", operands: .files("URL..."),
        readsInput: true,
        examples: [
            .init("alcedo view pictures/*.jpg", "show images in a grid"),
            .init("find . -name '*.png' | alcedo view -", "show the images in a list of paths"),
        ],
        details: [
            """
            Accepts http, https, file and data URLs, and paths. If one of them is "-", one URL or path per line is \
            read from standard input; blank lines and lines that begin with "#" are ignored.
            """,
            """
            Arrow keys or h, j, k and l move the selection, space and b or the page keys turn pages, home and end or g \
            and G go to the first and last image. Enter shows the selected image alone, and escape or q returns to the \
            grid. + and - change the number of columns, r reloads, p pauses animations, ? shows the keys, and q in the \
            grid quits.
            """,
            """
            Each cell shows two pixels, one above the other, in 24-bit color. Terminals that understand kitty's \
            graphics protocol draw the images themselves. If standard output is not a terminal, the exit code is 1; \
            "alcedo load --sheet" draws images into a file.
            """,
        ],
        options: [
            OptionSpec("--columns", takes: .text("N"), "show N images per row; by default, as many as suit the width"),
            OptionSpec(
                "--graphics", takes: .choice(ViewOptions.Graphics.allCases.map(\.rawValue)),
                "draw images with characters or with kitty's protocol; default auto, which uses kitty's protocol if "
                    + "the terminal supports it"),
        ] + cacheAccess + network + decoding,
        environment: EnvironmentVariable.loading + EnvironmentVariable.color)
}
