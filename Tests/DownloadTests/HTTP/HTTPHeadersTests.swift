import Alcedo
import Testing

@Suite struct HTTPHeadersTests {
    @Test func names_areFoundInAnyCase() {
        let headers: HTTPHeaders = ["Content-Type": "image/png"]
        #expect(headers["content-TYPE"] == "image/png")
        #expect(headers["content-typ"] == nil)
    }

    @Test func severalFieldsOfOneName_areJoined() {
        let headers = HTTPHeaders([("Vary", "Accept"), ("X", "1"), ("vary", "Origin")])
        #expect(headers["VARY"] == "Accept, Origin")
    }

    @Test func setting_replacesAll_andNilRemoves() {
        var headers = HTTPHeaders([("A", "1"), ("a", "2"), ("B", "3")])
        headers["A"] = "4"
        #expect(headers["a"] == "4")
        headers["a"] = nil
        #expect(headers.map(\.name) == ["B"])
    }

    /// Servers compare bytes. An é of two characters is another value.
    @Test func values_areEqual_ifTheirBytesAre() {
        let composed: HTTPHeaders = ["A": "\u{E9}"]
        #expect(composed == ["A": "\u{E9}"] && composed != ["A": "e\u{301}"])
    }
}

/// Headers as a collection.
@Suite struct HTTPHeadersCollectionTests {
    @Test func fields_keepTheirOrder_andMayRepeat() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers.append(HTTPHeaders.Field(name: "a", value: "3"))
        #expect(headers.count == 3 && headers[2].value == "3")
        #expect(headers.map(\.name) == ["A", "B", "a"])
        #expect(headers["a"] == "1, 3" && headers.values(of: "A") == ["1", "3"])
        headers.append(contentsOf: headers.filter { $0.name == "B" })
        #expect(headers.last == HTTPHeaders.Field(name: "B", value: "2"))
        #expect(HTTPHeaders(headers.reversed()).first?.name == "B")
        #expect(HTTPHeaders().isEmpty)
    }
}
