import Foundation

/// Small files of JPEG XL, made by libjxl's encoder, without loss.
enum JPEGXLFixture: String {
    /// 20 × 12.
    case rgb = """
        /wpYACaASAgCAQBcAUsoNcbeUuHwVlBQEhRgrMSsmnlICBtjjGFEDBbhQgQYAIj4uHf3Y4v2/0sQ0/AEFHxckpF3L+1UpdMAJT0SPHD//wtAyQ+g\
        yw+cMb0Gvuc9+bsI6mq4gQ==
        """
    /// 8 × 5 as stored, to be turned to the right.
    case turned = "/wogUAvEBAgCAQDIAEsYk46DgwlQYIYxxtA4NMYYI2KMOMAeE5AAgI7bM8o2KP9tk1MoEBI9IMkgfpIJIEsC"
    /// 12 × 9, with straight alpha.
    case alpha = """
        /wpAMLASCAgQAIABSxiTTuPg4KCkKBgpcGCMMUbHGI2dijFYI8bgRAzmCWfHGByNdoyxB9iDgGIBMDhEgXfIc3end+928WIFy7GwuBf/YZiZF5nR\
        GU8kEgjQw/sD+f9X1dNf1RR3K8k5gA8X
        """
    /// Three frames of 6 × 4 with alpha, of 50, 60 and 70 ms, twice.
    case moving = """
        /woYQEFIsCYICGABAADAAEsYk46Dg5kEiVRHFDsPYMoblAZ6gL3AYDAwMzNf8AFfYHd3H3jgAYfD4XCoqqqqKggIoAEAAOAASxiTjoODGUiUj5hu\
        AuulgR5gLzAYDHZaa62dgANwAh6KMcZYQAEFGBoaGhrKOeecc84555xzzhkICOBBAADkAEsYk46DgxlIHByhugXop2mgB9gLDAaD97TWWjsBB+AE\
        fFCMMcYCCijA0NDQ0FDOOeecc84555xzzg==
        """
    /// 8 × 6 in Display P3, by numbers.
    case p3 = "/wooMBCQyY0IAgEA1ABLGJOOg4MJCgqcHWNwONoxRuOgGGOMiDHiAHsbMAEA3/bus5/u/u5CnaJdJzqYdZhp0gJkAw=="
    /// 8 × 6 in PQ with 16 bits, in a container.
    case pq = """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAABpanhsY/8KKDABPwB59IjDAQAAACAIAgEALAFLGJvtTkFByIiGHGNw\
        v2NwNtYHEIkKNQCkDQoXLux1XLiwe3cgEAh0owcCAYFZDgGBf0IBgb9/QoQIETJ6JUSIUOG32cKFQbELFwY=
        """
    /// 600 × 520 of one colour, in six sections.
    case large = """
        /wo6EOhKgEgIAgEAfAAAAMACLMABLMACHEABFEABSyg2Jp8rBQkBUG+MMW6McS8QAQCgIE0AIAHxAQBMAdNWWgAQHRmEkHMB01ZaABAdGYSQ\
        cwGDVBsBkHMB01ZaABAdGYSQcwHTVloAEB0ZhJBzAYNUGwGQcwEjCzsDACMLOwMAQ9ysAQA=
        """

    var data: Data { Data(base64Encoded: rawValue) ?? Data() }

    /// A colour of the pictures of several colours.
    static func colour(_ x: Int, _ y: Int, frame: Int = 0, hasAlpha: Bool = false) -> SIMD4<UInt8> {
        let alpha = hasAlpha ? (x * 20 + y * 7) & 255 : 255
        func premultiplied(_ value: Int) -> UInt8 { UInt8(((value & 255) * alpha + 127) / 255) }
        return SIMD4(
            premultiplied(x * 9 + frame * 40), premultiplied(y * 11), premultiplied(x * 3 + y * 5), UInt8(alpha))
    }

    /// A container with these boxes.
    static func container(_ boxes: (String, [UInt8])...) -> Data {
        let start: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [13, 10, 0x87, 10]
        let all = [("ftyp", Array("jxl \0\0\0\0jxl ".utf8))] + boxes
        return Data(start + all.flatMap { long(8 + $0.1.count) + Array($0.0.utf8) + $0.1 })
    }

    static func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
}

/// Writes the bits of a codestream, the lowest of each byte first.
struct JPEGXLBitWriter {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func add(_ value: Int, bits: Int) {
        for bit in 0..<bits {
            if count % 8 == 0 { bytes.append(0) }
            bytes[count / 8] |= UInt8(value >> bit & 1) << UInt8(count % 8)
            count += 1
        }
    }

    /// Fills up the last byte.
    mutating func align() { count = bytes.count * 8 }

    /// The head of a codestream whose pictures have colours of the format's own.
    init(width: Int, height: Int) {
        bytes = [0xFF, 0x0A]
        count = 16
        // Not a multiple of eight pixels; numbers of thirty bits.
        add(0, bits: 1)
        add(3, bits: 2)
        add(height - 1, bits: 30)
        add(0, bits: 3)
        add(3, bits: 2)
        add(width - 1, bits: 30)
        // The metadata and the transform are the default ones.
        add(3, bits: 2)
        align()
    }

    /// The head of a frame with another size than the picture, followed by the length of its only section, if it has
    /// one.
    mutating func addFrame(width: Int, height: Int, kind: Int = 0, isLast: Bool = true, length: Int = 0) {
        add(0, bits: 1)
        add(kind, bits: 2)
        // Modular, no flags, not enlarged, groups of 1,024 × 1,024 pixels, one pass.
        add(1, bits: 1)
        add(0, bits: 2)
        add(0, bits: 2)
        add(3, bits: 2)
        if kind != 2 { add(0, bits: 2) }
        add(1, bits: 1)
        if kind != 2 { add(0, bits: 20) }
        for side in [width, height] {
            let forms = [(8, 0, 256), (11, 256, 2_304), (14, 2_304, 18_688), (30, 18_688, Int.max)]
            let form = forms.firstIndex { side < $0.2 } ?? 3
            add(form, bits: 2)
            add(side - forms[form].1, bits: forms[form].0)
        }
        if kind != 2 {
            // Replaces what it covers, of a place if it is partial.
            add(0, bits: 2)
            if width < 8 || height < 8 { add(0, bits: 2) }
            add(isLast ? 1 : 0, bits: 1)
        }
        if kind == 2 || !isLast { add(1, bits: 2) }
        if kind == 2 || !isLast && width >= 8 && height >= 8 { add(1, bits: 1) }
        // No name, the default filter, no extensions, and no order.
        add(0, bits: 2)
        add(1, bits: 1)
        add(0, bits: 2)
        add(0, bits: 1)
        align()
        add(0, bits: 2)
        add(length, bits: 10)
        align()
        bytes += [UInt8](repeating: 0, count: length)
        align()
    }
}
