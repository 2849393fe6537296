/// The cases of one part of the library.
struct ReportArea {
    let title: String
    let rows: [ReportRow]

    /// The rows of the table by area, in the order of the run.
    static func areas(of rows: [ReportRow]) -> [ReportArea] {
        let shown = rows.filter { !$0.isHarness && !$0.hasOwnPage }
        var names: [String] = []
        for row in shown where !names.contains(row.area) { names.append(row.area) }
        return names.map { name in
            ReportArea(title: titles[name] ?? name, rows: shown.filter { $0.area == name })
        }
    }

    private static let titles = [
        "memory": "Memory cache", "http": "HTTP caching", "pipeline": "Images that aren't cached",
        "download": "Downloads", "disk": "Disk cache", "server": "Serving files", "prefetch": "Prefetching",
        "view": "Views", "events": "Events", "decode": "Decoding", "thumbnail": "Thumbnails",
        "animation": "Animations", "encode": "Encoding", "process": "Processors", "preview": "Previews",
    ]
}
