#if os(Linux) && ColorProfiles
import CLcms
import Foundation

extension ColorDescription {
    /// An ICC profile for these colors, or for grays with their curve; nil for sRGB, and for primaries that no colors
    /// can be mixed from.
    func profile(isGray: Bool) -> Data? {
        if isSRGB(isGray: isGray) { return nil }
        guard let curve = transfer.curve() else { return nil }
        defer { cmsFreeToneCurve(curve) }
        var white = primaries.white.color
        let handle: cmsHPROFILE?
        if isGray {
            handle = cmsCreateGrayProfile(&white, curve)
        } else {
            var colors = cmsCIExyYTRIPLE(
                Red: primaries.red.color, Green: primaries.green.color, Blue: primaries.blue.color)
            var curves: [OpaquePointer?] = [curve, curve, curve]
            handle = cmsCreateRGBProfile(&white, &colors, &curves)
        }
        guard let handle else { return nil }
        defer { cmsCloseProfile(handle) }
        return Self.bytes(of: handle)
    }

    private static func bytes(of handle: cmsHPROFILE) -> Data? {
        var count: cmsUInt32Number = 0
        guard cmsSaveProfileToMem(handle, nil, &count) != 0, count >= 128 else { return nil }
        var bytes = Data(count: Int(count))
        guard bytes.withUnsafeMutableBytes({ cmsSaveProfileToMem(handle, $0.baseAddress, &count) }) != 0 else {
            return nil
        }
        // Overwrites the time of creation (ICC.1:2022, section 7.2.8), so that the same colors always have the same
        // profile.
        bytes.replaceSubrange(24..<36, with: [7, 208, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
        return bytes
    }
}

extension ColorDescription.Chromaticity {
    fileprivate var color: cmsCIExyY { cmsCIExyY(x: x, y: y, Y: 1) }
}

extension ColorDescription.TransferFunction {
    /// Creates the curve, which the caller must free.
    fileprivate func curve() -> OpaquePointer? {
        switch self {
        case .hdr: nil
        case .power(let power): cmsBuildGamma(nil, power)
        // IEC 61966-2-1.
        case .sRGB: Self.curve([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        // BT.709-6, section 1.2.
        case .video: Self.curve([1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081])
        }
    }

    /// A power with a linear part near black: for x ≥ e, (b x + c) to the power a, else d x.
    private static func curve(_ parameters: [Double]) -> OpaquePointer? {
        cmsBuildParametricToneCurve(nil, 4, parameters)
    }
}
#endif
