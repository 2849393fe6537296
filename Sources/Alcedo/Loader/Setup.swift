extension LoadPath {
    /// - Parameters:
    ///   - owners: The owners passed by the program. The others are created.
    ///   - problem: The error that every load throws; nil if `configuration` is valid.
    convenience init(
        _ configuration: ImageLoader.Configuration, _ owners: Owners, _ problem: ImageLoaderError?,
        _ calls: any SystemCalls, _ processMemory: ProcessMemory
    ) {
        let time = TimeSource(configuration.clock, secondsSince1970: configuration.timeOfDay)
        let report = EventReport(configuration.eventSinks, time)
        let gate = DecodeGate(configuration.decode, time: time, memory: processMemory)
        let downloads =
            owners.downloads
            ?? DownloadCoordinator(
                valid: configuration.download, loader: configuration.dataLoader ?? DefaultDataLoader.make(),
                accept: configuration.decode.accept, time: time, memory: processMemory,
                onEvent: report.map(Self.reportDownloads))
        let memory =
            owners.memory
            ?? MemoryCache(
                valid: configuration.memory, memory: processMemory, time: time,
                onFailure: { report?(.cacheFailed($0)) })
        var disk = owners.disk
        if let settings = configuration.disk, disk == nil {
            disk = StoredTier(
                DiskStore(valid: settings, calls: calls, time: time, onEvent: report.map(Self.reportDisk)))
        }
        self.init(
            memory: memory, disk: disk, downloads: downloads, decoding: gate,
            previews: PreviewMakers(configuration, gate, time),
            local: LocalSources(
                downloads.settings.response, network: downloads.requests.network, memory: processMemory),
            time: time, report: report,
            scope: configuration.scope(downloads.scope),
            policies: CachePolicies(read: configuration.readPolicy, write: configuration.writePolicy),
            limits: CallerLimits(deadline: configuration.deadline, count: configuration.maximumConcurrentLoads),
            problem: problem)
    }

    private static func reportDownloads(_ report: EventReport) -> DownloadCoordinator.Report {
        { report($0.load, $0.url, LoadEvent.Kind($0.kind)) }
    }

    private static func reportDisk(_ report: EventReport) -> @Sendable (DiskStore.Event) -> Void {
        { report(LoadEvent.Kind($0)) }
    }
}

extension ImageLoader.Configuration {
    /// - Parameter downloads: The scope of the download coordinator.
    fileprivate func scope(_ downloads: KeyScope) -> KeyScope {
        KeyScope(
            resource: downloads.resource, decoding: decode.identity, processing: ProcessingChain(processors),
            keys: downloads.keys)
    }
}
