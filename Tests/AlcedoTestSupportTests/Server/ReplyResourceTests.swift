import Alcedo
import Foundation
import Testing

@testable import AlcedoTestSupport

@Suite(.timeLimit(.minutes(1)))
struct ReplyResourceTests {
    private let body = Data("0123456789".utf8)

    private func reply(_ headers: HTTPHeaders) -> LoopbackServer.Reply {
        .resource(
            body, contentType: "image/png", etag: "\"1\"",
            for: .init(method: "GET", target: "/", headers: headers, keepsAlive: true))
    }

    @Test func `a plain request gets everything, with the tag`() {
        let reply = reply([:])
        #expect(reply.status == 200)
        #expect(reply.body == body)
        #expect(reply.headers["ETag"] == "\"1\"")
        #expect(reply.headers["Content-Type"] == "image/png")
    }

    @Test func `the same tag gets 304`() {
        #expect(reply(["If-None-Match": "\"1\""]).status == 304)
        #expect(reply(["If-None-Match": "\"2\""]).status == 200)
    }

    @Test(arguments: [
        ("bytes=4-", "456789", "bytes 4-9/10"), ("bytes=2-3", "23", "bytes 2-3/10"),
        ("bytes=-3", "789", "bytes 7-9/10"),
        ("bytes=-99", "0123456789", "bytes 0-9/10"), ("bytes=8-99", "89", "bytes 8-9/10"),
        ("bytes=9-9223372036854775807", "9", "bytes 9-9/10"),
    ])
    func `a range gets 206`(field: String, text: String, contentRange: String) {
        let reply = reply(["Range": field])
        #expect(reply.status == 206)
        #expect(reply.body == Data(text.utf8))
        #expect(reply.headers["Content-Range"] == contentRange)
    }

    @Test(arguments: ["bytes=10-", "bytes=10-20", "bytes=-0"])
    func `a range outside gets 416`(field: String) {
        let reply = reply(["Range": field])
        #expect(reply.status == 416)
        #expect(reply.body.isEmpty)
        #expect(reply.headers["Content-Range"] == "bytes */10")
    }

    @Test(arguments: ["bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b"])
    func `a range that cannot be read is ignored`(field: String) {
        #expect(reply(["Range": field]).status == 200)
    }

    @Test func `a range of another version gets everything`() {
        #expect(reply(["Range": "bytes=4-", "If-Range": "\"2\""]).status == 200)
        #expect(reply(["Range": "bytes=4-", "If-Range": "\"1\""]).status == 206)
    }
}
