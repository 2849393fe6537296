/// The resolution of color in a lossy file, relative to that of brightness.
public enum ChromaSubsampling: Sendable, Hashable, CaseIterable {
    /// Half in both directions (4:2:0).
    case yuv420
    /// Half horizontally (4:2:2).
    case yuv422
    /// Full (4:4:4): colored edges, such as those of text, stay sharp. Photos take about a tenth more bytes, other
    /// images up to a half.
    case yuv444
}
