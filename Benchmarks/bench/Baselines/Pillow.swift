import AlcedoTestSupport
import Foundation

/// The Python library Pillow, in a process of its own that runs and times operations.
struct Pillow: Sendable {
    private let process: LineProcess

    /// Nil if Python or the library isn't installed.
    static func start() async -> Pillow? {
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard
            let python = paths.map({ $0 + "/python3" }).first(where: {
                FileManager.default.isExecutableFile(atPath: $0)
            })
        else { return nil }
        do {
            let process = try LineProcess([python, "-u", "-c", script], in: "/")
            guard try await process.nextLine() == "ready" else { return nil }
            return Pillow(process: process)
        } catch {
            return nil
        }
    }

    /// How long an operation took, in nanoseconds.
    func time(_ operation: String) async throws -> Double {
        try process.send([operation])
        guard let line = try await process.nextLine(), let time = Double(line) else {
            throw BenchError("Pillow doesn't know \(operation)")
        }
        return time
    }

    /// Pictures are premultiplied, as ours are, where that makes it faster.
    private static let script = """
        import sys, time
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
        print("ready")
        for line in sys.stdin:
            operation = operations[line.strip()]
            start = time.perf_counter_ns()
            operation()
            print(time.perf_counter_ns() - start)
        """
}
