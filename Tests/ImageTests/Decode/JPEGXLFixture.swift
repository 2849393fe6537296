import Foundation

/// Small files of JPEG XL, made by libjxl's encoder, without loss unless they say otherwise.
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
    /// 600 × 520 of one color, in six sections.
    case large = """
        /wo6EOhKgEgIAgEAfAAAAMACLMABLMACHEABFEABSyg2Jp8rBQkBUG+MMW6McS8QAQCgIE0AIAHxAQBMAdNWWgAQHRmEkHMB01ZaABAdGYSQ\
        cwGDVBsBkHMB01ZaABAdGYSQcwHTVloAEB0ZhJBzAYNUGwGQcwEjCzsDACMLOwMAQ9ysAQA=
        """
    /// 264 × 264 of coarse texture, with loss, in four groups.
    case lossy = """
        /wo4mAEKAQAAAAcAOABYAFiaBxE8QxhKkTUD4Led2jxJ3xusvmwKYhMsBBDzhqUzzJ0LbXPVXtjoQFSgVdYdb4K8etf2o3ddhUzbdV0VIoCCps\
        RgiRgdEWMMQ2WEIVwGBwC2dMc5uepOAShp0yhXsyRxKl8n3Vq25EykW9GatJk0q9qPRYmGTXtQzzBkCGPmhXIwZDSbUEM0NAOGV2kaezYa5KK9\
        MXwNER//wWke/zPkQ8Hs+EGoGA/5kiuXNCTUkR3Gggdmms1BHXGMRLTXAnteSQqnAhOE+ID+FTLTv7BiFlSG03ingKOPG8e/bBbAyiJiMKaK2g\
        KL4pqQ0KuoaOGQ/jBWSXnKn8LlUoQvpgWf2+Hud2ejkKn5vuo36WH4I0WwjFU+TMpL0dFeEvjVZpYl9MsWRgT3nbxZ0KFSjQ0JgolhElMEaZ4c\
        yDOxVKDcLUjqopcf802jfjHQy3aGqB6DYls9ug1DaXOI8i4qyW5Y9pYYDUovZ0agWbV3I0i80bcftSSu5hol+7cI/CYvYaPzGr4WJVflffBJBx\
        iL3lFtwX1CuBBCpd+dcpeM1n5aw4n4Tr3n0eP94fCWwZFDEOFCzCN3e7vkjUsb4AMFogEAiIFSHET2gIAHEABBUBUAgAqVUcYNXs71fPmhw2La\
        xnWGttq2AAAAAB5AvpJECkR2O/BUlYysuCYbNqr6+gAAoN+efnsEAoEAAAAcCIBolCRSUFBQUOyAoTuQBc1wjDFmjIgxIiJGh/dFkW50JrWZf4\
        SOgTixeSTDYrGLFQs2gPEIoOQGFk1gE1qBcwAYYvk4lowb3uyc5xQ/UaUTGi3VRCRt4LgRgFVo6MBU+Z1QhprA6kWzOmylJYuGSUXkoUIxTNTI\
        U5DDbBWqVWD3gI0Nxai4lVCsNpR0dIFrAoZd8Sgdj1SBz2YU1fTAIRWR4NCkeL2cEeFSkBLFcRU+B5hQV92b1EQnNWwNNN5fX7pQ9HLFIw0diA\
        VmAZkr4FhL9EkVsbLBBSZFN9VQMOOlZORnslscfqkRwAzMZKxIgRVhRaNGOzXAOalJG0vQCyHMYLzSxXGMiy5gCiayzvMEDZg9MUsQUhP9d5RZ\
        IznnzXujmIk/0qby7UwkwYCs1q4kagyUSCo3gYckul7akw9DqpulEans3lcLYZWbwD9CzCFWxfpjMZyB3uWV2VHbQAAVYiGegDinSLgjAPkCSC\
        jDNkaKj6yV6BPUaLQdgyfuSnVxEE0dzOxmMwQgIqIUKTeb57/2Rdi0rix3lYsmhPOj6VMQRSDRTGB6lAZgBK4LPkiU4tSwT+WuIoo1N6O5ZISz\
        vWieDswFmor90RUL/gjA/L8GrgYcIIAJ5P/t/9//X1U//2n9Yyc7/QcFpgbiPwL/fwd03zr9/3v//3////+pT0EFdhUHaYT89/5X/6HMLQXaSv\
        q81P6rB3aX1P0/qEvBM2moBGMGxIeU1ewJxvz/nX8ABv4v/cEFGv0LfQd9B30HfQd9B30Hf4cNGKTjHQ0omRQUFDQBMGBYGYMhpbESAEjHu8wY\
        Y4w5Ux/3VrsxBqsfohDiV4c4JJsCnGWWku8+ZSeXCWAy86jeI5J7f4V4F0WIXzvIh7U1XoKqJ+gwlQaNTiX2eEohWn/BFOZbqLwBPsVwzurokt\
        yKWVj6LkgOv2JGWtm2ct9aRnT/40VaAzPq7K36Aiw0h8lWOK7wqY/0OKvM6L1LCvuxHUPNvGKmIls2TmjU4hAkfeEDgUGJ+cMyzuTxr6XlLJJ1\
        qKRpTmaVD3dD/9CdfXXXNSr+p1VBW0xEei1Lw4Qdet3U/25G1rJE9Ofch3LF0QNJ+ejTvPEKK0/MheOZ+EtYTAVKhzqhBfz/2Qtraq9e6TQScp\
        c4FbGpVA24n5S7ybSK8lvrl6hbKuHGMDWS4Ij0+JZjEXWtDE1K1isU+aq5T6TN8Q3I71U57cWsgk4GLdXoEL9cWBFvsCnwBZVXygh9ZgRSbA2G\
        o6C1j8yTOx8QBP5ZqUhXUzqOdAJxrR55izf+5lyE13tQ49dK4VUkDmNOEd+bzFoavzfoA45j98cqZ2I6iTXqYwcZ9vteznNZxVQTnpskirkEiD\
        nwGHLTrcCH4r7KxfEbLVlwW7bV5K8pInzF75Gu+Q1SMWXjeEW6GbDlSDZQ4foLTqJshlDTlHE0NRwBJifpJD6VMJmuTajVe0hS5TG43ok8GAN2\
        OuFpmv7DniI2cYoV9EyL4zztccjzAeZk77CircJzCPQNVFWiXUEWmeQ5WzftKPGrquCpGdPlWMNH+QYz+BpC2N03rGKFkRXQuViYgbW5YcQkbT\
        HrFsb3FHKyuuM/q5bUtUVVWrbHQ24sotoSAF0UfkqRS+A/5+2VO4kRlrNb8sdlFFdTSFPjBNbCNlNzxjqaMNfQSEII3bnUkgxUsg87mNUVq8ng\
        pnRZOojNFHFzqNy1xc9PPJXQtDpXvTSkni+Rw9rxikDZSStE7BxOr1JQlJW3rRbnd0Kbqae9qphUZZ8YqVIf6/oAKPeC8t6vtJSfT/3Sdaa4x/\
        NNCY+Llj9jbORfURaWJKYqVJIkNkpJucsNfUu+MO8QfcVUgylG5RZ0iNtENgqHzFpPz3u9LcDqXVtKtcp9rjnTfHqugGEEPQuSk2krGlCAvEu2\
        cgYSGm1qx1nLEqJJ8Z2Y842HhM7C5gfvj6xLOA/1DoTwV2M+yme3O+AmEAxKtx+tv7PeL7kMvBNDZVyli+oyL2AKeBYdHplmbPSCbLcr2V4wfT\
        T2k1YBn2JH93+hp47anqFQKMmNHswpgVjlvWMRyCW2xHwGBxByW1fAcboqJbV50PmQoPLqnC75L8Op2mwxXs1r5qoRJDqLfQusHv6FhpVVYJVZ\
        gPJPwbSqAjiUBQDdjcPbH7p3ODQ0eoFD0djbEbhdx6SVtsQQcWhp+bdTANg/Qf5U+WUvv5uKtTGtX40+maXbA7TQxvqFEBQWAA==
        """
    /// 300 × 280 of soft colors, with loss, after a frame that has an eighth of the resolution.
    case progressive = """
        /wq4CFYOCgEAABkAADgAWABYCkQ4AY2Uo2Oj7PwaACj9Rvpzgge1f3+SEDdXw3C4B34VANkEIrkLpfwgpARyZsosXgDLBK8FQDYIcSSJpFFdyd\
        JkBCCCyGZQOxoAQpNWMACYT2cYwqYoQ4SGxMO0m3GA5AmbAxGA/Z2JygZxMW7YMKKw4Pm67CiqvUT3S0ksbV2Sv2uCNNmp1slrqdbl4j8HKgNY\
        EhoLuq04cfw+QkYcxvZDyCwfaOOuPi1B7KHSc7gSpu0YNQIC1vT8pgAjY1rIrlIL80b3nJXjoRRSYxh0SaAw7w5MP2xEs70QMvvvznoGxU9XND\
        ROmNGFzzbjOaVMnbMaNcgirUvWqG4LSky5cmP0xgw/7gDJdbAetTU1Ph9u2cFuf07DfE8oCb1hmylTgBycU6A/qL6DiRzDpnzHgaJilc1ZUvuc\
        NWLbujywGoALEILqY0pnLgBgei9Utwkvvrou86w7eMrIWFylHYhNNHD5Yhz0HRngogQNEOJxJeAeILw8ajIyUqx+3jQY6Qa/NsVSkb1RqzMUlc\
        6bsAz598buQklNBd4O9iSmz8neq5pD6OF32aiLif54iTa8qA0netyKkKJ1wXCTg/kP7QU/Ep0CgCR5SScvVchfW8IJ06yJjNkxwyLiwpJdIDLK\
        rBbMJ2x1U8gy1rw4gmqswQIbZWZCpGhEWeuFe+IVrST/YGjJo1Y+VwxYK3uSZH9DZI4QMps/TMoWRQS791V7A2fYhVFz+NCO1Z+C750SqP8FUH\
        sosfDD7sxI+v+TMdgvm5QJ35VT/YCc/GzU2X01nIat2BQFOZQ0ds2XLABmpB3TZgCYF+lfNU7Rtee5EAORHWcAZbHWDPMCvHJiIW25zQCXcf/3\
        zgDCt7So7InJCN82zRDj34yAm/8RneXX+Mn93RgGAO5U2wFQ0R81SWOuIt3RIdDVEYsn26RmkAVUULcHKjzQO/CF//kCmAAGJ4BLpJNPN6aLHx\
        lSdWC3S6SeDifCSzkm1kEzyyXa49Z+KUok2vaAe2dSOmGjjfs/9aRzfZTevRDvrW9kWT7xAwv4nvjZDk3/gmKC1XuCOKba0amgRWF41U1BFRQY\
        fR9w5vz3j/pXCTQlX/MO0iXteUDjoiv8sUH2muiIXArvkKuCP+QrkF3borc+PgJzN/DznwAdNBjptw8zOWNGNVL1ARVWaKLASyUAHq7r5GA2DA\
        4Isdd9S0ZE39HgG2VSiGIn8hlvbqSlcRQdOQ4OTSOPBmCccj3sNesM/uJDB4AP+im52+fmDXQLRF1T2oknDLpCldf4JPY/SJikaYIeYXWlsPM9\
        Nup/qGKyORafj+pS3xFhZVAHAprAF1Yp0uHGsgNHYJsXiGpVxEvnh+/YzqjnwySTeT+uZ+DDBKIBAEyBEByADTCABBgA00EJAIAKlVHGDV7O9X\
        z5ocNi2sZ1hrbatrAkkQKR3Q48VSUjK67Jho2qvj4AAOi3p98egUAgAAAAJVXNf1JQUFCYgrDdDsiJwakYxhjDGMMYQwNJmHrrEpeu1+T57F9I\
        S78gPWwditZmSH/NmfHtWWYTgN1D2yxRNIQuwzBrIkDDlyQNUp+qqtZPVVKcHIUJQbwD7gNRSIEZhmZM4m0ZAquN//JV6vkv5JeI3HL/8MUYw1\
        mD7YdZPCxpSMLFFLDCZ5j1GE9VV13UeM9PD50VieD3p6gBAJHl0zwIkeB4xukKAIHTo1xaLM5ufplae1ALLUZ+AIAh
        """

    var data: Data { Data(base64Encoded: rawValue) ?? Data() }

    /// A color of the pictures of several colors.
    static func color(_ x: Int, _ y: Int, frame: Int = 0, hasAlpha: Bool = false) -> SIMD4<UInt8> {
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

    /// The head of a codestream whose pictures have colors of the format's own.
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

    /// A part of a frame's head that has extensions.
    enum Part { case filter, frame }

    /// A number of 64 bits, of which the highest four are set, and the length of the last extension: none.
    private mutating func addHighBits() {
        add(3, bits: 2)
        add(0, bits: 12)
        for _ in 0..<6 { add(1, bits: 9) }
        add(1, bits: 1)
        add(8, bits: 4)
        add(0, bits: 2)
    }

    /// The head of a frame with another size than the picture, followed by the length of its only section, if it has
    /// one.
    mutating func addFrame(
        width: Int, height: Int, kind: Int = 0, isLast: Bool = true, length: Int = 0, extensionsOf part: Part? = nil
    ) {
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
        // No name.
        add(0, bits: 2)
        if part == .filter {
            // No smoothing, and extensions.
            add(0, bits: 4)
            addHighBits()
        } else {
            add(1, bits: 1)
        }
        if part == .frame { addHighBits() } else { add(0, bits: 2) }
        // No order.
        add(0, bits: 1)
        align()
        add(0, bits: 2)
        add(length, bits: 10)
        align()
        bytes += [UInt8](repeating: 0, count: length)
        align()
    }
}
