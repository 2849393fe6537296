// swift-format-ignore-file
// A stand-in for PhotosUI and CoreTransferable, see Tests/AppleStandIns/README.md. Nothing here runs.
public import AppleFoundation
public import SwiftUI

// coretransferable/transferable
public protocol Transferable {}
extension Data: Transferable {}

// photosui/photospickeritem: Equatable and Hashable; that it is Sendable isn't documented.
public struct PhotosPickerItem: Equatable, Hashable {
    // photosui/photospickeritem/itemidentifier
    public var itemIdentifier: String? { fatalError() }
    // photosui/photospickeritem/loadtransferable(type:completionhandler:)
    @discardableResult @preconcurrency public func loadTransferable<T: Transferable>(
        type: T.Type, completionHandler: @escaping @Sendable (Result<T?, any Error>) -> Void
    ) -> Progress { fatalError() }

    public struct EncodingDisambiguationPolicy: Equatable, Hashable {
        public static var automatic: Self { fatalError() }
        public static var compatible: Self { fatalError() }
    }
}

@available(*, unavailable) extension PhotosPickerItem: Sendable {}

// photosui/phpickerfilter-swift.struct
public struct PHPickerFilter: Equatable, Hashable {
    public static var images: Self { fatalError() }
}

// photosui/photospicker
public struct PhotosPicker<Label: View>: View {
    public var body: Never { fatalError() }
}
extension PhotosPicker where Label == Text {
    // photosui/photospicker/init(_:selection:matching:preferreditemencoding:)-48f7l
    nonisolated public init(
        _ title: some StringProtocol, selection: Binding<PhotosPickerItem?>, matching filter: PHPickerFilter? = nil,
        preferredItemEncoding: PhotosPickerItem.EncodingDisambiguationPolicy = .automatic
    ) { fatalError() }
}
