import Foundation
import Testing

@testable import TestFixtures

/// The rules of the house, held by counting in the sources.
@Suite(.ownThreads) struct ArchitectureTests {
    private let sources: [SourceFile]

    init() throws { sources = try SourceFile.all }

    /// Files whose code has a match, but for the ones that are excused.
    ///
    /// - Parameter words: Of which each match has one: a regular expression takes long for all lines.
    private func places(
        of pattern: Regex<Substring>, with words: [String], except excused: Set<String> = []
    ) -> [String] {
        sources.filter { source in
            !excused.contains(source.path) && source.code(with: words).contains { $0.contains(pattern) }
        }.map(\.path)
    }

    @Test func sources_areThere() {
        #expect(sources.count > 40)
        #expect(sources.contains { $0.path == "Alcedo/Loader/LoadPath.swift" })
    }

    /// The one owner of pixel memory, and what lets threads work on its rows; their files state the invariants.
    private let pixelOwners: Set = ["Alcedo/Image/Bitmap.swift", "Alcedo/Process/BandMemory.swift"]

    @Test func unsafeEscapes_areAbsent() {
        #expect(places(of: /@unchecked/, with: ["@unchecked"]) == [])
        #expect(places(of: /nonisolated\(unsafe\)/, with: ["unsafe"], except: pixelOwners) == [])
        #expect(places(of: /\btry!|\bas!|\bfatalError\(/, with: ["try!", "as!", "fatalError"]) == [])
        #expect(places(of: /unsafeBitCast|withoutActuallyEscaping/, with: ["unsafeBitCast", "ActuallyEscaping"]) == [])
        // UIKit posts its notifications on the main thread, and the call is checked.
        let isolated: Set = ["AlcedoUI/System/AppLifecycle.swift"]
        #expect(places(of: /assumeIsolated/, with: ["assumeIsolated"], except: isolated) == [])
    }

