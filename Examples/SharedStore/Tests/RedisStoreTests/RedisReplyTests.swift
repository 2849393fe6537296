import Foundation
import Testing

@testable import RedisStore

@Suite struct RedisReplyTests {
    private func replies(_ text: String, inPieces size: Int) throws -> [RedisReply] {
        var parser = RedisReplyParser()
        var replies: [RedisReply] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            parser.append(bytes[start..<min(start + size, bytes.count)])
            while let reply = try parser.next() { replies.append(reply) }
        }
        return replies
    }

    @Test(arguments: [1, 2, 3, 7, 1_000]) func replies_areAssembledFromAnyPieces(_ size: Int) throws {
        let text = "+OK\r\n:-7\r\n$5\r\na\r\nbc\r\n$0\r\n\r\n$-1\r\n*-1\r\n*2\r\n$1\r\nx\r\n*1\r\n:1\r\n-ERR no\r\n"
        #expect(
            try replies(text, inPieces: size) == [
                .status("OK"), .integer(-7), .bytes(Data("a\r\nbc".utf8)), .bytes(Data()), .null, .null,
                .array([.bytes(Data("x".utf8)), .array([.integer(1)])]), .error("ERR no"),
            ])
    }

    @Test(arguments: [
        "?\r\n", ":x\r\n", "$-2\r\n", "$999999999999\r\n", "*99999999\r\n", "\r\n",
        String(repeating: "*1\r\n", count: 9),
    ])
    func wrongReplies_areErrors(_ text: String) {
        #expect(throws: RedisError.unexpectedReply) { try replies(text, inPieces: 1_000) }
    }
}
