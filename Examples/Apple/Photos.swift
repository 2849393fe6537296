#if canImport(Photos) && canImport(PhotosUI)
import Alcedo
import AlcedoUI
import Foundation
import Photos
import PhotosUI
import SwiftUI

// region: picker
struct PhotoChooser: View {
    @State private var item: PhotosPickerItem?
    @State private var request: ImageRequest?

    var body: some View {
        VStack {
            RemoteImage(request)
            PhotosPicker("Choose a photo", selection: $item, matching: .images)
        }
        .onChange(of: item) { request = item.map { PickedPhoto($0).request } }
    }
}

@MainActor final class PickedPhoto {
    private let item: PhotosPickerItem

    init(_ item: PhotosPickerItem) { self.item = item }

    var request: ImageRequest {
        let id = item.itemIdentifier ?? UUID().uuidString
        return ImageRequest(id: id) { try await self.data() }
    }

    private func data() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            item.loadTransferable(type: Data.self) { result in
                continuation.resume(with: Result { try require(result.get()) })
            }
        }
    }
}
// endregion

// region: asset
func request(forAsset identifier: String) -> ImageRequest {
    ImageRequest(id: identifier) {
        let ids = [identifier]
        let assets = PHAsset.fetchAssets(withLocalIdentifiers: ids, options: nil)
        let asset = try require(assets.firstObject)
        let options = PHImageRequestOptions()
        options.isNetworkAccessAllowed = true  // the photo may be in iCloud only
        options.deliveryMode = .highQualityFormat
        return try await withCheckedThrowingContinuation { continuation in
            PHImageManager.default().requestImageDataAndOrientation(
                for: asset, options: options
            ) { data, _, _, _ in
                continuation.resume(with: Result { try require(data) })
            }
        }
    }
}
// endregion

/// There is no such photo, or it can't be read.
struct PhotoMissing: Error {}

private func require<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw PhotoMissing() }
    return value
}
#endif
