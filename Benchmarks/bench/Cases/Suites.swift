/// Every case, in the order of the table.
enum Suites {
    static let all: [BenchCase] =
        MemoryCases.all + MemoryTableCases.all + MemoryStoreCases.all + HitRatioCases.all + HTTPCases.all
        + PipelineCases.all + DefaultMissCases.all + ZipfCases.all + DownloadCases.all + JoinCases.all
        + TransferCases.all + CancelCases.all + QueuedCancelCases.all + DiskCases.all + DiskScaleCases.all
        + DiskPictureCases.all + EncryptionCases.all + ServerCases.all + PrefetchCases.all + ViewCases.all
        + EventCases.all + DecodeCases.all
        + RegionCases.all + AVIFCases.all + FormatCases.all + ThumbnailCases.all + AnimationCases.all + WebPCases.all
        + EncodeCases.all
        + ProcessCases.all + PreviewCases.all + BombCases.all + ClassicCases.all + HarnessCases.all
}
