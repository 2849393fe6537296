import Foundation

/// A reply in Redis's protocol (RESP2).
enum RedisReply: Sendable, Equatable {
    case status(String)
    case error(String)
    case integer(Int)
    case bytes(Data)
    case array([RedisReply])
    case null

    var bytes: Data? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }
    var array: [RedisReply]? { if case .array(let array) = self { array } else { nil } }
}

/// Assembles replies from the bytes that a server sends.
struct RedisReplyParser {
    private var buffer: [UInt8] = []

    /// Limits on what a server may announce.
    private static let (mostBytes, mostElements, mostLevels) = (512 << 20, 1 << 20, 8)

    mutating func append(_ bytes: some Sequence<UInt8>) { buffer += bytes }

    /// Returns the next reply; nil if it isn't complete yet.
    mutating func next() throws(RedisError) -> RedisReply? {
        var position = 0
        guard let reply = try reply(at: &position, level: 0) else { return nil }
        buffer.removeFirst(position)
        return reply
    }

    private func reply(at position: inout Int, level: Int) throws(RedisError) -> RedisReply? {
        guard let line = line(at: &position) else { return nil }
        guard let kind = line.first, level < Self.mostLevels else { throw .unexpectedReply }
        let text = String(decoding: line.dropFirst(), as: UTF8.self)
        switch kind {
        case UInt8(ascii: "+"): return .status(text)
        case UInt8(ascii: "-"): return .error(text)
        case UInt8(ascii: ":"):
            guard let number = Int(text) else { throw .unexpectedReply }
            return .integer(number)
        case UInt8(ascii: "$"):
            guard let count = Int(text), (-1...Self.mostBytes).contains(count) else { throw .unexpectedReply }
            if count < 0 { return .null }
            // The bytes are followed by a line break.
            guard buffer.count - position >= count + 2 else { return nil }
            defer { position += count + 2 }
            return .bytes(Data(buffer[position..<position + count]))
        case UInt8(ascii: "*"):
            guard let count = Int(text), (-1...Self.mostElements).contains(count) else { throw .unexpectedReply }
            if count < 0 { return .null }
            var elements: [RedisReply] = []
            for _ in 0..<count {
                guard let element = try reply(at: &position, level: level + 1) else { return nil }
                elements.append(element)
            }
            return .array(elements)
        default: throw .unexpectedReply
        }
    }

    /// The line that begins here, without its line break; nil if it isn't complete.
    private func line(at position: inout Int) -> ArraySlice<UInt8>? {
        guard let end = buffer[position...].firstIndex(of: UInt8(ascii: "\r")), end + 1 < buffer.count else {
            return nil
        }
        defer { position = end + 2 }
        return buffer[position..<end]
    }
}
