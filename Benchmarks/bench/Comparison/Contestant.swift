import Alcedo
import AlcedoTestSupport
import Foundation

/// One design with its network and its files.
struct Contestant: Sendable {
    enum Side: Sendable { case alcedo, classic }

    let network: ScriptedNetwork
    let design: any LoadingDesign
    private let directory: TemporaryDirectory?

    /// - Parameters:
    ///   - held: The number of images in memory; zero means no memory cache.
    ///   - isOnDisk: Whether there is a disk cache.
    init(_ side: Side, held: Int, isOnDisk: Bool = false, network: ScriptedNetwork) throws {
        let directory = isOnDisk ? try TemporaryDirectory() : nil
        self.directory = directory
        self.network = network
        switch side {
        case .alcedo:
            let loader = Scripted.loader(network) {
                if held == 0 { $0.memory.maximumBytes = 0 } else { $0.memory.maximumCount = held }
                $0.disk = directory.map { .bare($0.file("cache"), byteLimit: 1 << 30) }
            }
            design = AlcedoDesign(loader: loader)
        case .classic:
            let cache = ClassicCache(count: held, directory: directory.map { URL(filePath: $0.path) })
            design = ClassicDesign(loader: ClassicLoader(network, Scripted.decoder, cache: cache))
        }
    }

    func tearDown() { directory?.remove() }
}
