import Alcedo
import Testing

@testable import AlcedoTool

@Suite struct LoaderDownloadsTests {
    @Test func downloads_areListed_whileTheyAreInUse() {
        var list = LoaderDownloads()
        let (first, second) = (DownloadCoordinator(), DownloadCoordinator())
        list.add(first)
        list.add(second)
        #expect(list.all.map { ObjectIdentifier($0) } == [first, second].map { ObjectIdentifier($0) })
    }

    @Test func downloads_areNotKeptAlive() {
        var list = LoaderDownloads()
        let kept = DownloadCoordinator()
        var released: DownloadCoordinator? = DownloadCoordinator()
        weak let observed = released
        if let released { list.add(released) }
        list.add(kept)
        #expect(observed != nil && list.all.count == 2)
        released = nil
        #expect(observed == nil)
        #expect(list.all.map { ObjectIdentifier($0) } == [ObjectIdentifier(kept)])
        list.add(DownloadCoordinator())
        #expect(list.all.first === kept)
    }
}
