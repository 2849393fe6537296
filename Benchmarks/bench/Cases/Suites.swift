/// Every case, in the order of the table.
enum Suites {
    static let all: [BenchCase] =
        MemoryCases.all + MemoryTableCases.all + HitRatioCases.all + PipelineCases.all + DownloadCases.all
        + TransferCases.all
        + CancelCases.all + DiskCases.all + DiskScaleCases.all
        + DecodeCases.all + ThumbnailCases.all + AnimationCases.all + WebPCases.all
        + PreviewCases.all + BombCases.all + HarnessCases.all
}
