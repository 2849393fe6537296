import Foundation

/// Writes ICC profiles of a matrix and a curve (ICC.1, version 2), valid or not.
struct ICCFixture {
    typealias Color = (x: Double, y: Double, z: Double)

    /// The primaries of sRGB, adapted to D50.
    static let red: Color = (0.4361, 0.2225, 0.0139)
    static let green: Color = (0.3851, 0.7169, 0.0971)
    static let blue: Color = (0.1431, 0.0606, 0.7141)

    var space = "RGB "
    var colors = [red, green, blue]
    var gamma = 2.2

    var data: Data {
        let curve = Array("curv".utf8) + Self.long(0) + Self.long(1) + Self.word(Int(gamma * 256)) + [0, 0]
        var tags: [(String, [UInt8])] = [("wtpt", Self.xyz((0.9642, 1, 0.8249)))]
        if space == "GRAY" {
            tags.append(("kTRC", curve))
        } else {
            tags += zip(["rXYZ", "gXYZ", "bXYZ"], colors).map { ($0, Self.xyz($1)) }
            tags += ["rTRC", "gTRC", "bTRC"].map { ($0, curve) }
        }
        var (table, contents): ([UInt8], [UInt8]) = (Self.long(tags.count), [])
        let start = 128 + 4 + tags.count * 12
        for (name, content) in tags {
            table += Array(name.utf8) + Self.long(start + contents.count) + Self.long(content.count)
            contents += content
        }
        var header = Self.long(start + contents.count) + [0, 0, 0, 0, 2, 0x40, 0, 0]
        header += Array("mntr\(space)XYZ ".utf8) + [UInt8](repeating: 0, count: 12)
        header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        header += [0.9642, 1, 0.8249].flatMap(Self.fixed)
        return Data(header + [UInt8](repeating: 0, count: 128 - header.count) + table + contents)
    }

    private static func xyz(_ color: Color) -> [UInt8] {
        Array("XYZ ".utf8) + long(0) + fixed(color.x) + fixed(color.y) + fixed(color.z)
    }

    private static func fixed(_ value: Double) -> [UInt8] { long(Int((value * 65_536).rounded())) }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

    private static func long(_ value: Int) -> [UInt8] { word(value >> 16) + word(value & 0xFFFF) }
}
