#if os(Linux)
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// `alcedo view` on a terminal of the test's own, with pictures of one color each from a server of the test's own.
struct ViewFixture {
    typealias Process = ToolProcess<CellScreen>

    let temporary: TemporaryDirectory
    let server: LoopbackServer

    /// - Parameter reply: What is sent for the picture with a number; nil for the picture.
    init(_ reply: @escaping @Sendable (Int) -> LoopbackServer.Reply? = { _ in nil }) throws {
        let pictures = try (0..<40).map { try Self.png($0) }
        temporary = try TemporaryDirectory()
        server = try LoopbackServer { request in
            let number = Self.number(of: request.path)
            guard pictures.indices.contains(number) else { return .status(404) }
            return reply(number) ?? .bytes(pictures[number]).header("Cache-Control", "max-age=600")
        }
    }

    static func color(_ number: Int) -> RGB { RGB(UInt8(number * 6), 100, UInt8(255 - number * 6)) }

    static func png(_ number: Int) throws -> Data {
        let color = color(number)
        return try PNGEncoder().encode(Pictures.plain(64, 48, [color.red, color.green, color.blue, 255]))
    }

    /// An endless animation of one color after the other.
    static func gif(_ colors: [SIMD4<UInt8>]) throws -> Data {
        let frames = try colors.map { AnimationFrame(try Pictures.plain(40, 30, $0), delay: .milliseconds(60)) }
        return try GIFEncoder().encode(frames, loopCount: .forever)
    }

    /// The number in "/7.png".
    static func number(of path: String) -> Int { Int(path.dropFirst().prefix { $0 != "." }) ?? -1 }

    func url(_ number: Int) -> String { server.url("/\(number).png").absoluteString }

    /// Runs the program with so many pictures, and waits for nothing.
    func view(
        _ count: Int, _ options: String..., on screen: CellScreen = CellScreen(), script: String = #"exec "$0" "$@""#
    ) throws -> Process {
        // Held responses are waited for however long the tests take.
        let arguments = ["view", "--timeout", "3600"] + options + (0..<count).map { url($0) }
        return try Process(arguments, screen: screen, in: temporary, script: "echo before; " + script)
    }
}

extension CellScreen {
    /// Whether the grid shows these pictures in their colors.
    func shows(_ numbers: Range<Int>, columns: Int? = nil) -> Bool {
        let layout = GridLayout(size, columns: columns)
        return numbers.enumerated().allSatisfy { position, number in
            color(in: layout.picture(position)) == ViewFixture.color(number)
        }
    }

    /// Whether the tile at a position has the marks of the selection.
    func isSelected(_ position: Int) -> Bool {
        let tile = GridLayout(size, columns: nil).tile(position)
        return cells[tile.row][tile.column].character == "▐"
            && cells[tile.row + tile.height - 1][tile.column + tile.width - 1].character == "▌"
    }
}
#endif
