/// Files that are decoded differently from their references: by older system libraries, whose own tools do the same,
/// and on purpose.
enum KnownDeviations {
    /// The reasons by the SHA-256 of the file. The table of results lists each, even if the file no longer deviates.
    static let reasons = [
        "a5f429bef6d2ef2f6022be4848d7266145bfaa060c0fe684150411fa4bf562a1": "libavif 0.11 refuses a box without a size",
        "bae56368b348b1d847e2bfb662522599f0c63dfe62fb68826c9e42a300ff405d":
            "libavif 0.11 has another alpha for a grid without one",
        "189398ea72d391c75c8679942c539ae7d4324152fa2f948d742b73f3bd6cc8f1": hdr,
        "d783e0d9ce778f972e88586b6b1b9eb062f54d38f28521721a8b9cbbda3b7fb0": hdr,
        "f67ef979ee9df50c7893eafea591030b3897dba1285ea8331dc0687e063dda9b": hdr,
        "69a5e7171e13591be94371acd63c65f8f73ee096af0cfe6b819c5f4e2350ed01": hdr,
        "9980e58ddf718a923f1738c34aad1c72f8e5795ec07e68f1a5f9bd216ca19740": hdr,
        "26cfca294b9403133eba46fdbf15ab04f68e48855c835be8cbec24097aa8b846": hdr,
        "ee1887a188ba7b8e84fd5323ff0fdeac034ccab6daa70085333f6a5bd0dbc682": hdr,
        "f7a62619c9ab9a828c17a9af80f93807234045f2afd32f97e41137b1511bf4cd": hdr,
        "1ede5af67433062cffd620833d2b132e1572348596c5659ad2ed4c4d708edd83": hdr,
        "705c853c7b185281057b56d42da569090f756c2e2606679f0a3d33dc97170834": hdr,
        "963ae30040d2122b562d930aaf5eece0402e5298a520347f983bfc87ab71e072": hdr,
        "801c9450bc496203db2fcc058b6b3e88f5aebb92c6d4fa26e0504c314c81b763": hdr,
        "c8cd5dc13868499394da0e585a76da463ac036aaf1e72763b0d565e1d067df13": hdr,
        "ba020e5bc84726eb2bdce80b6f13a25107c8fd5c38af13ec6ce0348e8c2c343e":
            "a bitmap whose alpha is 0 everywhere is opaque, and the reference is transparent",
        "03fded8c230e0e7ba06e73f45670adc549eb721e62fdf141f17701d3281ee4e8": hdr,
        "b37c9cd69b62458a3d5fb4efc2efe9f6da8e434db4772d9e03cbbf0d50945193": hdr,
        "78fbbba852e99946d187dcf0bcbd7fb0e7c22be2f0852523aaae6ed91e7e3c39":
            "colors of JPEG XL that only a profile describes become sRGB, and the reference is linear light",
    ]

    private static let hdr = "HDR is mapped to the range of sRGB, and the reference has the numbers of the file"
}
