import AlcedoTestSupport
import Testing

#if canImport(ImageIO) || os(Linux) && JPEG && PNG && GIF && Curl
/// Every public async function returns to the actor that called it, however it ends.
///
/// The optimizer once broke this for errors only, so these tests also run optimized: see Docs/Decisions/0017.
@Suite(.timeLimit(.minutes(1))) struct IsolationTests {
    static let table =
        LoadRows.all + SequenceRows.all + CacheRows.all + OwnerRows.all + AnimationRows.all + TransportRows.all
        + ProcessorRows.all + StoreRows.all + TestSupportRows.all

    @Test(arguments: table) func itResumes_whereItWasCalled(_ row: Row) async throws { try await check(row) }

    /// The error of an actor passes a wrapper, which may not return to its caller's actor.
    @Test(arguments: LoadRows.all + SequenceRows.all + CacheRows.all)
    func overAStoreThatThrows_itResumes_whereItWasCalled(_ row: Row) async throws {
        try await LoaderStage.$store.withValue(WrappedStore(FailingStore())) { try await check(row) }
    }

    private func check(_ row: Row) async throws {
        for (index, makeScenario) in row.scenarios.enumerated() {
            for site in Sites.make() {
                let scenario = try await makeScenario()
                let resumption = Resumption()
                let end = try await scenario.run(from: site, resumption)
                let here = Resumption.Note(actor: ObjectIdentifier(site), isCurrent: true)
                #expect(end == scenario.end, "scenario \(index) from \(type(of: site))")
                #expect(resumption.notes == [here, here], "scenario \(index), \(end), from \(type(of: site))")
            }
        }
    }
}

/// The table contains every function, with errors for those that throw.
@Suite struct IsolationTableTests {
    /// The functions of the library, read once.
    private static let library = Result { try PublicFunction.all(in: "Alcedo") }
    private let declared: [PublicFunction]

    init() throws { declared = try Self.library.get() + PublicFunction.all(in: "AlcedoTestSupport") }

    @Test func everyPublicAsyncFunction_hasOneRow() {
        #if !os(Linux)
        let absent = ["CurlDataLoader."]
        #elseif !Encryption
        let absent = ["EncryptedStore."]
        #else
        let absent: [String] = []
        #endif
        let expected = declared.map(\.name).filter { name in !absent.contains { name.hasPrefix($0) } }
        #expect(IsolationTests.table.map(\.name).sorted() == expected.sorted())
    }

    /// Functions of the test kit may throw only for cancellation.
    @Test func everyThrowingFunction_isTestedWithAnError() async throws {
        let throwing = Set(declared.filter(\.isThrowing).map(\.name))
        let library = try Set(Self.library.get().map(\.name))
        for row in IsolationTests.table where throwing.contains(row.name) {
            var ends: [Scenario.End] = []
            for makeScenario in row.scenarios { ends.append(try await makeScenario().end) }
            #expect(ends.contains(.error) || !library.contains(row.name) && ends.contains(.cancelled), "\(row.name)")
        }
    }
}
#endif

/// Checks the search for functions, on which the completeness of the table depends.
@Suite struct PublicFunctionTests {
    private func names(_ source: String) -> [String] { PublicFunction.all(of: source).map(\.name) }

    @Test func functionsAndGetters_areFound() {
        let source = """
            public final class A<Value>: Sendable {
                public func one(_ a: Int, for b: [String: Int] = [:], _ work: () async -> Void = {}) async {}
                public func two(
                    c: Int?
                ) async throws(E) -> Int {
                    0
                }
                public func three<T>(t: T)
                    async throws -> T
                {}
                public struct B {
                    public var four: Int { get async { 4 } }
                    public var five: Int {
                        get async throws { 5 }
                    }
                    public init(_ b: Int) async {}
                }
                public static func six() async {}
            }
            extension A<Int> {
                // public func comment() async {}
                @discardableResult
                public nonisolated func seven() async throws(Never) -> Int { 7 }
            }
            public protocol P: Sendable {
                func eight() async throws
                var nine: Int { get async }
            }
            public actor C {
                public func ten(a: Int) throws(E) -> Int { 10 }
                public var eleven: Int { 11 }
                public nonisolated func twelve() {}
                public nonisolated var thirteen: Int { 13 }
                public static func fourteen() {}
                public init(a: Int) throws {}
                public struct D {
                    public func fifteen() {}
                }
            }
            """
        #expect(
            names(source) == [
                "A.one(_: Int, for: [String: Int], _: () async -> Void)", "A.two(c: Int?)", "A.three(t: T)", "A.B.four",
                "A.B.five", "A.B.init(_: Int)", "A.six()", "A.seven()", "P.eight()", "P.nine", "C.ten(a: Int)",
                "C.eleven",
            ])
        let throwing = PublicFunction.all(of: source).filter(\.isThrowing).map(\.name)
        #expect(throwing == ["A.two(c: Int?)", "A.three(t: T)", "A.B.five", "P.eight()", "C.ten(a: Int)"])
    }

    @Test func whatIsNotPublicOrNotAsync_isNot() {
        let source = """
            public struct A {
                func one() async {}
                package func two() async {}
                public func three(_ work: () async -> Void) -> Int { 3 }
                public var four: @Sendable () async -> Void
                public var five: Int { 5 }
                public init(six: @escaping () async throws -> Void) {
                    Task { await six() }
                }
            }
            protocol P {
                func seven() async
            }
            """
        #expect(names(source) == [])
    }
}

/// Checks the notes on which the tests depend.
@Suite struct ResumptionTests {
    @Test func aNote_tellsWhetherTheRuntimeAgrees() async {
        for site in Sites.make() {
            let resumption = Resumption()
            _ = await site.run({ _ in }, resumption)
            #expect(resumption.notes == [.init(actor: ObjectIdentifier(site), isCurrent: true)])
            #expect(await Task.detached { isCurrentUnchecked(site) }.value == false)
        }
    }
}

/// Calls ``isCurrent(_:)`` as code on the wrong actor does.
private func isCurrentUnchecked(_ actor: any Actor) -> Bool {
    unsafeBitCast(isCurrent as (isolated (any Actor)?) -> Bool, to: (((any Actor)?) -> Bool).self)(actor)
}
