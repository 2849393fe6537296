import Alcedo
import Foundation
import Testing

@testable import AlcedoTool

@Suite struct ViewOptionsTests {
    @Test func defaults() throws {
        let options = try ViewOptions(["a.png", "http://h/b.png"])
        #expect(options.texts == ["a.png", "http://h/b.png"])
        #expect(options.columns == nil && options.graphics == .auto && options.cache.directory == nil)
        #expect(options.cache.readPolicy == .http && !options.readsInput)
    }

    @Test func options_areRead() throws {
        let options = try ViewOptions([
            "--columns", "5", "--graphics=kitty", "--cache", "dir", "--offline", "--jobs", "3", "--header", "X: y",
            "--user-agent", "me", "-", "a.png",
        ])
        #expect(options.columns == 5 && options.graphics == .kitty && options.cache.directory == "dir")
        #expect(options.cache.readPolicy == .cachedOnly && options.readsInput)
        #expect(options.network.jobs == 3)
        #expect(options.network.headers["X"] == "y" && options.network.headers["User-Agent"] == "me")
        #expect(try ViewOptions(["--revalidate", "a"]).cache.readPolicy == .revalidate)
    }

    @Test(
        arguments: [
            ([], "no URL"), (["-", "-"], "- is given twice"),
            (["--columns", "0", "a"], "--columns must be a whole number from 1 to 100: 0"),
            (["--graphics", "sixel", "a"], "--graphics must be one of auto, blocks, kitty: sixel"),
            (["--offline", "--revalidate", "a"], "--revalidate and --offline can't be used together"),
        ])
    func invalidArguments_areRefused(_ arguments: [String], _ reason: String) {
        #expect(throws: UsageError("view", reason)) { try ViewOptions(arguments) }
    }

    @Test func items_areInOrder_withTheListInItsPlace() {
        let list = "\u{FEFF}http://h/1.png\n\n# comment\n  2.png \r\nhttp://h/\n"
        let items = ViewItem.all(of: ["a.png", "-", "http://h/dir/z.png?x=1", ""], list: Data(list.utf8))
        #expect(items.map(\.text) == ["a.png", "http://h/1.png", "2.png", "http://h/", "http://h/dir/z.png?x=1", ""])
        #expect(items.map(\.name) == ["a.png", "1.png", "2.png", "h", "z.png", ""])
        if case .success = items[5].request { Issue.record("an empty text is a picture") }
        #expect(ViewItem.all(of: ["-"], list: Data("\n".utf8)).isEmpty)
    }
}
