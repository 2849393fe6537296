import Alcedo
import AlcedoTestSupport
import Testing

struct OrientationTests {
    /// The upright rows of the stored picture "abc/def", by the definitions of EXIF tag 0x0112.
    private static let upright: [(Orientation, String)] = [
        (.up, "abc/def"), (.upMirrored, "cba/fed"), (.down, "fed/cba"), (.downMirrored, "def/abc"),
        (.leftMirrored, "ad/be/cf"), (.right, "da/eb/fc"), (.rightMirrored, "fc/eb/da"), (.left, "cf/be/ad"),
    ]

    @Test(arguments: upright)
    func orientation_isApplied(_ orientation: Orientation, _ expected: String) throws {
        let stored = try Self.picture("abc/def")
        #expect(try stored.upright(from: orientation, limits: DecodeLimits()) == Self.picture(expected))
    }

    @Test(arguments: Orientation.allCases)
    func orientation_isReversed(_ orientation: Orientation) throws {
        let back: [Orientation: Orientation] = [.right: .left, .left: .right]
        let stored = try Pictures.noise(37, 21, seed: 3)
        let turned = try stored.upright(from: orientation, limits: DecodeLimits())
        #expect(turned.size.width == (orientation.swapsSides ? 21 : 37))
        #expect(try turned.upright(from: back[orientation] ?? orientation, limits: DecodeLimits()) == stored)
    }

    @Test func uprightCostsNothing() throws {
        let stored = try Pictures.gradient(4, 4)
        #expect(try stored.upright(from: .up, limits: DecodeLimits()) === stored)
    }

    private static func picture(_ rows: String) throws -> Bitmap {
        let rows = rows.split(separator: "/").map { Array($0.utf8) }
        return try Pictures.make(rows[0].count, rows.count) { x, y in [rows[y][x], 0, 0, 255] }
    }
}
