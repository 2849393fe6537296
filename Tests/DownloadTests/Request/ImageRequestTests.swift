import Alcedo
import Foundation
import Testing

struct ImageRequestTests {
    @Test func description_hasMethodAndURL_withoutSecrets() throws {
        var request = ImageRequest(url: try #require(URL(string: "https://ann:secret@example.com/a.png?b=1#c")))
        request.headers["Authorization"] = "Bearer token"
        #expect("\(request)" == "GET https://example.com/a.png?b=1#c")
        request.method = .post
        #expect("\(request)" == "POST https://example.com/a.png?b=1#c")
        #expect("\(ImageRequest(data: Data([1]), id: "picture 7"))" == "provided bytes picture 7")
    }
}
