/// Files that older system libraries decode differently from their references; the libraries' own tools do the same.
enum KnownDeviations {
    /// The reasons by the SHA-256 of the file. The table of results lists each, even if the file no longer deviates.
    static let reasons = [
        "a5f429bef6d2ef2f6022be4848d7266145bfaa060c0fe684150411fa4bf562a1": "libavif 0.11 refuses a box without a size",
        "bae56368b348b1d847e2bfb662522599f0c63dfe62fb68826c9e42a300ff405d":
            "libavif 0.11 has another alpha for a grid without one",
    ]
}
