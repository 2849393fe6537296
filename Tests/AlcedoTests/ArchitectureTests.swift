import Foundation
import Testing

/// The rules of the house, held by counting in the sources.
@Suite struct ArchitectureTests {
    private struct Source: Sendable {
        /// Below Sources, as "Alcedo/Disk/DiskStore.swift".
        let path: String
        let lines: [Substring]
        /// The lines without comments and texts.
        let code: [String]
    }

    private let sources: [Source]

    /// Read once for all tests.
    private static let read = Result { try readSources() }

    init() throws { sources = try Self.read.get() }

    private static func readSources() throws -> [Source] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: root.path))
        return try files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { path in
            let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return Source(path: path, lines: lines, code: lines.map(Self.withoutCommentsAndTexts))
        }
    }

    private static func withoutCommentsAndTexts(_ line: Substring) -> String {
        String(line).replacing(/"(\\.|[^"\\])*"/, with: "\"\"").replacing(/\/\/.*/, with: "")
    }

    /// Files whose code has a match, but for the ones that are excused.
    private func places(of pattern: Regex<Substring>, except excused: Set<String> = []) -> [String] {
        sources.filter { source in
            !excused.contains(source.path) && source.code.contains { $0.contains(pattern) }
        }.map(\.path)
    }

    @Test func theSources_areThere() {
        #expect(sources.count > 40)
        #expect(sources.contains { $0.path == "Alcedo/Loader/LoadPath.swift" })
    }

    @Test func noWayAroundTheCompilersChecks() {
        #expect(places(of: /@unchecked/) == [])
        // The one owner of pixel memory; its file states the invariant.
        #expect(places(of: /nonisolated\(unsafe\)/, except: ["Alcedo/Image/Bitmap.swift"]) == [])
        #expect(places(of: /\btry!|\bas!|\bfatalError\(/) == [])
        #expect(places(of: /assumeIsolated|unsafeBitCast|withoutActuallyEscaping/) == [])
    }

    @Test func noErrorIsSwallowed() {
        #expect(places(of: /\btry\?/) == [])
        #expect(places(of: /catch \{\s*\}/) == [])
    }

    @Test func dispatch_isInThreeFilesOnly() {
        let allowed: Set = [
            "Alcedo/Download/URLSessionDataLoader.swift", "Alcedo/Loader/WorkerThreads.swift",
            // Where the system tells of memory pressure through nothing else.
            "Alcedo/Memory/MemoryPressureWatcher+Darwin.swift",
        ]
        #expect(places(of: /\bDispatch|import Dispatch/, except: allowed) == [])
    }

    @Test func timeRandomnessAndFiles_areArguments() {
        let library = Set(sources.map(\.path).filter { !$0.hasPrefix("Alcedo/") })
        #expect(places(of: /\bDate\(\)|\.now\(\)|Date\.now|Task\.sleep/, except: library.union(timeUsers)) == [])
        #expect(places(of: /FileManager/, except: library.union(["Alcedo/Loader/Configuration.swift"])) == [])
        #expect(places(of: /\.random\(/, except: library.union(randomUsers)) == [])
    }

    /// They call the clock they were given.
    private let timeUsers: Set = [
        "Alcedo/Loader/LoadPath.swift", "Alcedo/Loader/LoadPath+Disk.swift", "Alcedo/Loader/ImageLoader.swift",
        "Alcedo/Download/DownloadCoordinator.swift", "Alcedo/Download/DownloadCoordinator+Control.swift",
        "Alcedo/Download/Transfer.swift",
        "Alcedo/Loader/PreviewMaker.swift",
        // The default of an argument.
        "Alcedo/Loader/TimeSource.swift",
    ]
    /// Seeds of the process: nothing that a test would want to repeat.
    private let randomUsers: Set = ["Alcedo/Request/Fold.swift", "Alcedo/Disk/DiskDirectory.swift"]

    @Test func pureFiles_knowNoTaskLockOrClock() throws {
        let pure = [
            "Download/FlightTable", "Download/ArrivalTable", "Download/SlotQueue", "Download/DownloadQueue",
            "Download/RateWatch",
            "Download/HostLines", "Download/HostTable", "Download/SlotMap", "Download/LazyHeap", "Download/TokenBucket",
            "Memory/EvictionTable", "Memory/EvictionLimits", "Memory/EvictionReason", "Memory/Departures",
            "Memory/SlotIndex", "Memory/DenseTable", "Memory/UseRecord", "Memory/FoldedKey", "Memory/MemoryShelf",
            "Memory/MemoryLane", "Memory/RemovalLog", "Disk/DiskIndex",
            "Disk/DiskIndex+Plan", "Disk/DiskIndex+Reading", "Disk/DiskEntries", "Disk/TagSets", "Disk/IndexLog",
            "Disk/IndexRecord", "Disk/Checksum", "Disk/EntryFile", "Disk/EntryMetadata", "Disk/EntryName",
            "Disk/DiskKey", "Disk/DirectoryKey", "Disk/SHA256+Linux", "Disk/SHA256+Darwin",
            "HTTP/HTTPHeaders",
            "HTTP/FieldScanner", "HTTP/HTTPDate", "HTTP/CookieDate", "Download/SetCookie", "Download/CookieJar",
            "HTTP/RetryAfter", "HTTP/ContentRange",
            "Download/SplitMix64", "Download/RetryPolicy", "Download/RetryState", "Download/RetryBudget",
            "Download/FailureLifetimes", "Download/FailureMemory",
            "Download/BodyCodings", "Download/PartialBody", "Download/PartialBodies", "Request/DataURL",
            "Request/PercentDecoded",
            "Request/Base64", "Memory/MemoryBudget", "Memory/ControlGroups", "Memory/MemoryEvents",
            "Memory/MemoryPressureGate", "Memory/MemoryPressureFiles", "Process/ResamplingWeights",
            "Loader/PreviewBudget", "Image/FrameQueue", "Decode/GIFBlocks", "Decode/GIFUnpacker", "Decode/GIFPainter",
        ]
        for name in pure {
            let source = try #require(sources.first { $0.path == "Alcedo/\(name).swift" }, "\(name)")
            let impure = source.code.first { $0.contains(/\bawait\b|\basync\b|Task\b|Mutex|Clock|FileSystem/) }
            #expect(impure == nil, "\(name): \(impure ?? "")")
        }
    }

    @Test func onlyTheLookUp_takesTheMemoryCachesLock_outsideTheActor() throws {
        let cache = try #require(sources.first { $0.path == "Alcedo/Memory/MemoryCache.swift" })
        let open = cache.code.filter { $0.contains(/nonisolated/) }
        let allowed = [
            "let lanes:", "let shelf:", "let now:", "func find(", "func findOnShelf(", "func contains(",
            "var statistics:",
        ]
        #expect(open.count == allowed.count)
        #expect(open.allSatisfy { line in allowed.contains { line.contains("nonisolated " + $0) } })
    }

    @Test func filesAreShort() {
        #expect(sources.filter { $0.lines.count > 400 }.map(\.path) == [])
    }

    @Test func platformsFork_byFileOrImport_neverInsideABody() {
        let forks = sources.flatMap { source in
            source.code.filter { $0.contains(/^\s+#if/) }.map { "\(source.path): \($0)" }
        }
        #expect(forks == [])
    }

    @Test func thePackage_dependsOnNoOther() throws {
        let manifest = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Package.swift")
        #expect(try !String(contentsOf: manifest, encoding: .utf8).contains(".package("))
    }
}