    /// A continuation that is resumed twice or never, and an object that is released too early or never, are mistakes
    /// that the compiler can't find.
    @Test func continuationsAndUnmanagedObjects_areCounted() {
        let continuation = /with(?:Unsafe|Checked)(?:Throwing)?Continuation/
        #expect(
            counts(of: continuation, with: "Continuation", in: sources) == [
                "Alcedo/Disk/DiskStore+Upkeep.swift": 1, "Alcedo/Download/Curl/CurlDataLoader.swift": 2,
                "Alcedo/Download/URLSession/SessionEngine.swift": 1,
                "Alcedo/Download/URLSession/URLSessionDataLoader.swift": 1, "Alcedo/Support/Promise.swift": 1,
                "AlcedoTestSupport/Handshake.swift": 1, "AlcedoTestSupport/ThreadGate.swift": 1,
                "AlcedoTestSupport/Time/ManualClock.swift": 1,
            ])
        #expect(
            counts(of: /Unmanaged/, with: "Unmanaged", in: sources) == [
                "Alcedo/Download/Curl/CurlAddresses.swift": 3, "Alcedo/Download/Curl/CurlTransfer.swift": 3,
                "Alcedo/Image/SystemImage+CoreGraphics.swift": 2, "Alcedo/Support/SystemThread.swift": 2,
            ])
        let text = "await withUnsafeContinuation { _ in }\nawait withCheckedThrowingContinuation { $0.resume() }"
        let file = SourceFile(path: "A.swift", text: text)
        #expect(counts(of: continuation, with: "Continuation", in: [file]) == ["A.swift": 2])
    }

    private func counts(of pattern: Regex<Substring>, with word: String, in sources: [SourceFile]) -> [String: Int] {
        let counts = sources.map { source in
            (source.path, source.code(with: [word]).reduce(0) { $0 + $1.matches(of: pattern).count })
        }
        return Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 })
    }

    /// Other modules use `package` and public declarations only. `make apple-check` also compiles
    /// `Sources/AlcedoTool/View` as part of another package, so that it uses only public ones.
    @Test func internals_stayInTheirModule() {
        #expect(
            places(of: /@testable|@_spi|@_private|@_implementationOnly|@_silgen_name/, with: ["@testable", "@_"]) == [])
        #expect(sources.contains { $0.path.hasPrefix("AlcedoTool/View/") })
    }

    /// Views use the loader, not the parts that it is made of.
    @Test func views_knowNoLoadPath() {
        #expect(places(of: /\.path\b/, with: [".path"]).filter { $0.hasPrefix("Alcedo/Views/") } == [])
    }

    @Test func noErrorIsSwallowed() {
        #expect(places(of: /\btry\?/, with: ["try?"]) == [])
        #expect(places(of: /catch \{\s*\}/, with: ["catch"]) == [])
    }

    @Test func dispatch_isInThreeFilesOnly() {
        let allowed: Set = [
            "Alcedo/Download/URLSession/SessionEngine.swift", "Alcedo/Support/WorkerThreads.swift",
            // Where the system tells of memory pressure through nothing else.
            "Alcedo/Platform/MemoryPressureWatcher+Darwin.swift",
        ]
        #expect(places(of: /\bDispatch|import Dispatch/, with: ["Dispatch"], except: allowed) == [])
    }

    @Test func timeRandomnessAndFiles_areArguments() {
        let library = Set(sources.map(\.path).filter { !$0.hasPrefix("Alcedo/") })
        #expect(
            places(
                of: /\bDate\(\)|\.now\(\)|Date\.now|Task\.sleep/, with: ["Date()", "now", "Task.sleep"],
                except: library.union(timeUsers)) == [])
        // Where files are by default.
        let defaults = ["Alcedo/Disk/DiskStore+Settings.swift", "Alcedo/Platform/BodyFile.swift"]
        #expect(places(of: /FileManager/, with: ["FileManager"], except: library.union(defaults)) == [])
        #expect(places(of: /\.random\(/, with: [".random"], except: library.union(randomUsers)) == [])
    }

    /// They call the clock they were given.
    private let timeUsers: Set = [
        "Alcedo/Loader/Stages/Resource.swift", "Alcedo/Loader/Stages/Decoding.swift",
        "Alcedo/Loader/Stages/Processing.swift",
        "Alcedo/Loader/Stages/Deadlines.swift",
        "Alcedo/Loader/ImageLoader.swift", "Alcedo/Download/Coordinator/DownloadCoordinator.swift",
        "Alcedo/Download/Coordinator/DownloadCoordinator+Connectivity.swift",
        "Alcedo/Download/Coordinator/DownloadCoordinator+Control.swift",
        "Alcedo/Download/Coordinator/DownloadCoordinator+Ending.swift",
        "Alcedo/Download/Coordinator/DownloadCoordinator+Attempts.swift",
        "Alcedo/Download/Coordinator/DownloadCoordinator+Outcomes.swift",
        "Alcedo/Download/Coordinator/DownloadCoordinator+Slots.swift", "Alcedo/Download/Transport/Transfer.swift",
        "Alcedo/Download/Bodies/BodyBudget.swift", "Alcedo/Disk/DiskStore.swift",
        "Alcedo/Loader/Events/LoadEventSink.swift",
        "Alcedo/Loader/Previews/PreviewMaker.swift", "Alcedo/Platform/WarmFiles.swift",
        "Alcedo/Stored/Tiered/TieredStore+Shared.swift", "Alcedo/Views/AnimationPlayer.swift",
        "Alcedo/Views/ImageSlot.swift", "Alcedo/Decode/DecodeGate.swift", "Alcedo/Image/FrameTimer.swift",
        // The default of an argument.
        "Alcedo/Support/TimeSource.swift",
    ]
    /// Seeds of the process and names of versions: nothing that a test would want to repeat.
    private let randomUsers: Set = [
        "Alcedo/Support/FastHash.swift", "Alcedo/Disk/DiskDirectory.swift", "Alcedo/HTTP/StoredResponse.swift",
    ]

    /// A file that declares neither an actor nor a class decides and does not act. These act.
    private let actingFiles: Set = [
        "Coalescing/DownloadProgress", "Disk/DiskDirectory", "Download/Curl/CurlExit", "Download/Transport/DataLoading",
        "Download/Coordinator/RequestAuthentication", "Download/Transport/RequestBuilder",
        "Download/Transport/RequestPreparation",
        "Download/Transport/ResponseRules", "Download/Transport/Transfer",
        "Encode/AnimationEncoding", "Encode/AutomaticEncoder", "Encode/EncodingThreads",
        "Loader/Configuration",
        "Loader/Stages/DecodeGate+Files", "Loader/ImageBatch", "Loader/Previews/ImagePreviews", "Loader/ImageResponses",
        "Loader/LoadMetrics", "Loader/LoadActivity", "Loader/ImageLoader+Shared", "Loader/Stages/CallerLimits",
        "Loader/Stages/Encoding", "Loader/Events/StageEvents",
        "Loader/Stages/Resource", "Loader/Stages/StoringByHand",
        "Loader/Stages/LocalSources",
        "Platform/FileSystem", "Platform/FileSystem+NewFile",
        "Platform/PipeSignalMask", "Platform/SystemCalls", "Request/LoadID",
        "Stored/StoreCall", "Stored/StoredBody", "Support/Alarm", "Support/TimeSource",
    ]

    @Test func filesOfValues_knowNoTaskLockClockOrFile() {
        let values = sources.filter { source in
            source.path.hasPrefix("Alcedo/") && !source.declares(/actor|class/) && source.declares(/struct|enum/)
        }
        #expect(values.count > 150)
        let action =
            #/
            \b(?:await|async|Task|Mutex|Atomic|ContinuousClock|Clock|FileSystem|SystemCalls|WorkerThreads|Thread)\b
            |pthread|Dispatch
            /#
        let words = ["await", "async", "Task", "Mutex", "Atomic", "Clock", "File", "System", "hread", "Dispatch"]
        let acting = values.filter { source in source.code(with: words).contains { $0.contains(action) } }
        let names = Set(acting.map { String($0.path.dropFirst("Alcedo/".count).dropLast(".swift".count)) })
        #expect(names == actingFiles, "\(names.symmetricDifference(actingFiles))")
    }

    @Test func onlyLookUps_lockMemoryCache_outsideActor() throws {
        let files = ["Alcedo/Memory/MemoryCache.swift", "Alcedo/Memory/MemoryCache+LookUp.swift"]
        let open = sources.filter { files.contains($0.path) }.flatMap { $0.code(with: ["nonisolated"]) }
        let allowed = [
            "let pictures:", "let now:", "let pressure =", "let removals =", "func ticket()",
            "func permits(",
            "let second:", "let reuseWindow:", "func find(", "func isUsable(", "func findAgain(", "func entry(",
            "func isThere(", "var statistics:",
            "func change(to settings:",
        ]
        #expect(open.count == allowed.count)
        #expect(open.allSatisfy { line in allowed.contains { line.contains("nonisolated " + $0) } })
    }

    /// Foundation reads it from the system, on whatever thread asks.
    @Test func numberOfCores_isReadInOnePlace() {
        let allowed: Set = ["Alcedo/Platform/CoreCount+Darwin.swift"]
        #expect(places(of: /activeProcessorCount/, with: ["activeProcessorCount"], except: allowed) == [])
    }

    /// A test can replace what it hardly has to imitate.
    @Test func protocols_haveFewRequirements() {
        #expect(sources.flatMap { crowdedProtocols(in: $0) } == [])
        let functions = (1...9).map { "    func call\($0)(\n        _ name: String\n    )" }
        for count in 8...9 {
            let text = (["package protocol Seam: Sendable {"] + functions.prefix(count) + ["}", "func other() {}"])
                .joined(separator: "\n")
            #expect(crowdedProtocols(in: SourceFile(path: "", text: text)) == (count > 8 ? ["Seam"] : []))
        }
    }

    /// The protocols with more than eight requirements.
    private func crowdedProtocols(in source: SourceFile) -> [String] {
        guard !source.code(with: ["protocol "]).isEmpty else { return [] }
        let end = source.code.endIndex
        return source.code.indices.compactMap { start in
            guard let match = source.code[start].prefixMatch(of: /( *)(?:\w+ )*protocol (\w+).*\{$/) else { return nil }
            let body = source.code[start..<end].prefix { $0 != match.1 + "}" }
            let requirement = /\s+(?:@?\w+ )*(?:func|var|init|subscript|associatedtype)\b.*/
            return body.count { $0.wholeMatch(of: requirement) != nil } > 8 ? String(match.2) : nil
        }
    }

    @Test func filesAreShort() {
        #expect(sources.filter { $0.lines.count > 400 }.map(\.path) == [])
    }

    /// Comments, too, which the formatter leaves as they are.
    @Test func linesAreNarrow() {
        let wide = sources.flatMap { source in
            source.lines.enumerated().filter { $0.element.count > 120 }.map { "\(source.path):\($0.offset + 1)" }
        }
        #expect(wide == [])
    }

    @Test func platformsFork_byFileOrImport_neverInsideBody() {
        let forks = sources.flatMap { source in
            source.code(with: ["#if"]).filter { $0.contains(/^\s+#if/) }.map { "\(source.path): \($0)" }
        }
        #expect(forks == [])
    }

    @Test func package_dependsOnNoOther() throws {
        let manifest = SourceFile.package.appendingPathComponent("Package.swift")
        #expect(try !String(contentsOf: manifest, encoding: .utf8).contains(".package("))
    }
}
