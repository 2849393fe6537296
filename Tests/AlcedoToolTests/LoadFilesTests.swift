import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The files that `alcedo load` writes, and its JSON.
@Suite(.timeLimit(.minutes(1))) struct LoadFilesTests {
    @Test func output_hasTheServedBytes_withoutASecondRequest() async throws {
        let fixture = try LoadFixture.ofPictures()
        let out = fixture.temporary.file("new/out")
        #expect(try await fixture.load(fixture.url("/a.png"), fixture.url("/x/b.jpg?q"), "-o", out) == 0)
        #expect(try fixture.temporary.names(in: "new/out") == ["a.png", "b.jpg"])
        #expect(FileManager.default.contents(atPath: out + "/a.png") == (try Pictures.png()))
        #expect(FileManager.default.contents(atPath: out + "/b.jpg") == (try Pictures.jpeg()))
        #expect(fixture.server.statistics.requestsByPath == ["/a.png": 1, "/x/b.jpg": 1])
        #expect(fixture.outputLines.contains { $0.hasSuffix(" → \(out)/a.png") })
    }

    /// The names are those of the URLs that are requested.
    @Test func output_isNamedLikeTheParsedURL() async throws {
        let fixture = try LoadFixture.ofPictures()
        let out = fixture.temporary.file("out")
        let local = fixture.temporary.file("d?e.png")
        try Pictures.png().write(to: URL(fileURLWithPath: local))
        let folder = fixture.url("/x/")
        let backslashes = (folder + "b.png").replacing("/", with: "\\")
        let texts = ["  \(folder) a.png ", backslashes, folder + "c\t.png", local]
        #expect(try await fixture.load(texts + ["-o", out]) == 0, "\(fixture.errorLines)")
        #expect(try fixture.temporary.names(in: "out") == ["a.png", "b.png", "c.png", "d_e.png"])
    }

    /// Saving doesn't decode: neither damage nor size matters.
    @Test func output_hasTheServedBytes_ofImagesThatCannotBeDecoded() async throws {
        let jpeg = try Pictures.jpeg()
        let large = try #require(Bomb.all.first { $0.format == .jpeg && $0.description.contains("10,000") }).data
        let files = ["cut.jpg": Data(jpeg.prefix(jpeg.count / 2)), "head.jpg": jpeg.prefix(30), "large.jpg": large]
        let fixture = try LoadFixture { .bytes(files[String($0.path.dropFirst())] ?? Data("<html>".utf8)) }
        let out = fixture.temporary.file("out")
        for (name, file) in files {
            #expect(try await fixture.load(fixture.url("/" + name), "-o", out) == 0)
            #expect(FileManager.default.contents(atPath: out + "/" + name) == file)
            #expect(try await fixture.load(fixture.url("/" + name)) == 1)
        }
        #expect(fixture.outputLines.count { $0.contains("10000 × 10000") } == 1)
        #expect(try await fixture.load(fixture.url("/page.jpg"), "-o", out) == 1)
        #expect(try fixture.temporary.names(in: "out") == files.keys.sorted())
    }

    @Test func output_neverLeavesItsDirectory() async throws {
        let png = try Pictures.png()
        let fixture = try LoadFixture { _ in .bytes(png) }
        let urls = ["/..%2F..%2Fup.png", "/%2e%2e?b", "/.hidden", "/", "/a.png", "/sub/a.png", "/a%00b.png"]
        let arguments = urls.map(fixture.url) + ["-o", fixture.temporary.file("out")]
        let code = await LoadCommand(
            options: try LoadOptions(arguments), console: fixture.console, configuration: fixture.configuration
        ).run()
        #expect(code == 0)
        #expect(try fixture.temporary.names() == ["cache", "out"])
        let names = try fixture.temporary.names(in: "out")
        #expect(names.count == urls.count)
        #expect(names.contains("a.png") && names.contains("a-2.png"))
    }

    @Test func existingFile_isAnError_unlessForced() async throws {
        let fixture = try LoadFixture.ofPictures()
        let (url, out) = (fixture.url("/a.png"), fixture.temporary.file("out"))
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: out + "/a.png"))
        #expect(try await fixture.load(url, fixture.url("/b.png"), "-o", out) == 1)
        let reason = ErrorText.of(systemCode: EEXIST)
        #expect(fixture.errorLines == ["\(url): not saved: \(out)/a.png: \(reason); --force overwrites it"])
        #expect(FileManager.default.contents(atPath: out + "/a.png") == Data("mine".utf8))
        #expect(try await fixture.load(url, "-o", out, "--force") == 0)
        #expect(FileManager.default.contents(atPath: out + "/a.png") == (try Pictures.png()))
        #expect(try fixture.temporary.names(in: "out") == ["a.png", "b.png"])
    }

    /// The same URLs get the same names in each run.
    @Test func names_followTheOrderGiven_notThatOfTheResponses() async throws {
        let fixture = try LoadFixture { _ in .manual }
        let urls = ["/first/a.png", "/second/a.png"].map(fixture.url)
        async let code = fixture.load(urls + ["-o", fixture.temporary.file("out")])
        var exchanges: [String: LoopbackServer.Exchange] = [:]
        for _ in urls {
            let exchange = try await fixture.server.nextRequest()
            exchanges[exchange.request.path] = exchange
        }
        exchanges["/second/a.png"]?.reply(.bytes(try Pictures.png(2, 2)))
        try await fixture.server.until { $0.activeRequests == 1 }
        exchanges["/first/a.png"]?.reply(.bytes(try Pictures.png(1, 1)))
        #expect(try await code == 0)
        let out = fixture.temporary.file("out")
        #expect(FileManager.default.contents(atPath: out + "/a.png") == (try Pictures.png(1, 1)))
        #expect(FileManager.default.contents(atPath: out + "/a-2.png") == (try Pictures.png(2, 2)))
    }

    @Test func uncacheableImage_isRequestedOnce() async throws {
        let png = try Pictures.png()
        let fixture = try LoadFixture { _ in .bytes(png).header("Cache-Control", "no-store") }
        #expect(try await fixture.load(fixture.url("/a.png"), "-o", fixture.temporary.file("out")) == 0)
        #expect(FileManager.default.contents(atPath: fixture.temporary.file("out/a.png")) == png)
        #expect(fixture.server.statistics.requests == 1)
    }

    @Test(arguments: PictureFormat.names) func format_isThatOfTheSavedFile(_ name: String) async throws {
        let fixture = try LoadFixture.ofPictures()
        let url = fixture.url("/a.jpg")
        #expect(try await fixture.load(url, "--format", name, "-o", fixture.temporary.file("out")) == 0)
        let file = name == "jpeg" ? "a.jpg" : "a.\(name)"
        #expect(try fixture.temporary.names(in: "out") == [file])
        let bytes = try Data(contentsOf: fixture.temporary.url.appendingPathComponent("out/\(file)"))
        #expect(ImageFormat(sniffing: bytes)?.rawValue == name)
    }

    @Test func resizedImage_isSavedInItsFormat() async throws {
        let fixture = try LoadFixture.ofPictures()
        let (out, urls) = (fixture.temporary.file("out"), [fixture.url("/a.jpg"), fixture.url("/b.png")])
        #expect(try await fixture.load(urls + ["--resize", "32x3", "-o", out]) == 0)
        #expect(try fixture.temporary.names(in: "out") == ["a.jpg", "b.png"])
        for (name, size) in [("a.jpg", PixelSize(width: 4, height: 3)), ("b.png", PixelSize(width: 4, height: 3))] {
            let bytes = try Data(contentsOf: fixture.temporary.url.appendingPathComponent("out/\(name)"))
            let image = try ImageDecoders.builtIn.decode(bytes)
            #expect(image.size == size)
            #expect(image.format == (name == "a.jpg" ? .jpeg : .png))
        }
    }

    @Test func outputDirectoryFailure_isOneLinePerFile() async throws {
        let fixture = try LoadFixture.ofPictures()
        try Data("x".utf8).write(to: fixture.temporary.url.appendingPathComponent("file"))
        let url = fixture.url("/a.png")
        let out = fixture.temporary.file("file")
        #expect(try await fixture.load(url, "-o", out) == 1)
        #expect(fixture.errorLines == ["\(url): not saved: \(out)/a.png: \(ErrorText.of(systemCode: ENOTDIR))"])
        #expect(fixture.outputLines.isEmpty)
    }

    @Test(arguments: [(1, 176, 136), (3, 512, 136), (8, 1352, 136), (9, 1352, 264)])
    func sheet_isAPNGOfTheExpectedSize(_ count: Int, _ width: Int, _ height: Int) async throws {
        let fixture = try LoadFixture.ofPictures()
        let sheet = fixture.temporary.file("sheet.png")
        let arguments = (0..<count).map { fixture.url("/\($0).png") } + ["--sheet", sheet]
        let code = await LoadCommand(
            options: try LoadOptions(arguments), console: fixture.console, configuration: fixture.configuration
        ).run()
        #expect(code == 0)
        let image = try ImageDecoders.builtIn.decode(Data(contentsOf: URL(fileURLWithPath: sheet)))
        #expect(image.format == .png)
        #expect(image.size == PixelSize(width: width, height: height))
        #expect(image.bitmap[8 + 80, 8 + 60] == (try Pictures.gradient(8, 6))[4, 3])
    }

    /// On the cooperative pool, it would keep other Tasks waiting.
    @Test func files_areDrawnAndSavedOnTheThreads() async throws {
        let fixture = try LoadFixture.ofPictures()
        let threads = SteppedThreads()
        let files = ["out/a.png", "sheet.png", "timeline.svg"].map(fixture.temporary.file)
        let arguments = ["-o", fixture.temporary.file("out"), "--sheet", files[1], "--timeline", files[2]]
        let command = LoadCommand(
            options: try LoadOptions([fixture.url("/a.png")] + arguments), console: fixture.console,
            configuration: fixture.configuration, threads: threads.workers)
        let code = Task { await command.run() }
        // The thumbnail is made by the job that saves the picture.
        for file in files {
            let isThere = try await threads.runNext { FileManager.default.fileExists(atPath: file) }
            #expect(!isThere.before && isThere.after, "\(file)")
        }
        #expect(await code.value == 0)
    }

    @Test func thumbnail_isMadeOnTheThreads() async throws {
        let fixture = try LoadFixture.ofPictures()
        let threads = SteppedThreads()
        let sheet = fixture.temporary.file("sheet.png")
        let command = LoadCommand(
            options: try LoadOptions([fixture.url("/a.png"), "--sheet", sheet]), console: fixture.console,
            configuration: fixture.configuration, threads: threads.workers)
        let code = Task { await command.run() }
        for isDrawn in [false, true] {
            let isThere = try await threads.runNext { FileManager.default.fileExists(atPath: sheet) }
            #expect(!isThere.before && isThere.after == isDrawn)
        }
        #expect(await code.value == 0)
    }

    /// A cell needs no more than the decoder makes of such an image, and its size is reported.
    @Test(arguments: [[], ["-o"]]) func sheet_showsImages_thatAreTooLargeOtherwise(_ output: [String]) async throws {
        let jpeg = try Pictures.jpeg(1_600, 1_200)
        var fixture = try LoadFixture { _ in .bytes(jpeg) }
        fixture.configuration.decode.limits.bitmapBytes = 4 * 400 * 300
        let arguments = [fixture.url("/a.jpg")] + output.flatMap { [$0, fixture.temporary.file("out")] }
        let sheet = fixture.temporary.file("sheet.png")
        #expect(try await fixture.load(arguments + ["--sheet", sheet]) == 0, "\(fixture.errorLines)")
        #expect(fixture.outputLines.last?.contains(": jpeg, 1600 × 1200, ") == true, "\(fixture.outputLines)")
        let image = try ImageDecoders.builtIn.decode(Data(contentsOf: URL(fileURLWithPath: sheet)))
        #expect(image.size == PixelSize(width: 176, height: 136))
        #expect(image.bitmap[8, 8] != ContactSheet.paper && image.bitmap[167, 127] != ContactSheet.paper)
        if !output.isEmpty {
            let saved = try Data(contentsOf: URL(fileURLWithPath: fixture.temporary.file("out/a.jpg")))
            #expect(saved == jpeg)
            let converted = ["--sheet", sheet, "--force", "--format", "png"]
            #expect(try await fixture.load(arguments + converted) == 1)
        }
    }

    @Test func sheet_showsLoadedImagesOnly() async throws {
        let fixture = try LoadFixture.ofPictures()
        let sheet = fixture.temporary.file("sheet.png")
        #expect(try await fixture.load(fixture.url("/missing"), fixture.url("/a.png"), "--sheet", sheet) == 1)
        let image = try ImageDecoders.builtIn.decode(Data(contentsOf: URL(fileURLWithPath: sheet)))
        #expect(image.size == PixelSize(width: 176, height: 136))
    }

    /// It is one before anything is loaded.
    @Test(arguments: [["--sheet", "sheet.png"], ["--timeline", "timeline.svg"]])
    func sheetOrTimelineWithoutADirectory_isAnError(_ option: [String]) async throws {
        let fixture = try LoadFixture.ofPictures()
        try Data().write(to: fixture.temporary.url.appendingPathComponent("file"))
        for (directory, code) in [("no", ENOENT), ("file", ENOTDIR)] {
            let file = fixture.temporary.file("\(directory)/\(option[1])")
            #expect(try await fixture.load(fixture.url("/a.png"), option[0], file) == 1)
            #expect(fixture.errorLines.last == "\(file): \(ErrorText.of(systemCode: code))")
        }
        #expect(fixture.errorLines.count == 2 && fixture.server.statistics.requests == 0)
    }

    /// It is one before anything is loaded.
    @Test(arguments: [["--sheet", "sheet.png"], ["--timeline", "timeline.svg"]])
    func existingSheetOrTimeline_isAnError_unlessForced(_ option: [String]) async throws {
        let fixture = try LoadFixture.ofPictures()
        let (url, file) = (fixture.url("/a.png"), fixture.temporary.file(option[1]))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await fixture.load(url, option[0], file) == 1)
        #expect(fixture.errorLines == ["\(file): \(ErrorText.of(systemCode: EEXIST)); --force overwrites it"])
        #expect(FileManager.default.contents(atPath: file) == Data("mine".utf8))
        #expect(fixture.server.statistics.requests == 0)
        #expect(try await fixture.load(url, option[0], file, "--force") == 0)
        #expect(try #require(FileManager.default.contents(atPath: file)).count > 100)
    }

    @Test func fileThatAppears_isNotOverwritten() throws {
        let temporary = try TemporaryDirectory()
        let console = Console(capturing: ())
        let file = OutputFile(path: temporary.file("a"))
        #expect(file.mayBeWritten(console) && file.write(Data("one".utf8), on: console))
        #expect(console.errors.isEmpty)
        #expect(!file.write(Data("two".utf8), on: console) && !file.mayBeWritten(console))
        let line = "\(file.path): \(ErrorText.of(systemCode: EEXIST)); --force overwrites it\n"
        #expect(console.errors == line + line)
        #expect(FileManager.default.contents(atPath: file.path) == Data("one".utf8))
        let forced = OutputFile(path: file.path, overwrites: true)
        #expect(forced.mayBeWritten(console) && forced.write(Data("two".utf8), on: console))
        #expect(FileManager.default.contents(atPath: file.path) == Data("two".utf8))
    }

    @Test func devicesAndPipes_areWritten_butNoDirectory() async throws {
        let temporary = try TemporaryDirectory()
        let console = Console(capturing: ())
        let (pipe, directory) = (temporary.file("pipe"), OutputFile(path: temporary.path, overwrites: true))
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = Task.detached { FileHandle(forReadingAtPath: pipe)?.readDataToEndOfFile() }
        for path in ["/dev/null", pipe] {
            let file = OutputFile(path: path)
            #expect(file.mayBeWritten(console) && file.write(Data("one".utf8), on: console), "\(console.errors)")
        }
        #expect(await reader.value == Data("one".utf8))
        #expect(console.errors.isEmpty && !directory.mayBeWritten(console))
        #expect(console.errors == "\(directory.path): \(ErrorText.of(systemCode: EISDIR))\n")
    }

    /// Other names of the old file keep its contents, so it is never half of each.
    @Test func overwrittenFile_isReplaced() throws {
        let temporary = try TemporaryDirectory()
        let console = Console(capturing: ())
        let (path, other) = (temporary.file("a"), temporary.file("other"))
        try Data("one".utf8).write(to: URL(fileURLWithPath: path))
        #expect(link(path, other) == 0)
        #expect(OutputFile(path: path, overwrites: true).write(Data("two".utf8), on: console), "\(console.errors)")
        #expect(FileManager.default.contents(atPath: path) == Data("two".utf8))
        #expect(FileManager.default.contents(atPath: other) == Data("one".utf8))
        #expect(try temporary.names() == ["a", "other"])
    }

    @Test func link_isFollowed_ifForced() throws {
        let temporary = try TemporaryDirectory()
        let console = Console(capturing: ())
        let (path, target) = (temporary.file("link"), temporary.file("target"))
        #expect(symlink("target", path) == 0)
        let line = "\(path): \(ErrorText.of(systemCode: EEXIST)); --force overwrites it\n"
        #expect(!OutputFile(path: path).write(Data("one".utf8), on: console) && console.errors == line)
        #expect(try temporary.names() == ["link"])
        let forced = OutputFile(path: path, overwrites: true)
        for text in ["one", "two"] {
            #expect(forced.write(Data(text.utf8), on: console), "\(console.errors)")
            #expect(FileManager.default.contents(atPath: target) == Data(text.utf8))
        }
        #expect(!OutputFile(path: path).write(Data("three".utf8), on: console) && console.errors == line + line)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "target")
        #expect(try temporary.names() == ["link", "target"])
    }

    @Test func tooManyImagesForASheet_areAnError_beforeAnyIsLoaded() async throws {
        let fixture = try LoadFixture.ofPictures()
        let capacity = ContactSheet.ofLoads(8).capacity
        let sheet = fixture.temporary.file("sheet.png")
        let urls = (0...capacity).map { fixture.url("/\($0).png") }
        #expect(try await fixture.load(urls + ["--sheet", sheet]) == 1)
        let reason = "a sheet has room for \(capacity) images, but \(capacity + 1) are given"
        #expect(fixture.errorLines == ["\(sheet): \(reason)"])
        #expect(fixture.outputLines.isEmpty && fixture.server.statistics.requests == 0)
        #expect(HelpText(width: 1_000).of(CommandTable.load).contains("at most \(capacity), on a contact sheet"))
    }

    @Test func sheetWithoutImages_isNotWritten() async throws {
        let fixture = try LoadFixture.ofPictures()
        let sheet = fixture.temporary.file("sheet.png")
        #expect(try await fixture.load(fixture.url("/missing"), "--sheet", sheet) == 1)
        #expect(fixture.errorLines.count == 2)
        #expect(fixture.errorLines.last == "\(sheet): there is no image to draw")
        #expect(!FileManager.default.fileExists(atPath: sheet))
    }

    @Test func json_includesFailures_andIsTheOnlyOutput() async throws {
        let fixture = try LoadFixture.ofPictures()
        let out = fixture.temporary.file("out")
        let (good, bad) = (fixture.url("/a.png"), fixture.url("/missing"))
        #expect(try await fixture.load(good, bad, "--json", "-o", out) == 1)
        let parsed = try JSONSerialization.jsonObject(with: Data(fixture.console.output.utf8))
        let objects = try #require(parsed as? [[String: Any]])
        #expect(objects.map { $0["url"] as? String } == [good, bad])
        #expect(objects[0]["source"] as? String == "network")
        #expect(objects[0]["file"] as? String == out + "/a.png")
        #expect(objects[1]["error"] as? String == "the server answered with status 404")
        #expect(objects[1]["errorKind"] as? String == "badStatus")
        #expect(fixture.errorLines == ["\(bad): the server answered with status 404"])
    }

    @Test func unsavedFile_hasAKindInJSON() async throws {
        let fixture = try LoadFixture.ofPictures()
        let arguments = [fixture.url("/a.png"), "-o", fixture.temporary.file("out")]
        #expect(try await fixture.load(arguments + ["-q"]) == 0)
        #expect(try await fixture.load(arguments + ["--json"]) == 1)
        let parsed = try JSONSerialization.jsonObject(with: Data(fixture.console.output.utf8))
        let object = try #require((parsed as? [[String: Any]])?.first)
        #expect(object["errorKind"] as? String == "notSaved" && object["file"] == nil && object["width"] as? Int == 8)
    }
}
