import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The commands that remove entries: `trim`, `clear` and `remove`.
@Suite(.timeLimit(.minutes(1))) struct CacheRemovalTests {
    // MARK: Trim

    @Test func trim_evictsTheLeastRecentlyUsed() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png", "http://h/c.png")
        #expect(try await fixture.run("trim", "--to", "9K") == 0)
        #expect(fixture.outputLines.count == 2)
        #expect(fixture.outputLines.first?.hasPrefix("removed  ") == true)
        #expect(fixture.outputLines.first?.hasSuffix("  4096  http://h/a.png") == true)
        #expect(fixture.outputLines.last == "1 entry removed, 4096 bytes")
        #expect(try fixture.entries().count == 2)
        let report = try #require(try await fixture.json("trim", "--to", "9K") as? [String: Any])
        #expect(report["entries"] as? Int == 0 && report["bytes"] as? Int == 0)
        #expect(try await fixture.run("trim", "--to", "0") == 0)
        #expect(try fixture.entries() == [])
    }

    // MARK: Clear

    @Test func clear_removesAllEntriesAndTheirFiles() async throws {
        let fixture = try CacheFixture()
        for url in ["http://h/a.png", "http://h/b.png"] { try fixture.plant(source: url) }
        // It has expired, so no look-up finds it.
        try fixture.plant(source: "http://h/c.png", expires: 1)
        let report = try #require(try await fixture.json("clear") as? [String: Any])
        #expect(report["entries"] as? Int == 3)
        #expect(report["bytes"] as? Int == 12_288)
        let removed = try #require(report["removed"] as? [[String: Any]])
        #expect(
            Set(removed.compactMap { $0["url"] as? String }) == ["http://h/a.png", "http://h/b.png", "http://h/c.png"])
        #expect(try fixture.entries() == [])
        #expect(try fixture.temporary.names(in: "cache/discarded") == [])
        #expect(try await fixture.run("clear") == 0)
        #expect(fixture.outputLines.last == "0 entries removed, 0 bytes")
    }

    @Test func clear_deletesNoForeignFiles() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        try Data("x".utf8).write(to: URL(fileURLWithPath: fixture.path + "/entries/thesis.tex"))
        #expect(try await fixture.run("clear") == 1)
        #expect(
            fixture.errorLines == ["alcedo cache: \(fixture.path): not a cache: entries/thesis.tex isn't an entry"])
        #expect(try fixture.entries().count == 2)
    }

    // MARK: Remove

    @Test func urls_areRemovedWithAllVariants() async throws {
        let fixture = try CacheFixture()
        var variant = try ImageRequest("http://h/a.png")
        variant.headers["Accept"] = "image/png"
        try await fixture.fill([
            ImageRequest("http://h/a.png"), variant, ImageRequest("http://h/b.png"),
            ImageRequest("http://u:p@h/c.png"),
        ])
        #expect(try fixture.entries().count == 4)
        #expect(try await fixture.run("remove", "http://h/a.png#x", "http://u:p@h/c.png") == 0)
        #expect(fixture.outputLines.count == 4)
        #expect(fixture.outputLines.last == "3 entries removed, 12288 bytes")
        #expect(!fixture.console.output.contains("u:p"))
        #expect(try fixture.entries().count == 1)
        #expect(fixture.console.errors.isEmpty)
    }

    @Test func missingURL_isAnError_andTheOthersAreRemoved() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        let report = try #require(
            try await fixture.json("remove", "http://h/x.png", "xyz", "http://h/a.png", "http://h/a.png")
                as? [String: Any])
        #expect(report["entries"] as? Int == 1)
        #expect(report["notFound"] as? [String] == ["http://h/x.png", "xyz"])
        #expect(fixture.errorLines.count == 2)
        #expect(fixture.errorLines.first == "http://h/x.png: not in the cache")
        #expect(fixture.errorLines.last?.hasPrefix("xyz: ") == true)
        #expect(try await fixture.run("remove", "http://h/a.png") == 1)
        #expect(fixture.outputLines.last == "0 entries removed, 0 bytes")
    }

    @Test func prefixAndTag_removeMatchingEntries_ifAny() async throws {
        let fixture = try CacheFixture()
        var tagged = try ImageRequest("http://h/b/1.png")
        tagged.tags = ["t"]
        try await fixture.fill([ImageRequest("http://h/a/1.png"), ImageRequest("http://h/a/2.png"), tagged])
        #expect(try await fixture.run("remove", "--prefix", "http://h/a/") == 0)
        #expect(fixture.outputLines.last == "2 entries removed, 8192 bytes")
        #expect(try await fixture.run("remove", "--prefix", "http://h/a/") == 0)
        #expect(fixture.outputLines.last == "0 entries removed, 0 bytes")
        #expect(try await fixture.run("remove", "--tag", "none") == 0)
        #expect(try fixture.entries().count == 1)
        #expect(try await fixture.run("remove", "--tag", "t") == 0)
        #expect(try fixture.entries() == [])
        #expect(fixture.console.errors.isEmpty)
    }

    /// The store uses its own clock, so the entry expired long ago.
    @Test(arguments: [true, false])
    func expiredEntries_areRemoved(indexIsWhole: Bool) async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        try fixture.plant(source: "http://h/b.png", expires: 1_000)
        try FileManager.default.removeItem(atPath: fixture.path + "/index")
        if indexIsWhole { #expect(try await fixture.run("list") == 0) }
        #expect(try await fixture.run("remove", "--expired") == 0)
        #expect(fixture.outputLines.last == "1 entry removed, 4096 bytes")
        #expect(fixture.outputLines.dropLast().last?.hasSuffix("http://h/b.png") == true)
        #expect(try fixture.entries().count == 1)
        #expect(try await fixture.run("remove", "--expired") == 0)
        #expect(fixture.outputLines.last == "0 entries removed, 0 bytes")
    }

    @Test func unusedEntries_areRemoved() async throws {
        var fixture = try CacheFixture()
        var mortal = try ImageRequest("http://h/c.png")
        mortal.timeToLive = .seconds(1)
        try await fixture.fill([ImageRequest("http://h/a.png"), mortal])
        fixture.now += 2 * 86_400
        #expect(try await fixture.run("remove", "--unused-for", "3") == 0)
        #expect(fixture.outputLines.last == "0 entries removed, 0 bytes")
        fixture.now += 2 * 86_400
        #expect(try await fixture.run("remove", "--unused-for", "100000") == 0)
        #expect(fixture.outputLines.last == "0 entries removed, 0 bytes")
        #expect(try await fixture.run("remove", "--unused-for", "3") == 0)
        // The cache itself may have removed the expired entry.
        let last = try #require(fixture.outputLines.last)
        #expect(["2 entries removed, 8192 bytes", "1 entry removed, 4096 bytes"].contains(last))
        #expect(try fixture.entries() == [])
    }

    // MARK: Without removing

    @Test func dryRun_printsWhatWouldBeRemoved_andRemovesNothing() async throws {
        var fixture = try CacheFixture()
        var tagged = try ImageRequest("http://h/b/1.png")
        tagged.tags = ["t"]
        try await fixture.fill([ImageRequest("http://h/a/1.png"), ImageRequest("http://h/a/2.png"), tagged])
        try fixture.plant(source: "http://h/old.png", expires: 1_000)
        // Otherwise the index is complete without it.
        try FileManager.default.removeItem(atPath: fixture.path + "/index")
        fixture.now += 4 * 86_400
        let cases: [([String], Int)] = [
            (["clear"], 4), (["trim", "--to", "9K"], 2), (["trim", "--to", "1M"], 0), (["remove", "--expired"], 1),
            (["remove", "--tag", "t"], 1), (["remove", "--prefix", "http://h/a/"], 2),
            (["remove", "--unused-for", "3"], 4), (["remove", "http://h/a/1.png", "http://u:p@h/a/2.png"], 2),
        ]
        for (arguments, count) in cases {
            #expect(try await fixture.run(arguments + ["--dry-run"]) == 0, "\(arguments)")
            let entries = count == 1 ? "1 entry" : "\(count) entries"
            #expect(
                fixture.outputLines.last == "\(entries) would be removed, \(count * 4096) bytes", "\(arguments)")
            let lines = fixture.outputLines.suffix(count + 1).dropLast()
            #expect(lines.allSatisfy { $0.hasPrefix("would remove  ") }, "\(lines)")
            #expect(try fixture.entries().count == 4)
        }
        #expect(fixture.console.errors.isEmpty)
        #expect(try await fixture.run("remove", "-n", "http://h/no.png") == 1)
        #expect(fixture.errorLines == ["http://h/no.png: not in the cache"])
    }

    @Test(arguments: [["clear"], ["trim", "--to", "5K"], ["remove", "--prefix", "http://h/"]])
    func dryRun_namesTheEntriesThatAreRemovedThen(_ arguments: [String]) async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png", "http://h/c.png")
        // It may match, and is removed too.
        try Data("x".utf8).write(
            to: URL(fileURLWithPath: fixture.path + "/entries/" + StoredKey("http://i/").name.text))
        var planned = try #require(try await fixture.json(arguments + ["--dry-run"]) as? [String: Any])
        #expect(planned["isDryRun"] as? Bool == true)
        planned["isDryRun"] = false
        let removed = try #require(try await fixture.json(arguments) as? [String: Any])
        #expect((removed["entries"] as? Int ?? 0) > 0)
        #expect(NSDictionary(dictionary: planned) == NSDictionary(dictionary: removed))
    }

    @Test func quiet_printsErrorsOnly() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png")
        #expect(try await fixture.run("verify", "--quiet") == 0)
        #expect(try await fixture.run("remove", "http://h/a.png", "http://h/no.png", "-q") == 1)
        #expect(try await fixture.run("trim", "--to", "1M", "-q") == 0)
        #expect(try await fixture.run("clear", "-q") == 0)
        #expect(try fixture.entries() == [])
        #expect(fixture.console.output.isEmpty)
        #expect(fixture.errorLines == ["http://h/no.png: not in the cache"])
    }

    @Test(.enabled(if: geteuid() != 0, "root can remove everything"))
    func unremovableEntry_isAnError() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png")
        let entries = fixture.path + "/entries"
        #expect(chmod(entries, 0o500) == 0)
        #expect(try await fixture.run("trim", "--to", "0") == 1)
        #expect(chmod(entries, 0o700) == 0)
        #expect(fixture.outputLines.last == "0 entries removed, 0 bytes")
        #expect(!fixture.errorLines.isEmpty)
        for line in fixture.errorLines {
            #expect(line.hasPrefix("warning: cache remove failed: \(entries)/") && line.contains(": unlink: "))
        }
    }

    @Test func runningProgram_findsNoRemovedEntries_andContinues() async throws {
        let fixture = try CacheFixture()
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: URL(fileURLWithPath: fixture.path))
        let loader = ImageLoader(configuration)
        let (one, two) = (try ImageRequest("http://h/a.png"), try ImageRequest("http://h/b.png"))
        try await loader.store(Pictures.png(), for: one, in: .disk)
        await loader.flush()
        #expect(try await fixture.run("clear") == 0)
        #expect(fixture.outputLines.last == "1 entry removed, 4096 bytes")
        try await loader.store(Pictures.png(), for: two, in: .disk)
        await loader.flush()
        #expect(await loader.diskCache?.entries().map(\.url) == ["http://h/b.png"])
        #expect(try fixture.entries().count == 1)
        #expect(try await fixture.run("verify") == 0)
        #expect(fixture.outputLines.last == "1 intact, 0 damaged")
    }
}
