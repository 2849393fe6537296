import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The commands that read a cache, `stats`, `list` and `verify`, and directories that are no cache.
@Suite(.timeLimit(.minutes(1))) struct CacheCommandTests {
    // MARK: Directories

    @Test(arguments: ["stats", "list", "verify", "clear", "trim", "remove"])
    func missingDirectory_isAnError_andIsNotCreated(_ command: String) async throws {
        let fixture = try CacheFixture()
        #expect(try await fixture.run(arguments(of: command)) == 1)
        #expect(fixture.errorLines == ["alcedo cache: \(fixture.path): No such file or directory"])
        #expect(fixture.console.output.isEmpty)
        #expect(try fixture.temporary.names() == [])
    }

    @Test(arguments: ["stats", "list", "verify", "clear", "trim", "remove"])
    func directoryWithoutACache_isAnError_andIsUnchanged(_ command: String) async throws {
        let fixture = try CacheFixture()
        try FileManager.default.createDirectory(atPath: fixture.path, withIntermediateDirectories: false)
        #expect(try await fixture.run(arguments(of: command)) == 1)
        // A file or a link with a name that caches use makes no cache.
        try Data("x".utf8).write(to: URL(fileURLWithPath: fixture.path + "/entries"))
        #expect(try await fixture.run(arguments(of: command)) == 1)
        try FileManager.default.removeItem(atPath: fixture.path + "/entries")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.path + "/entries", withDestinationPath: fixture.temporary.path)
        #expect(try await fixture.run(arguments(of: command)) == 1)
        #expect(fixture.errorLines == Array(repeating: "alcedo cache: \(fixture.path): not a cache", count: 3))
        #expect(fixture.console.output.isEmpty)
        #expect(try fixture.temporary.names(in: "cache") == ["entries"])
    }

    @Test func fileInPlaceOfADirectory_isAnError() async throws {
        let fixture = try CacheFixture()
        try Data("x".utf8).write(to: URL(fileURLWithPath: fixture.path))
        #expect(try await fixture.run("stats") == 1)
        #expect(try await fixture.run(["stats", "--json"]) == 1)
        let line = "alcedo cache: \(fixture.path): not a directory"
        #expect(fixture.errorLines == [line, line])
        #expect(fixture.console.output.isEmpty)
        let below = try CacheOptions(["stats", "--cache", fixture.path + "/x"])
        #expect(await CacheCommand(options: below, console: fixture.console).run() == 1)
        #expect(fixture.errorLines.last == "alcedo cache: \(fixture.path)/x: Not a directory")
    }

    @Test(.enabled(if: geteuid() != 0, "root can read everything"))
    func unreadableDirectory_isAnError() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        #expect(chmod(fixture.path, 0) == 0)
        #expect(try await fixture.run("stats") == 1)
        #expect(chmod(fixture.path, 0o700) == 0)
        #expect(fixture.errorLines == ["alcedo cache: \(fixture.path): Permission denied"])
    }

    @Test func unopenableCache_isAnError() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        try FileManager.default.removeItem(atPath: fixture.path + "/lock")
        try makeSocket(at: fixture.path + "/lock")
        for command in ["stats", "list", "verify", "clear", "trim", "remove"] {
            #expect(try await fixture.run(arguments(of: command)) == 1)
        }
        #expect(fixture.errorLines.count == 6)
        #expect(fixture.errorLines.allSatisfy { $0.hasPrefix("alcedo cache: \(fixture.path)/lock: open: ") })
        #expect(fixture.console.output.isEmpty)
        #expect(try fixture.entries().count == 1)
    }

    /// Makes a file that not even root can open, and that no cache replaces.
    private func makeSocket(at path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        #if os(Linux)
        let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let file = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        defer { close(file) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(result == 0)
    }

    private func arguments(of command: String) -> [String] {
        switch command {
        case "trim": ["trim", "--to", "0"]
        case "remove": ["remove", "--prefix", "http"]
        default: [command]
        }
    }

    // MARK: Stats

    @Test func emptyCache_isReportedAsEmpty() async throws {
        let fixture = try CacheFixture()
        try FileManager.default.createDirectory(
            atPath: fixture.path + "/entries", withIntermediateDirectories: true)
        let stats = try #require(try await fixture.json("stats") as? [String: Any])
        #expect(stats["entries"] as? Int == 0)
        #expect(stats["bytes"] as? Int == 0)
        #expect(stats["oldestUse"] == nil)
        #expect((stats["formats"] as? [String: Any])?.isEmpty == true)
        #expect((try await fixture.json("list") as? [Any])?.isEmpty == true)
        #expect(try await fixture.run("list") == 0)
        #expect(try await fixture.run("verify") == 0)
        #expect(fixture.outputLines.last == "0 intact, 0 damaged")
        #expect(try await fixture.run("clear") == 0)
        #expect(fixture.outputLines.last == "0 entries removed, 0 bytes")
        #expect(fixture.console.errors.isEmpty)
    }

    @Test func stats_countEntriesAndBytes() async throws {
        var fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png")
        var mortal = try ImageRequest("http://h/c.jpg")
        mortal.timeToLive = .seconds(3_600)
        try await fixture.fill([mortal], Pictures.jpeg())
        fixture.now += 86_400
        try Data(count: 5_000).write(to: URL(fileURLWithPath: fixture.path + "/discarded/x"))
        let stats = try #require(try await fixture.json("stats") as? [String: Any])
        #expect(stats["directory"] as? String == fixture.path)
        #expect(stats["entries"] as? Int == 3)
        #expect(stats["bytes"] as? Int == 12_288)
        #expect((stats["defaultLimit"] as? Int ?? 0) >= 64 << 20)
        let formats = try #require(stats["formats"] as? [String: [String: Int]])
        #expect(formats == ["png": ["entries": 2, "bytes": 8_192], "jpeg": ["entries": 1, "bytes": 4_096]])
        #expect(stats["originals"] as? [String: Int] == ["entries": 3, "bytes": 12_288])
        #expect(stats["processed"] as? [String: Int] == ["entries": 0, "bytes": 0])
        #expect(stats["expired"] as? [String: Int] == ["entries": 1, "bytes": 4_096])
        #expect(stats["unreadable"] as? Int == 0)
        #expect(stats["temporaryBytes"] as? Int == 0)
        #expect((stats["discardedBytes"] as? Int ?? 0) >= 5_000)
        #expect(stats["oldestUse"] is String && stats["newestUse"] is String)
    }

    @Test func stats_areReadableText() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        #expect(try await fixture.run("stats") == 0)
        #expect(fixture.outputLines.first == "directory      \(fixture.path)")
        #expect(fixture.outputLines.contains("entries        1"))
        #expect(fixture.outputLines.contains("bytes          4096 (4 KB)"))
        #expect(fixture.outputLines.contains("format png     1, 4096 (4 KB) bytes"))
        #expect(fixture.console.errors.isEmpty)
    }

    @Test func processedImages_areListed() async throws {
        let fixture = try CacheFixture()
        let server = try LoopbackServer { _ in
            do { return .bytes(try Pictures.png(64, 48)) } catch { return .status(500) }
        }
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: URL(fileURLWithPath: fixture.path))
        configuration.disk?.contents = .both
        var request = ImageRequest(url: server.url("/a.png"))
        request.targetSize = PixelSize(width: 8, height: 8)
        let loader = ImageLoader(configuration)
        _ = try await loader.image(for: request)
        await loader.flush()
        let stats = try #require(try await fixture.json("stats") as? [String: Any])
        #expect((stats["processed"] as? [String: Int])?["entries"] == 1)
        #expect((stats["originals"] as? [String: Int])?["entries"] == 1)
        let list = try #require(try await fixture.json("list") as? [[String: Any]])
        #expect(Set(list.compactMap { $0["kind"] as? String }) == ["original", "processed"])
        // Both belong to the URL.
        #expect(try await fixture.run("remove", server.url("/a.png").absoluteString) == 0)
        #expect(try fixture.entries() == [])
    }

    /// Reading a cache must not evict what another program's limits permit.
    @Test func readingCommands_evictNothing() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill((0..<40).map { try ImageRequest("http://h/\($0).png") })
        let before = try fixture.entries()
        #expect((try await fixture.json("stats") as? [String: Any])?["entries"] as? Int == 40)
        #expect((try await fixture.json("list") as? [Any])?.count == 40)
        #expect((try await fixture.json("verify") as? [String: Any])?["intact"] as? Int == 40)
        #expect(try fixture.entries() == before)
        #expect(before.count == 40)
    }

    // MARK: List

    @Test func list_hasOneLinePerEntry_leastRecentlyUsedFirst() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/b.png", "http://u:secret@h/a.png?x=1#f")
        #expect(try await fixture.run("list") == 0)
        #expect(fixture.outputLines.count == 2)
        let digests = try fixture.entries()
        for (line, url) in zip(fixture.outputLines, ["http://h/b.png", "http://h/a.png?x=1"]) {
            let cells = line.split(separator: " ").map(String.init)
            #expect(cells.count == 7 && digests.contains(cells[0]))
            #expect(cells[1...4] == ["4096", "png", "original", "8×6"])
            #expect(cells[5].wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
            #expect(cells[6] == url)
        }
        #expect(!fixture.console.output.contains("secret"))
    }

    @Test func list_isFilteredByPrefixAndTag() async throws {
        let fixture = try CacheFixture()
        var tagged = try ImageRequest("http://h/a/1.png")
        tagged.tags = ["one", "two"]
        var other = try ImageRequest("http://h/b/2.png")
        other.tags = ["two"]
        try await fixture.fill([tagged, other, ImageRequest("http://h/a/3.png")])
        func urls(_ arguments: String...) async throws -> [String] {
            let list = try await fixture.json(arguments) as? [[String: Any]]
            return list?.compactMap { $0["url"] as? String } ?? ["?"]
        }
        #expect(try await urls("list", "--prefix", "http://h/a/") == ["http://h/a/1.png", "http://h/a/3.png"])
        #expect(try await urls("list", "--tag", "two") == ["http://h/a/1.png", "http://h/b/2.png"])
        #expect(try await urls("list", "--tag", "two", "--prefix", "http://h/b") == ["http://h/b/2.png"])
        #expect(try await urls("list", "--tag", "none") == [])
        #expect(try await fixture.run("list", "--tag", "one") == 0)
        #expect(fixture.outputLines.last?.hasSuffix("http://h/a/1.png  [one, two]") == true)
    }

    @Test func json_describesAnEntryInFull() async throws {
        var fixture = try CacheFixture()
        var request = try ImageRequest("http://h/a.png")
        request.tags = ["t"]
        request.timeToLive = .seconds(60)
        try await fixture.fill([request])
        fixture.now += 86_400
        let list = try #require(try await fixture.json("list") as? [[String: Any]])
        let entry = try #require(list.first)
        let digest = try #require(try fixture.entries().first)
        #expect(list.count == 1)
        #expect(entry["digest"] as? String == digest)
        #expect(entry["file"] as? String == fixture.path + "/entries/" + digest)
        #expect(entry["bytes"] as? Int == 4_096)
        #expect(entry["url"] as? String == "http://h/a.png")
        #expect(entry["format"] as? String == "png")
        #expect(entry["width"] as? Int == 8 && entry["height"] as? Int == 6)
        #expect(entry["tags"] as? [String] == ["t"])
        #expect(entry["isExpired"] as? Bool == true)
        #expect(entry["expiresAt"] is String && entry["storedAt"] is String && entry["lastUsedAt"] is String)
        #expect(try await fixture.run("list") == 0)
        #expect(fixture.outputLines.last?.hasSuffix("http://h/a.png  [t]  (expired)") == true)
    }

    @Test func json_containsTheFreshness() async throws {
        let fixture = try CacheFixture()
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: URL(fileURLWithPath: fixture.path))
        let png = try Pictures.png()
        configuration.dataLoader = ScriptedDataLoader { _ in .bytes(png, headers: ["Cache-Control": "no-cache"]) }
        let loader = ImageLoader(configuration)
        _ = try await loader.image(for: ImageRequest("http://h/a.png"))
        await loader.flush()
        let list = try #require(try await fixture.json("list") as? [[String: Any]])
        #expect(list.map { $0["freshUntil"] as? String } == ["1970-01-01T00:00:00Z"])
    }

    @Test func controlCharactersInEntries_areEscaped() async throws {
        let fixture = try CacheFixture()
        var request = try ImageRequest("http://h/a.png")
        request.tags = ["\u{1B}[2J\n"]
        try await fixture.fill([request])
        try FileManager.default.removeItem(atPath: fixture.path + "/index")
        // These include dates outside any calendar.
        try fixture.plant(source: "http://h/\u{1B}]0;x\u{7}\r\n\u{9B}\u{2028}\u{7F}", storedAt: .max)
        try fixture.plant(source: "http://h/old", storedAt: .min)
        let list = try #require(try await fixture.json("list") as? [[String: Any]])
        #expect(list.compactMap { $0["url"] as? String }.contains("http://h/\u{1B}]0;x\u{7}\r\n\u{9B}\u{2028}\u{7F}"))
        let json = fixture.console.output
        #expect(json.unicodeScalars.allSatisfy { $0 == "\n" || !OneLine.isControl($0) })
        for arguments in [["list"], ["verify"], ["stats"], ["remove", "--prefix", "http"]] {
            #expect(try await fixture.run(arguments) == 0)
        }
        let text = fixture.console.output.dropFirst(json.count)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !OneLine.isControl($0) })
        let lines = fixture.outputLines.filter { $0.contains(#"http://h/\u{1B}]0;x\u{07}\r\n\u{009B}\u{2028}\u{7F}"#) }
        #expect(lines.count == 2)
        #expect(try fixture.entries() == [])
    }

    // MARK: Verify

    @Test func intactCache_isVerified() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png")
        #expect(try await fixture.run("verify") == 0)
        #expect(fixture.outputLines == ["2 intact, 0 damaged"])
    }

    @Test func damagedEntry_isReportedAndRemoved() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        let damaged = try #require(try fixture.entries().first)
        try await fixture.fill("http://h/b.png")
        try fixture.damage(damaged)
        #expect(try await fixture.run("verify") == 1)
        #expect(
            fixture.outputLines == [
                "damaged  \(damaged)  http://h/a.png: the checksum is wrong", "1 intact, 1 damaged (removed)",
            ])
        #expect(fixture.console.errors.isEmpty)
        #expect(try fixture.entries().count == 1)
        #expect(try fixture.temporary.names(in: "cache/discarded") == [])
        #expect(try await fixture.run("verify") == 0)
    }

    @Test func damagedEntries_areListedInTheJSON() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png", "http://h/c.png")
        let digests = try fixture.entries()
        try fixture.damage(digests[0])
        try Data("x".utf8).write(to: URL(fileURLWithPath: fixture.path + "/entries/" + digests[1]))
        let stats = try #require(try await fixture.json("stats") as? [String: Any])
        #expect(stats["unreadable"] as? Int == 1)
        let report = try #require(try await fixture.json("verify") as? [String: Any])
        #expect(report["intact"] as? Int == 1)
        let damaged = try #require(report["damaged"] as? [[String: Any]])
        #expect(Set(damaged.compactMap { $0["digest"] as? String }) == [digests[0], digests[1]])
        let reasons = ["the checksum is wrong", "the file is too short"]
        #expect(Set(damaged.compactMap { $0["reason"] as? String }) == Set(reasons))
        #expect(damaged.allSatisfy { $0["isRemoved"] as? Bool == true } && report["isDryRun"] as? Bool == false)
        #expect((report["unreadable"] as? [Any])?.isEmpty == true)
    }

    @Test func dryRun_findsDamage_andRemovesNothing() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png", "http://h/c.png", "http://h/d.png")
        let digests = try fixture.entries()
        try fixture.damage(digests[0])
        let other = String(digests[1].reversed())
        try FileManager.default.moveItem(
            atPath: fixture.path + "/entries/" + digests[1], toPath: fixture.path + "/entries/" + other)
        // Longer than the largest file that is read, and sparse.
        #expect(truncate(fixture.path + "/entries/" + digests[2], 8 << 30) == 0)
        try FileManager.default.removeItem(atPath: fixture.path + "/index")
        let names = try fixture.entries()
        #expect(try await fixture.run("verify", "--dry-run") == 1)
        #expect(fixture.outputLines.last == "1 intact, 2 damaged (would be removed), 1 unreadable")
        var planned = try #require(try await fixture.json("verify", "-n") as? [String: Any])
        #expect(try fixture.entries() == names)
        #expect((planned["damaged"] as? [[String: Any]])?.allSatisfy { $0["isRemoved"] as? Bool == false } == true)
        // Otherwise it is what is removed then.
        var removed = try #require(try await fixture.json("verify") as? [String: Any])
        #expect(planned["isDryRun"] as? Bool == true && removed["isDryRun"] as? Bool == false)
        for key in ["isDryRun", "damaged"] { (planned[key], removed[key]) = (nil, nil) }
        #expect(NSDictionary(dictionary: planned) == NSDictionary(dictionary: removed))
        #expect(try fixture.entries() == names.filter { ![digests[0], other].contains($0) })
        #expect(fixture.console.errors.isEmpty)
    }

    @Test func dryRun_ofAnIntactCache_isGood() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        #expect(try await fixture.run("verify", "--dry-run") == 0)
        #expect(fixture.outputLines == ["1 intact, 0 damaged"])
    }

    /// The file is intact but useless: its entry can only be found under its own name.
    @Test func renamedEntry_isDamaged() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        let digest = try #require(try fixture.entries().first)
        let other = String(digest.reversed())
        try FileManager.default.moveItem(
            atPath: fixture.path + "/entries/" + digest, toPath: fixture.path + "/entries/" + other)
        try FileManager.default.removeItem(atPath: fixture.path + "/index")
        #expect(try await fixture.run("verify") == 1)
        #expect(fixture.outputLines.first?.hasSuffix(": the file belongs to another entry") == true)
        #expect(try fixture.entries() == [])
        #expect(try await fixture.run("verify") == 0)
    }

    @Test func unreadableEntry_isReported_andNotRemoved() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png")
        let digest = try #require(try fixture.entries().first)
        let file = fixture.path + "/entries/" + digest
        // Longer than the largest file that is read, and sparse.
        #expect(truncate(file, 8 << 30) == 0)
        #expect(try await fixture.run("verify") == 1)
        #expect(fixture.outputLines.first?.hasPrefix("unreadable  \(file): read: ") == true)
        #expect(fixture.outputLines.last == "1 intact, 0 damaged, 1 unreadable")
        #expect(try fixture.entries().contains(digest))
    }
}
