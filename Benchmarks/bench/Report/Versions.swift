/// The versions of Alcedo and of the libraries that it uses, as `git` and `pkg-config` know them.
enum Versions {
    private static let libraries = ["libjpeg", "libpng", "libwebp", "libavif", "lcms2", "libcurl", "zlib"]

    static func current() -> [String: String] {
        var versions: [String: String] = [:]
        versions["Alcedo"] = output(of: "git", ["describe", "--always", "--dirty", "--abbrev=8"])
        for library in libraries { versions[library] = output(of: "pkg-config", ["--modversion", library]) }
        return versions
    }

    /// The first line that a program prints; nil if it isn't installed or fails.
    private static func output(of program: String, _ arguments: [String]) -> String? {
        guard InstalledProgram.exists(program) else { return nil }
        do {
            let outcome = try ChildProcess(path: program, arguments: arguments).run(capturingOutput: true)
            return String(decoding: outcome.output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        } catch {
            return nil
        }
    }
}
