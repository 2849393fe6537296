import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct LoadOptionsTests {
    @Test func urlsAndOptions_areParsed_inAnyOrder() throws {
        let options = try LoadOptions(["a", "-o", "out", "--json", "b", "--sheet", "s.png", "-f", "--", "-c"])
        #expect(options.texts == ["a", "b", "-c"])
        #expect(options.outputDirectory == "out")
        #expect(options.sheetFile == OutputFile(path: "s.png", overwrites: true))
        #expect(options.printsJSON)
        #expect(options.overwrites)
    }

    @Test func defaults_areOff() throws {
        let options = try LoadOptions(["a"])
        #expect(options.texts == ["a"])
        #expect(options.outputDirectory == nil)
        #expect(options.sheetFile == nil)
        #expect(options.size == nil)
        #expect(options.format == nil)
        #expect(!options.printsJSON)
        #expect(!options.overwrites)
        #expect(options.network.jobs == nil)
        #expect(options.network.timeout == nil)
        #expect(options.network.retries == nil)
        #expect(options.network.headers.isEmpty)
    }

    @Test func values_mayBeAttached() throws {
        #expect(try LoadOptions(["a", "--output=-o"]).outputDirectory == "-o")
        #expect(try LoadOptions(["a", "-oout"]).outputDirectory == "out")
        #expect(try LoadOptions(["a", "-j3"]).network.jobs == 3)
        #expect(try LoadOptions(["a", "--sheet=a=b"]).sheetFile == OutputFile(path: "a=b"))
    }

    @Test func repeatedOption_lastOneWins() throws {
        #expect(try LoadOptions(["-o", "x", "a", "--output", "y"]).outputDirectory == "y")
    }

    @Test func emptyArgument_isAccepted() throws {
        #expect(try LoadOptions([""]).texts == [""])
    }

    @Test func doubleDash_endsTheOptions() throws {
        let options = try LoadOptions(["--", "--json", "--", "-o"])
        #expect(options.texts == ["--json", "--", "-o"])
        #expect(!options.printsJSON)
        #expect(options.outputDirectory == nil)
    }

    @Test(arguments: [[], ["--json"], ["-o", "x"], ["--"], ["--json", "--"]])
    func missingURL_isRejected(_ arguments: [String]) {
        #expect(throws: UsageError("load", "no URL")) { try LoadOptions(arguments) }
    }

    @Test(arguments: CommandTable.load.options.filter { $0.value != nil }.flatMap(\.names))
    func missingValue_isRejected(_ option: String) {
        let error = UsageError("load", "\(option) needs a value")
        #expect(throws: error) { try LoadOptions(["a", option]) }
        #expect(throws: error) { try LoadOptions(["a", option, ""]) }
        #expect(throws: error) { try LoadOptions([option, "--json", "a"]) }
        #expect(throws: error) { try LoadOptions(["a", option, "--", "b"]) }
        if option.hasPrefix("--") { #expect(throws: error) { try LoadOptions(["a", option + "="]) } }
    }

    @Test(arguments: ["-x", "--out", "-", "---", "--a=b", "-xo"])
    func unknownOption_isNamed(_ option: String) {
        let name = String(option.prefix { $0 != "=" })
        let error = #expect(throws: UsageError.self) { try LoadOptions(["a", option]) }
        #expect(error?.message.hasPrefix("alcedo load: unknown option: \(name)") == true)
    }

    @Test(arguments: [("--jbs", "--jobs"), ("--foce", "--force"), ("--hedaer", "--header"), ("--jsno", "--json")])
    func misspeltOption_isGuessed(_ option: String, _ meant: String) {
        let error = UsageError("load", "unknown option: \(option) (did you mean \(meant)?)")
        #expect(throws: error) { try LoadOptions(["a", option]) }
        #expect(error.hint == #"Run "alcedo load --help" for its options."#)
    }

    @Test(arguments: ["--", "-q", "--nothing-like-it", String(repeating: "-", count: 100_000)])
    func otherOptions_areNotGuessed(_ option: String) {
        #expect(Spelling.hint(option, of: CommandTable.load.allOptions.map(\.name)) == "")
    }

    @Test func authorities_areThoseOfTheOption_orOfTheEnvironment() throws {
        func authorities(_ arguments: [String], _ standard: String?) throws -> String? {
            let arguments = try Arguments(CommandTable.load, ["a"] + arguments)
            return try NetworkOptions(arguments, standardAuthorities: standard).authorities?.path
        }
        #expect(try authorities([], nil) == nil)
        #expect(try authorities([], "") == nil)
        #expect(try authorities(["--cacert", "/f"], "/g") == "/f")
        #expect(try authorities([], "/g") == "/g")
        #expect(try authorities([], "g") == FileManager.default.currentDirectoryPath + "/g")
    }

    #if os(Linux) && Curl
    @Test(.enabled(if: NginxServer.isInstalled)) func authorities_areTrusted() async throws {
        let server = try NginxServer(files: ["a.png": Pictures.png()])
        let fixture = try LoadFixture()
        let url = server.secureURL("/a.png").absoluteString
        #expect(try await fixture.load(url) == 1)
        #expect(fixture.errorLines.first?.contains("no secure connection") == true, "\(fixture.errorLines)")
        #expect(try await fixture.load(url, "--cacert", server.authority.path) == 0)
        #expect(try await fixture.load(url, "--revalidate", "--cacert", fixture.temporary.file("none")) == 1)
        let missing = "the certificate authorities in \(fixture.temporary.file("none")) can't be read"
        #expect(fixture.errorLines.last?.contains(missing) == true, "\(fixture.errorLines)")
        let bad = fixture.temporary.file("bad")
        try Data("no certificate".utf8).write(to: URL(fileURLWithPath: bad))
        #expect(try await fixture.load(url, "--revalidate", "--cacert", bad) == 1)
        #expect(fixture.errorLines.last?.contains(bad) == true, "\(fixture.errorLines)")
    }

    @Test(arguments: ["none", "."]) func unusableAuthorities_concernSecureConnectionsOnly(_ name: String) async throws {
        let fixture = try LoadFixture.ofPictures()
        let file = fixture.temporary.file(name)
        #expect(try await fixture.load(fixture.url("/a.png"), "--cacert", file) == 0, "\(fixture.errorLines)")
    }
    #endif

    @Test(arguments: [("3000", 3_000), ("200M", 200_000_000), ("2G", 2_000_000_000)])
    func pixels_areParsed(_ text: String, _ pixels: Int) throws {
        var configuration = ImageLoader.Configuration()
        let limits = configuration.decode.limits
        let options = try (LoadOptions(["a", "--max-pixels", text]), ProbeOptions(["a", "--max-pixels", text]))
        #expect(options.0.decoding == options.1.decoding && options.0.decoding.pixels == pixels)
        options.0.decoding.apply(to: &configuration)
        #expect(configuration.decode.limits.pixels == pixels)
        #expect(configuration.decode.limits.bitmapBytes == max(limits.bitmapBytes, 4 * pixels))
        #expect(configuration.decode.limits.side >= limits.side)
        #expect(try ViewOptions(["a", "--max-pixels", text]).decoding == options.0.decoding)
    }

    @Test(arguments: ["0", "-1", "3G", "1.5M", "x", ""]) func invalidPixels_areRejected(_ text: String) {
        #expect(throws: UsageError.self) { try LoadOptions(["a", "--max-pixels", text]) }
    }

    @Test func pixels_areALimit() async throws {
        let fixture = try LoadFixture.ofPictures()
        let url = fixture.url("/a.jpg")
        let reason = "too many pixels: 3072, and the limit is 3071; --max-pixels raises the limit"
        #expect(try await fixture.load(url, "--max-pixels", "3071") == 1)
        #expect(fixture.errorLines.last == "\(url): \(reason)")
        #expect(try await fixture.load(url, "--max-pixels", "3072") == 0)
        #expect(try await fixture.probe(url, "--max-pixels", "3071") == 1)
        #expect(fixture.errorLines.last == "\(url): \(reason)")
    }

    /// The help states the default values, and the message names the options.
    @Test func bitmaps_haveALimit() async throws {
        let limits = DecodeLimits()
        let help = CommandTable.decoding.map(\.help).joined()
        #expect(help.contains("default \(limits.pixels / 1_000_000)M, or \(limits.bitmapBytes / 4_000_000)M"))
        var fixture = try LoadFixture.ofPictures()
        let url = fixture.url("/a.jpg")
        fixture.configuration.decode.limits.bitmapBytes = 4 * 3071
        #expect(try await fixture.load(url) == 1)
        let options = "--max-pixels raises the limit, and --resize may avoid it"
        #expect(fixture.errorLines.last?.hasSuffix("12288, and the limit is 12284; \(options)") == true)
        #expect(try await fixture.load(url, "--resize", "32x32") == 0)
        #expect(try await fixture.load(url, "--max-pixels", "1M") == 0)
    }

    // MARK: Values

    @Test(arguments: [("1", 1), ("12", 12), ("1000", 1_000), ("007", 7)])
    func jobs_areParsed(_ text: String, _ jobs: Int) throws {
        #expect(try LoadOptions(["a", "--jobs", text]).network.jobs == jobs)
        var settings = DownloadCoordinator.Settings()
        try LoadOptions(["a", "-j", text]).network.apply(to: &settings)
        #expect(settings.maximumConcurrentDownloads == jobs)
        #expect(settings.maximumConcurrentDownloadsPerHost == jobs)
    }

    @Test(arguments: ["0", "-1", "1001", "99999999999999999999", "nan", "1.5", "1e2", "+1", " 1", "x", "٣"])
    func invalidJobs_areRejected(_ text: String) {
        #expect(throws: UsageError("load", "--jobs must be a whole number from 1 to 1000: \(text)")) {
            try LoadOptions(["a", "--jobs", text])
        }
    }

    @Test(arguments: [("0", 1), ("1", 2), ("100", 101)])
    func retries_areParsed(_ text: String, _ attempts: Int) throws {
        var settings = DownloadCoordinator.Settings()
        try LoadOptions(["a", "--retries", text]).network.apply(to: &settings)
        #expect(settings.retry.attempts == attempts)
        #expect(settings.retry.hostBudget >= attempts - 1)
    }

    @Test(arguments: ["-1", "101", "99999999999999999999", "NaN", "2.0", "x"])
    func invalidRetries_areRejected(_ text: String) {
        #expect(throws: UsageError("load", "--retries must be a whole number from 0 to 100: \(text)")) {
            try LoadOptions(["a", "--retries", text])
        }
    }

    @Test(
        arguments: [
            ("1", .seconds(1)), ("0.25", .milliseconds(250)), (".5", .milliseconds(500)), ("86400", .seconds(86_400)),
        ]
            as [(String, Duration)])
    func timeout_isParsed(_ text: String, _ timeout: Duration) throws {
        var settings = DownloadCoordinator.Settings()
        try LoadOptions(["a", "--timeout", text]).network.apply(to: &settings)
        #expect(settings.idleTimeout == timeout)
    }

    @Test func waitForANetwork_isParsed() throws {
        var settings = DownloadCoordinator.Settings()
        try LoadOptions(["a"]).network.apply(to: &settings)
        #expect(settings.connectivityWait == .zero)
        try LoadOptions(["a", "--wait-for-network", "1.5"]).network.apply(to: &settings)
        #expect(settings.connectivityWait == .milliseconds(1_500))
        let message = "--wait-for-network must be a number of seconds from 0.001 to 86400: 0"
        #expect(throws: UsageError("load", message)) { try LoadOptions(["a", "--wait-for-network", "0"]) }
    }

    @Test(arguments: [
        "0", "0.0", "0.0001", "-1", "-.5", "86401", "nan", "NaN", "inf", "-inf", "1e3", "0x10", "1.", "1,5", "5s",
        "99999999999999999999999999",
    ])
    func invalidTimeout_isRejected(_ text: String) {
        let error = #expect(throws: UsageError.self) { try LoadOptions(["a", "--timeout=\(text)"]) }
        #expect(error == UsageError("load", "--timeout must be a number of seconds from 0.001 to 86400: \(text)"))
    }

    @Test(arguments: ["640x480", "640X480", "640×480"]) func size_isParsed(_ text: String) throws {
        #expect(try LoadOptions(["a", "--resize", text]).size == PixelSize(width: 640, height: 480))
    }

    @Test(arguments: [
        "640", "640x", "x480", "x", "0x480", "640x0", "-1x5", "5x-1", "65536x1", "1x99999999999999999999", "1x2x3",
        "1.5x2", "nanxnan", "a", "640 x 480", "6４0x480",
    ])
    func invalidSize_isRejected(_ text: String) {
        let reason = "--resize must be WxH, such as 640x480, each from 1 to 65535: \(text)"
        #expect(throws: UsageError("load", reason)) { try LoadOptions(["a", "--resize=\(text)"]) }
    }

    @Test func format_isOneThatCanBeWritten() throws {
        for name in PictureFormat.names {
            #expect(try LoadOptions(["a", "-o", "x", "--format", name]).format == name)
        }
        for name in ["heic", "PNG", "tiff", "jpg2000"] {
            let reason = "--format must be one of \(PictureFormat.names.joined(separator: ", ")): \(name)"
            #expect(throws: UsageError("load", reason)) { try LoadOptions(["a", "-o", "x", "--format", name]) }
        }
    }

    @Test func settingsOfFormats_areRead() throws {
        let options = try LoadOptions(["a", "-o", "x", "--format", "jpeg", "--quality", "60", "--progressive"])
        #expect(options.encoding == EncodingOptions(quality: 60, isLossless: false, isProgressive: true))
        #expect(try LoadOptions(["a", "-o", "x", "--resize", "9x9", "--lossless"]).encoding.isLossless)
        #expect(try LoadOptions(["a", "-o", "x", "--format", "png", "--lossless"]).encoding.isLossless)
        #expect(try LoadOptions(["a"]).encoding == EncodingOptions())
    }

    @Test func settingWithoutMeaning_isRejected() {
        let cases: [([String], String)] = [
            (["--format", "png", "--quality", "5"], "--quality doesn't apply to png"),
            (["--format", "gif", "--lossless"], "--lossless doesn't apply to gif"),
            (["--format", "webp", "--progressive"], "--progressive doesn't apply to webp"),
            (["--format", "webp", "--lossless", "--quality", "5"], "--lossless and --quality can't be used together"),
            (["--quality", "5"], "--quality needs --output, and --format or --resize"),
            (["--resize", "9x9", "--quality", "101"], "--quality must be a whole number from 0 to 100: 101"),
            (["--resize", "9x9", "--quality", "x"], "--quality must be a whole number from 0 to 100: x"),
        ]
        for (arguments, reason) in cases {
            #expect(throws: UsageError("load", reason)) { try LoadOptions(["a", "-o", "x"] + arguments) }
        }
        #expect(throws: UsageError("load", "--lossless needs --output, and --format or --resize")) {
            try LoadOptions(["a", "--resize", "9x9", "--lossless"])
        }
    }

    @Test func optionOfSavedFiles_needsAPlaceForThem() throws {
        #expect(throws: UsageError("load", "--format needs --output")) { try LoadOptions(["a", "--format", "png"]) }
        #expect(throws: UsageError("load", "--force needs --output or --sheet or --timeline")) {
            try LoadOptions(["a", "-f"])
        }
        for output in [["-o", "x"], ["--sheet", "x.png"], ["--timeline", "x.svg"]] {
            #expect(try LoadOptions(["a", "-f"] + output).overwrites)
        }
    }

    @Test func remoteNames_needAPlace_andOverwriteNothing() throws {
        #expect(try LoadOptions(["a", "-o", "x", "--remote-names"]).usesRemoteNames)
        #expect(try !LoadOptions(["a", "-o", "x"]).usesRemoteNames)
        #expect(throws: UsageError("load", "--remote-names needs --output")) {
            try LoadOptions(["a", "--remote-names"])
        }
        #expect(throws: UsageError("load", "--remote-names and --force can't be used together")) {
            try LoadOptions(["a", "-o", "x", "-f", "--remote-names"])
        }
    }

    @Test(arguments: ["a.svg", "./a.svg", "x/../a.svg"])
    func sheetAndTimeline_areDifferentFiles(_ path: String) throws {
        let error = UsageError("load", "--sheet and --timeline name the same file: \(path)")
        #expect(throws: error) { try LoadOptions(["a", "--sheet", path, "--timeline", "a.svg"]) }
        #expect(throws: error) { try LoadOptions(["a", "-f", "--timeline", "a.svg", "--sheet", path]) }
        #expect(try LoadOptions(["a", "--sheet", "x/a.svg", "--timeline", "a.svg"]).timeline != nil)
    }

    @Test func headers_areParsed() throws {
        let arguments = ["a", "--header", "Accept: image/png", "--header", "X-A:", "--header", "x-a:\t b:c \t"]
        let headers = try LoadOptions(arguments).network.headers
        #expect(headers.map(\.name) == ["Accept", "X-A", "x-a"])
        #expect(headers.map(\.value) == ["image/png", "", "b:c"])
        let agent = try LoadOptions(["a", "--header", "user-agent: x", "--user-agent", "y"]).network.headers
        #expect(agent.values(of: "User-Agent") == ["y"])
    }

    /// Values may be secret and aren't repeated.
    @Test(
        arguments: [
            ("secret", "must be 'NAME: VALUE', with a colon"), (": secret", "has no valid name before the colon: "),
            ("a b: secret", "has no valid name before the colon: a b"),
            ("ä: secret", "has no valid name before the colon: ä"),
            ("a\r\nb: secret", "has no valid name before the colon: a\r\nb"),
            ("a: secret\nb: c", "must not contain control characters: a"),
            ("a: secret\rb", "must not contain control characters: a"),
            ("a: secret\r\nb", "must not contain control characters: a"),
            ("a: secret\0", "must not contain control characters: a"),
        ])
    func invalidHeader_isRejected(_ text: String, _ reason: String) {
        #expect(throws: UsageError("load", "--header \(reason)")) { try LoadOptions(["a", "--header", text]) }
    }

    @Test(arguments: ["a\nb", "a\r\nX: y", "a\0"]) func invalidUserAgent_isRejected(_ text: String) {
        #expect(throws: UsageError("load", "--user-agent must not contain control characters: \(text)")) {
            try LoadOptions(["a", "--user-agent", text])
        }
    }
}
