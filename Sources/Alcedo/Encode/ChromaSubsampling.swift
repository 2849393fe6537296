/// The resolution of colours in a lossy file, compared with that of brightness.
public enum ChromaSubsampling: Sendable, Hashable, CaseIterable {
    /// Half in both directions (4:2:0).
    case yuv420
    /// Half horizontally (4:2:2).
    case yuv422
    /// Full (4:4:4): coloured edges, such as those of text, stay sharp. Files of photos are about a tenth larger,
    /// and of other pictures up to a half.
    case yuv444
}
