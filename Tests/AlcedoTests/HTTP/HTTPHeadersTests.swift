import Testing

@testable import Alcedo

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
        #expect(headers.fields.map(\.name) == ["B"])
    }
}
