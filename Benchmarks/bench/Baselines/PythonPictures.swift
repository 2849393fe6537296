import AlcedoTestSupport
import Foundation

/// A Python library, Pillow or libvips, in a separate process that runs and times an operation.
struct PythonPictures: Sendable {
    enum Operation: String {
        case resize, blur, corners, blend
        case vipsResize, vipsBlur, vipsBlend

        var library: String { rawValue.hasPrefix("vips") ? "libvips" : "Pillow" }

        var target: Double { library == "libvips" ? 1.5 : self == .resize ? 0.2 : 1 }
    }

    private let operation: Operation
    private let process: LineProcess

    /// Starts the process. Returns nil if Python or the library isn't installed.
    static func start(_ operation: Operation) async -> PythonPictures? {
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard
            let python = paths.map({ $0 + "/python3" }).first(where: {
                FileManager.default.isExecutableFile(atPath: $0)
            })
        else { return nil }
        do {
            let script = operation.library == "libvips" ? vipsScript : pillowScript
            let process = try LineProcess([python, "-u", "-c", script + loop], in: "/")
            guard try await process.nextLine() == "ready" else { return nil }
            return PythonPictures(operation: operation, process: process)
        } catch {
            return nil
        }
    }

    /// Runs the operation, and returns its duration in nanoseconds.
    func time() async throws -> Double {
        try process.send([operation.rawValue])
        guard let line = try await process.nextLine(), let time = Double(line) else {
            throw BenchError("\(operation.library) has failed: \(operation)")
        }
        return time
    }

    /// Images are premultiplied, as in Alcedo, where that makes it faster.
    private static let pillowScript = """
        from PIL import Image, ImageDraw, ImageFilter
        def picture(mode, width, height):
            row = bytes((x * 7 + 3) & 127 for x in range(width * 4))
            return Image.frombytes(mode, (width, height), row * height)
        large, small = picture("RGBa", 4000, 3000), picture("RGBA", 1000, 1000)
        other = picture("RGBA", 1000, 1000)
        def corners():
            mask = Image.new("L", small.size, 0)
            ImageDraw.Draw(mask).rounded_rectangle((0, 0, 999, 999), 60, fill=255)
            small.copy().putalpha(mask)
        operations = {
            "resize": lambda: large.resize((1155, 866), Image.LANCZOS),
            "blur": lambda: large.filter(ImageFilter.GaussianBlur(20)),
            "corners": corners,
            "blend": lambda: Image.alpha_composite(small, other),
        }

        """

    /// Uses one thread and no cache. The result is written to memory, because libvips would otherwise delay the
    /// computation.
    private static let vipsScript = """
        import os
        os.environ["VIPS_CONCURRENCY"] = "1"
        import pyvips
        pyvips.cache_set_max(0)
        def picture(width, height):
            row = bytes((x * 7 + 3) & 127 for x in range(width * 4))
            picture = pyvips.Image.new_from_memory(row * height, width, height, 4, "uchar")
            return picture.copy(interpretation="srgb")
        large, small, other = picture(4000, 3000), picture(1000, 1000), picture(1000, 1000)
        operations = {
            "vipsResize": lambda: large.resize(1155 / 4000, vscale=866 / 3000, kernel="lanczos3").write_to_memory(),
            "vipsBlur": lambda: large.gaussblur(20).write_to_memory(),
            "vipsBlend": lambda: small.composite2(other, "over", premultiplied=True).cast("uchar").write_to_memory(),
        }

        """

    private static let loop = """
        import sys, time
        print("ready")
        for line in sys.stdin:
            operation = operations[line.strip()]
            start = time.perf_counter_ns()
            operation()
            print(time.perf_counter_ns() - start)
        """
}
