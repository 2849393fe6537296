import Alcedo
import AlcedoTestSupport

/// Small files that claim to be huge.
enum BombCases {
    static let all: [BenchCase] = [
        // Refuses each of them in turn. The target for any single one is 10 ms.
        .timed("decode/bombs", target: 10_000_000, ours: { try refusals() })
    ]

    private static func refusals() throws -> Workload {
        let bombs = Bomb.all.filter { bomb in (try? ImageDecoders.builtIn.decoder(for: bomb.data)) != nil }
        return Workload { iterations in
            for _ in 0..<iterations {
                for bomb in bombs { try refuse(bomb) }
            }
        }
    }

    private static func refuse(_ bomb: Bomb) throws {
        do {
            blackHole(try ImageDecoders.builtIn.decode(bomb.data))
        } catch {
            guard error == bomb.error else { throw BenchError("\(bomb): \(error)") }
            return
        }
        throw BenchError("\(bomb) was decoded")
    }
}
