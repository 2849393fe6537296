import Alcedo
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct CacheOptionsTests {
    @Test func commands_areParsed() throws {
        #expect(try CacheOptions(["stats"]).action == .stats)
        #expect(try CacheOptions(["list"]).action == .list(prefix: nil, tag: nil))
        #expect(try CacheOptions(["list", "--tag", "t", "--prefix", "p"]).action == .list(prefix: "p", tag: "t"))
        #expect(try CacheOptions(["verify"]).action == .verify)
        #expect(try CacheOptions(["trim", "--to", "20M"]).action == .trim(bytes: 20_000_000))
        #expect(try CacheOptions(["clear"]).action == .clear)
    }

    @Test func selections_areParsed() throws {
        #expect(try CacheOptions(["remove", "a", "--", "--tag"]).action == .remove(.urls(["a", "--tag"])))
        #expect(try CacheOptions(["remove", "--prefix", "p"]).action == .remove(.prefix("p")))
        #expect(try CacheOptions(["remove", "--tag", "t"]).action == .remove(.tag("t")))
        #expect(try CacheOptions(["remove", "--expired"]).action == .remove(.expired))
        #expect(try CacheOptions(["remove", "--unused-for", "30"]).action == .remove(.unused(days: 30)))
    }

    @Test func switches_areParsed() throws {
        #expect(try !CacheOptions(["clear"]).isDryRun && !CacheOptions(["clear"]).skipsConfirmation)
        for arguments in [["verify"], ["clear"], ["trim", "--to", "5"], ["remove", "a"]] {
            #expect(try CacheOptions(arguments + ["--dry-run"]).isDryRun)
            #expect(try CacheOptions(arguments + ["-n"]).isDryRun)
        }
        for arguments in [["clear"], ["trim", "--to", "5"], ["remove", "a"]] {
            #expect(try CacheOptions(arguments + ["--yes"]).skipsConfirmation)
            #expect(try CacheOptions(arguments + ["-y"]).skipsConfirmation)
        }
    }

    @Test func places_areParsed() throws {
        #expect(try CacheOptions(["stats"]).place == .named("default", program: "alcedo"))
        #expect(try CacheOptions(["stats", "--cache", "d"]).place == .directory("d"))
        #expect(try CacheOptions(["stats", "--name", "n"]).place == .named("n", program: "alcedo"))
        #expect(try CacheOptions(["stats", "--program", "p"]).place == .named("default", program: "p"))
        #expect(try CacheOptions(["list", "--program", "p", "--name", "n"]).place == .named("n", program: "p"))
        #expect(try !CacheOptions(["stats"]).printsJSON)
        #expect(try CacheOptions(["stats", "--json"]).printsJSON)
    }

    @Test func place_hasItsDirectory() {
        #expect(CacheDirectory(.named()).url.path.hasSuffix("/alcedo/alcedo/default"))
        #expect(CacheDirectory(.named("n")).url.path.hasSuffix("/alcedo/alcedo/n"))
        #expect(CacheDirectory(.named("n", program: "p")).url.path.hasSuffix("/alcedo/p/n"))
        #expect(CacheDirectory(.directory("/x/y/")).url.path == "/x/y")
    }

    /// The cache is named after the command, not after the file that is run.
    @Test func commands_shareTheCacheThatCacheShows() throws {
        let expected = DiskStore.Settings(directory: CacheDirectory(.named()).url)
        let options = try (LoadOptions(["a"]), PrefetchOptions(["a"]), ProbeOptions(["a"]), ViewOptions(["a"]))
        let console = Console(capturing: ())
        #expect(LoadCommand(options: options.0, console: console).configuration.disk == expected)
        #expect(PrefetchCommand(options: options.1, console: console).configuration.disk == expected)
        #expect(ProbeCommand(options: options.2, console: console).configuration.disk == expected)
        let view = ViewCommand(options: options.3, console: console, events: TerminalEvents())
        #expect(view.configuration.disk == expected)
    }

    @Test(
        arguments: [
            ([], "no command"), (["frob"], "unknown command: frob"),
            (["lst"], "unknown command: lst (did you mean list?)"), (["--json"], "unknown command: --json"),
            (["stats", "x"], "stats: unknown argument: x"), (["stats", ""], "stats: unknown argument: "),
            (["clear", "--", "--tag"], "clear: unknown argument: --tag"),
            (["stats", "--to", "5"], "stats: unknown option: --to"),
            (["clear", "--prefix", "p"], "clear: unknown option: --prefix"),
            (["list", "--expired"], "list: unknown option: --expired"),
            (["verify", "-x"], "verify: unknown option: -x"),
            (["stats", "--json=1"], "stats: --json takes no value"),
            (["stats", "--cache"], "stats: --cache needs a value"),
            (["stats", "--cache", ""], "stats: --cache needs a value"),
            (["stats", "--name", "--json"], "stats: --name needs a value"),
            (["stats", "--name", "a", "--name", "b"], "stats: --name is given twice"),
            (["stats", "--name", "a", "--cache", "b"], "stats: --cache and --name can't be used together"),
            (["stats", "--program", "a", "--cache", "b"], "stats: --cache and --program can't be used together"),
            (["stats", "--program", ""], "stats: --program needs a value"),
            (["list", "--dry-run"], "list: unknown option: --dry-run"),
            (["verify", "-y"], "verify: unknown option: -y"), (["stats", "-q"], "stats: unknown option: -q"),
            (["clear", "-q", "--json"], "clear: --quiet and --json can't be used together"),
            (["trim"], "trim: --to is missing"), (["trim", "--to"], "trim: --to needs a value"),
            (["trim", "--to", "-5"], "trim: --to must be a number of bytes, such as 500K, 20M or 1GiB: -5"),
            (["trim", "--to", "--json"], "trim: --to needs a value"),
            (["remove"], "remove: no URL and no filter, such as --prefix"),
            (["remove", "--"], "remove: no URL and no filter, such as --prefix"),
            (["remove", "--prefix", ""], "remove: --prefix needs a value"),
            (["remove", "--tag", "a", "--tag", "b"], "remove: --tag is given twice"),
            (["remove", "a", "--tag", "b"], "remove: only one filter can be used, and none with URLs"),
            (
                ["remove", "--expired", "--prefix", "b"],
                "remove: only one filter can be used, and none with URLs"
            ),
        ] as [([String], String)])
    func invalidArguments_areRejected(_ arguments: [String], _ reason: String) {
        let separator = reason.contains(/^(stats|list|verify|trim|clear|remove):/) ? " " : ": "
        let error = #expect(throws: UsageError.self) { try CacheOptions(arguments) }
        #expect(error?.message == "alcedo cache" + separator + reason)
    }

    @Test(
        arguments: [
            ("0", 0), ("500", 500), ("500K", 500_000), ("500k", 500_000), ("500KB", 500_000), ("500KiB", 512_000),
            ("20M", 20_000_000), ("20mb", 20_000_000), ("20MiB", 20 << 20), ("1G", 1_000_000_000),
            ("1GiB", 1 << 30), ("2T", 2_000_000_000_000), ("2TiB", 2 << 40), ("007", 7),
            ("9223372T", 9_223_372_000_000_000_000), ("8388607TiB", 8_388_607 << 40),
            ("9223372036854775807", Int.max),
        ])
    func byteCount_isParsed(_ text: String, _ bytes: Int) {
        #expect(ByteText.count(text) == bytes)
    }

    @Test(
        arguments: [
            "x", "K", "5X", "5B", "5Ki", "5 K", " 5", "1.5G", "1,5G", "+5", "0x10", "5KK", "٥", "5K ", "1e3",
            "9223372036854775808", "9223373T", "8388608TiB", "9223372036854776K", "99999999999999999999999999",
        ])
    func invalidByteCount_isRejected(_ text: String) {
        #expect(ByteText.count(text) == nil)
        let reason = "--to must be a number of bytes, such as 500K, 20M or 1GiB: \(text)"
        #expect(throws: UsageError("cache trim", reason)) {
            try CacheOptions(["trim", "--to", text])
        }
    }

    @Test(arguments: [20_000, 3_000_000, 4_000_000_000]) func byteCount_hasTheUnitsOfTheOutput(_ bytes: Int) {
        let printed = ByteText.of(bytes)
        let text = printed.replacing(/\.0+/, with: "").replacing(" ", with: "")
        #expect(ByteText.count(text) == bytes, "\(printed)")
    }

    @Test(arguments: ["0", "x", "1.5", "3d", "+3", "٣", "100001", "99999999999999999999"])
    func invalidDayCount_isRejected(_ text: String) {
        #expect(throws: UsageError("cache remove", "--unused-for must be a whole number from 1 to 100000: \(text)")) {
            try CacheOptions(["remove", "--unused-for", text])
        }
    }
}
