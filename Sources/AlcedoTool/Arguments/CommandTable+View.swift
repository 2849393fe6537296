extension CommandTable {
    static let view = CommandSpec(
        name: "view", summary: "show images on the terminal, in a grid or alone", operands: .files("URL..."),
        readsInput: true,
        examples: [
            .init("alcedo view pictures/*.jpg", "show images in a grid"),
            .init("find . -name '*.png' | alcedo view -", "show the images of a list"),
        ],
        details: [
            """
            Takes http, https, file and data URLs and plain paths. If one of them is "-", one URL or path per line is \
            read from standard input; blank lines and lines that begin with "#" are ignored.
            """,
            """
            Arrow keys or h, j, k and l move, space and b or the page keys turn pages, home and end or g and G go to \
            the first and last image. Enter shows the selected image alone, and escape or q returns to the grid. + and \
            - change the number of columns, r reloads, p pauses animations, ? shows the keys, and q in the grid quits.
            """,
            """
            Each cell shows two pixels, one above the other, in 24-bit colors. Terminals that understand kitty's \
            graphics protocol draw the images themselves.
            """,
        ],
        options: [
            OptionSpec("--columns", takes: .text("N"), "show N images in a row; by default, as many as suit the width"),
            OptionSpec(
                "--graphics", takes: .choice(ViewOptions.Graphics.allCases.map(\.rawValue)),
                "how to draw images; by default, with kitty's protocol if the terminal supports it"),
        ] + cacheAccess + network + decoding,
        environment: EnvironmentVariable.loading + EnvironmentVariable.color)
}
