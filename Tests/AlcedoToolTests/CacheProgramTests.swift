import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// Finding the caches that other programs have in the user's cache directory.
@Suite(.timeLimit(.minutes(1))) struct CacheProgramTests {
    private typealias Disk = DiskStore.Settings

    @Test(arguments: ["default", "avatars", "a/b ä.png", ".."])
    func programsCache_isInTheLibrarysDirectory(_ name: String) throws {
        let program = ProcessInfo.processInfo.processName
        let options = try CacheOptions(["stats", "--program", program, "--name", name])
        #expect(CacheDirectory(options.place).url == Disk(name: name).directory)
        #expect(try CacheDirectory(CacheOptions(["stats", "--program", program]).place).url == Disk().directory)
    }

    @Test func otherPrograms_haveSiblingDirectories_whateverTheirNames() throws {
        let all = Disk().directory.deletingLastPathComponent().deletingLastPathComponent()
        let names = [
            "My App": "My App", "app.v2": "app%2Ev2", "..": "%2E%2E", "a/../../b": "a%2F%2E%2E%2F%2E%2E%2Fb",
        ]
        for (program, name) in names {
            let directory = CacheDirectory(try CacheOptions(["stats", "--program", program]).place).url
            #expect(directory.path == all.path + "/\(name)/default")
        }
    }

    @Test func longNames_areTruncated_andRemainDistinct() {
        let long = String(repeating: "n", count: 200)
        #expect(Disk(name: long).directory.lastPathComponent == long)
        let directories = ["a", "b"].map { Disk(name: long + $0).directory.lastPathComponent }
        #expect(Set(directories).count == 2)
        for directory in directories {
            #expect(directory.utf8.count <= 200 && directory.hasPrefix(long.prefix(160) + "%"))
        }
    }

    @Test func programWithoutACache_isAnError() async throws {
        let console = Console(capturing: ())
        let program = "no program \(UUID().uuidString)"
        #expect(await Main.run(["cache", "stats", "--program", program], on: console) == 1)
        #expect(console.errors.hasSuffix("\(program)/default: No such file or directory\n"))
    }

    #if os(Linux)
    /// Runs in its own process, because the environment determines the cache directory.
    @Test func programsCache_isFoundByItsName_inTheCacheDirectory() async throws {
        let temporary = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [path = temporary.path as String] in
            setenv("XDG_CACHE_HOME", path, 1)
            let program = ProcessInfo.processInfo.processName
            var configuration = ImageLoader.Configuration()
            configuration.disk = .init(name: "avatars")
            let loader = ImageLoader(configuration)
            try await loader.store(Pictures.png(), for: ImageRequest("http://h/a.png"), in: .disk)
            await loader.flush()
            let console = Console(capturing: ())
            let arguments = ["cache", "list", "--program", program, "--name", "avatars"]
            #expect(await Main.run(arguments, on: console) == 0)
            #expect(console.output.hasSuffix("http://h/a.png\n"))
            let name = program.replacingOccurrences(of: ".", with: "%2E")
            #expect(FileManager.default.fileExists(atPath: path + "/alcedo/\(name)/avatars/index"))
        }
    }
    #endif
}
