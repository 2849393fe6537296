#if canImport(UIKit)
import Alcedo
import AlcedoUI
import SwiftUI
import UIKit

/// The content of the app's second tab.
typealias SystemViews = PhotoGrid

/// A collection view that reuses its cells and prefetches.
struct PhotoGrid: UIViewControllerRepresentable {
    func makeUIViewController(context: Context) -> PhotoGridController { PhotoGridController() }

    func updateUIViewController(_ controller: PhotoGridController, context: Context) {}
}

final class PhotoGridController: UICollectionViewController, UICollectionViewDataSourcePrefetching {
    private let prefetcher = ImagePrefetcher(.shared)

    init() {
        let layout = UICollectionViewFlowLayout()
        layout.itemSize = CGSize(width: 120, height: 160)
        super.init(collectionViewLayout: layout)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        collectionView.register(PhotoCell.self, forCellWithReuseIdentifier: "photo")
        collectionView.prefetchDataSource = self
    }

    override func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
        Photo.all.count
    }

    override func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "photo", for: indexPath)
        (cell as? PhotoCell)?.show(Photo.all[indexPath.item])
        return cell
    }

    func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
        prefetcher.start(requests(at: indexPaths))
    }

    func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]) {
        prefetcher.stop(requests(at: indexPaths))
    }

    private func requests(at paths: [IndexPath]) -> [ImageRequest] {
        paths.compactMap { Photo.all[$0.item].request(points: 120, scale: 2) }
    }
}

/// A cell with an image, another one for its highlighted state, and a button with images for two states.
final class PhotoCell: UICollectionViewCell {
    private let imageView = UIImageView(frame: CGRect(x: 0, y: 0, width: 120, height: 120))
    private let button = UIButton(frame: CGRect(x: 0, y: 120, width: 40, height: 40))

    override init(frame: CGRect) {
        super.init(frame: frame)
        imageView.contentMode = .scaleAspectFill
        imageView.clipsToBounds = true
        contentView.addSubview(imageView)
        contentView.addSubview(button)
    }

    required init?(coder: NSCoder) { nil }

    /// Shows a photo. A reused cell only has to call this again.
    func show(_ photo: Photo) {
        var settings = ViewImageSettings()
        settings.placeholderImage = UIImage(systemName: "photo")
        settings.slot.placeholderDelay = .milliseconds(100)
        settings.showsActivity = true
        imageView.alcedo.setImage(with: photo.request(points: 120, scale: 2), settings: settings) { slot in
            if case .failure(let error) = slot.phase { print("Photo \(photo.id): \(error)") }
        }
        imageView.alcedo.setHighlightedImage(with: photo.url(width: 120, height: 120))
        button.alcedo.setImage(with: photo.url(width: 40, height: 40), for: .normal)
        button.alcedo.setBackgroundImage(with: photo.url(width: 41, height: 41), for: .highlighted)
    }
}
#endif
