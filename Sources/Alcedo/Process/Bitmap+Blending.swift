extension Bitmap {
    /// Returns the image with a premultiplied pixel blended over all of it.
    func blended(with pixel: UInt32, _ mode: BlendMode, _ context: ProcessingContext) throws(ImageLoaderError) -> Bitmap
    {
        let width = size.width
        return try painted(size, context) { rows, memory in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: width) { scratch in
                scratch.initialize(repeating: pixel)
                guard let source = scratch.baseAddress else { return }
                for row in rows {
                    BlendRow(
                        source: source, destination: memory.source(row), target: memory.target(row), count: width
                    ).write(mode)
                }
            }
        }
    }

    /// Returns the image with another one, scaled to its size, blended over all of it.
    ///
    /// The other image is scaled in parts of 16 rows.
    func blended(
        with other: Bitmap, _ mode: BlendMode, opacity: Double, _ context: ProcessingContext
    ) throws(ImageLoaderError) -> Bitmap {
        if other.size == size {
            return try placed(other, at: (0, 0), mode, opacity: opacity, context)
        }
        let width = size.width
        let resampler = FloatResampler(from: other.size, to: size, .lanczos3, inLinearLight: false)
        let fader = Fader(opacity)
        return try painted(size, context) { rows, memory in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16 * width) { scratch in
                guard let scaled = scratch.baseAddress else { return }
                for first in stride(from: rows.lowerBound, to: rows.upperBound, by: 16) {
                    let part = first..<min(first + 16, rows.upperBound)
                    other.withPixels { resampler.write(part, of: $0, to: scaled) }
                    fader.fade(scaled, width * part.count, to: scaled)
                    BlendRow(
                        source: scaled, destination: memory.source(first), target: memory.target(first),
                        count: width * part.count
                    ).write(mode)
                }
            }
        }
    }

    /// Returns the image with the overlapping part of another one blended over it. The rest of the image doesn't
    /// change.
    ///
    /// - Parameter place: The column and row of the other image's first pixel.
    func placed(
        _ other: Bitmap, at place: (x: Int, y: Int), _ mode: BlendMode, opacity: Double, _ context: ProcessingContext
    ) throws(ImageLoaderError) -> Bitmap {
        let columns = (place.x..<place.x + other.size.width).clamped(to: 0..<size.width)
        let covered = (place.y..<place.y + other.size.height).clamped(to: 0..<size.height)
        guard !columns.isEmpty, !covered.isEmpty else { return self }
        let (width, fader) = (size.width, Fader(opacity))
        return try painted(size, context) { rows, memory in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: columns.count) { scratch in
                guard let faded = scratch.baseAddress else { return }
                for row in rows {
                    let (source, target) = (memory.source(row), memory.target(row))
                    target.update(from: source, count: width)
                    guard covered.contains(row) else { continue }
                    other.withPixels { pixels in
                        let above = pixels + (row - place.y) * other.size.width + columns.lowerBound - place.x
                        fader.fade(above, columns.count, to: faded)
                        BlendRow(
                            source: fader.isNeeded ? UnsafePointer(faded) : above,
                            destination: source + columns.lowerBound, target: target + columns.lowerBound,
                            count: columns.count
                        ).write(mode)
                    }
                }
            }
        }
    }

    /// Calls `body` with the first pixel.
    func withPixels(_ body: (UnsafePointer<UInt32>) -> Void) {
        withUnsafeBytes { bytes in
            guard let pixels = bytes.bindMemory(to: UInt32.self).baseAddress else { return }
            body(pixels)
        }
    }
}

/// Multiplies all channels of premultiplied pixels.
struct Fader: Sendable {
    /// The result for each value.
    private let table: [UInt8]
    /// Whether anything changes.
    let isNeeded: Bool

    /// - Parameter opacity: From 0 to 1.
    init(_ opacity: Double) {
        table = (0..<256).map { UInt8((Double($0) * opacity).rounded()) }
        isNeeded = opacity < 1
    }

    /// Writes `count` faded pixels, unless fading isn't needed.
    func fade(_ source: UnsafePointer<UInt32>, _ count: Int, to target: UnsafeMutablePointer<UInt32>) {
        guard isNeeded else { return }
        let bytes = UnsafeRawPointer(source).assumingMemoryBound(to: UInt8.self)
        let results = UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt8.self)
        table.withUnsafeBufferPointer { table in
            guard let table = table.baseAddress else { return }
            for index in 0..<4 * count { results[index] = table[Int(bytes[index])] }
        }
    }
}
