/// Images of half-transparent pixels with 16 bits. The manifest has no hash of their premultiplied colors that were
/// rounded to 8 bits.
enum RoundedSamples {
    /// The hashes by the SHA-256 of the file.
    ///
    /// They were made by a script of its own, independent of libpng, whose straight colors have the manifest's
    /// `sha256_alt`.
    static let hashes = [
        "1c92ffd11d2fc89a36f170d0239668436407f5c8e3f8d93483fb3fc6bca361d7":
            "df2a73fde5931d0f611bd69fa4efb87a1810346d616d1e2307bf406f5247911f",
        "8f9d81060aebf4576461403c5057de7f23f73157016b659402b906df805845aa":
            "7dfdac93b5388110b9541bfebca963dbf7e1eb15d5636349b4a2828d2203c940",
        "875bc2b44a4355551c51260def9664da68be1af8c14b82f76173aaf01ddb1929":
            "7dfdac93b5388110b9541bfebca963dbf7e1eb15d5636349b4a2828d2203c940",
        "c618fce55677c66a05c3560e726854e1ccbb077735813b408a2bb6d0cd96bcfe":
            "2ba48bb385431c4168673e386c43a80985b149b9325e0c30c38084ec1e19b233",
    ]
}
