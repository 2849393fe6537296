import Foundation
import Testing

/// Every Swift listing that a reader sees is code that this target compiles.
@Suite struct ListingTests {
    private let regions: [Region]

    init() throws {
        regions = try Repository.listings.flatMap { try Region.regions(of: Repository.text(of: $0)) }
    }

    @Test func everyListing_isARegion() throws {
        for document in Repository.documents {
            for fence in try fences(of: document) {
                let isCompiled = regions.contains { $0.code == fence.code }
                #expect(isCompiled, "\(document):\(fence.line) is no region of Tests/DocTests/Listings")
            }
        }
    }

    @Test func everyRegion_isShownSomewhere() throws {
        let shown = try Repository.documents.flatMap { try fences(of: $0).map(\.code) }
        for region in regions {
            let isShown = shown.contains(region.code)
            #expect(isShown, "no document shows the region \(region.name)")
        }
    }

    /// At a width of 1,400 pixels, a page shows that many columns.
    @Test func listings_fitThePage() throws {
        for document in Repository.documents where document.hasPrefix("Docs/") {
            for fence in try fences(of: document) {
                let wide = fence.code.filter { $0.count > 87 }
                #expect(wide.isEmpty, "\(document):\(fence.line)")
            }
        }
    }

    @Test func theREADMEAndTheArticles_haveListings() throws {
        #expect(try fences(of: "README.md").count > 5)
        #expect(try Repository.documents.filter { $0.hasPrefix("Docs/Alcedo.docc/") }.flatMap(fences).count > 3)
    }

    private func fences(of document: String) throws -> [Fence] {
        try Fence.swiftBlocks(of: Repository.text(of: document), isSource: document.hasSuffix(".swift"))
    }
}

/// The comparison itself: that it takes differences of indentation only.
@Suite struct ComparisonTests {
    @Test func indentation_isTheOnlyDifferenceThatCounts_notAtAll() throws {
        let source = "func f() {\n    // region: a\n    if x {\n        y()\n    }\n    // endregion\n}\n"
        let region = try #require(Region.regions(of: source).first)
        #expect(region == Region(name: "a", code: ["if x {", "    y()", "}"]))
        let same = try Fence.swiftBlocks(of: "```swift\nif x {\n    y()\n}\n```\n", isSource: false)
        #expect(same.map(\.code) == [region.code])
        let other = try Fence.swiftBlocks(of: "```swift\nif x {\n    z()\n}\n```\n", isSource: false)
        #expect(other.map(\.code) != [region.code])
    }

    @Test func regions_mayLieWithinOthers_andGoOn() throws {
        let source = """
            // region: whole
            import A
            // endregion
            // region: whole
            // region: part
            let b = 1
            // endregion
            // endregion
            """
        let regions = try Region.regions(of: source)
        #expect(regions.first { $0.name == "whole" }?.code == ["import A", "let b = 1"])
        #expect(regions.first { $0.name == "part" }?.code == ["let b = 1"])
    }

    @Test func markersWithoutACounterpart_areErrors() {
        #expect(throws: Region.Unbalanced(line: 1)) { try Region.regions(of: "// region: a\nx\n") }
        #expect(throws: Region.Unbalanced(line: 2)) { try Region.regions(of: "x\n// endregion\n") }
        #expect(throws: Fence.Unclosed(line: 1)) { try Fence.swiftBlocks(of: "```swift\nx\n", isSource: false) }
    }

    @Test func onlySwiftBlocks_areListings() throws {
        let text = "```sh\nmake\n```\n```\nplain\n```\n```swift\nlet a = 1\n```\n"
        #expect(try Fence.swiftBlocks(of: text, isSource: false) == [Fence(line: 7, code: ["let a = 1"])])
    }

    @Test func inASource_onlyCommentsAreRead() throws {
        let text = "/// ```swift\n/// let a = 1\n/// ```\nlet b = \"```swift\"\n"
        #expect(try Fence.swiftBlocks(of: text, isSource: true) == [Fence(line: 1, code: ["let a = 1"])])
    }
}
