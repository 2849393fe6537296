#include "CGif.h"

#if defined(__has_include)
#if __has_include(<gif_lib.h>)
#define HAS_GIF 1
#endif
#endif

#ifdef HAS_GIF

#include <dlfcn.h>
#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

// Loaded by name, so that the benchmarks also run if it is missing.
static struct {
    GifFileType *(*open)(void *, InputFunc, int *);
    int (*close)(GifFileType *, int *);
    int (*record)(GifFileType *, GifRecordType *);
    int (*image)(GifFileType *);
    int (*line)(GifFileType *, GifPixelType *, int);
    int (*extension)(GifFileType *, int *, GifByteType **);
    int (*next_extension)(GifFileType *, GifByteType **);
} gif;

bool gif_available(void) {
    if (gif.open) return true;
    void *library = dlopen("libgif.so.7", RTLD_NOW);
    if (!library) return false;
    gif.close = (int (*)(GifFileType *, int *))dlsym(library, "DGifCloseFile");
    gif.record = (int (*)(GifFileType *, GifRecordType *))dlsym(library, "DGifGetRecordType");
    gif.image = (int (*)(GifFileType *))dlsym(library, "DGifGetImageDesc");
    gif.line = (int (*)(GifFileType *, GifPixelType *, int))dlsym(library, "DGifGetLine");
    gif.extension = (int (*)(GifFileType *, int *, GifByteType **))dlsym(library, "DGifGetExtension");
    gif.next_extension = (int (*)(GifFileType *, GifByteType **))dlsym(library, "DGifGetExtensionNext");
    if (!gif.close || !gif.record || !gif.image || !gif.line || !gif.extension || !gif.next_extension) return false;
    gif.open = (GifFileType * (*)(void *, InputFunc, int *)) dlsym(library, "DGifOpen");
    return gif.open != NULL;
}

struct input {
    const uint8_t *data;
    size_t left;
};

static int read_input(GifFileType *file, GifByteType *target, int wanted) {
    struct input *input = file->UserData;
    size_t count = (size_t)wanted < input->left ? (size_t)wanted : input->left;
    memcpy(target, input->data, count);
    input->data += count;
    input->left -= count;
    return (int)count;
}

static bool draw(GifFileType *file, uint32_t *canvas, GifPixelType *line) {
    if (gif.image(file) != GIF_OK) return false;
    GifImageDesc image = file->Image;
    ColorMapObject *map = image.ColorMap ? image.ColorMap : file->SColorMap;
    if (!map || image.Left + image.Width > file->SWidth || image.Top + image.Height > file->SHeight) return false;
    uint32_t colors[256] = {0};
    for (int index = 0; index < map->ColorCount; index++) {
        GifColorType color = map->Colors[index];
        colors[index] = color.Red | color.Green << 8 | color.Blue << 16 | 0xFF000000u;
    }
    for (int y = 0; y < image.Height; y++) {
        if (gif.line(file, line, image.Width) != GIF_OK) return false;
        uint32_t *row = canvas + (size_t)(image.Top + y) * (size_t)file->SWidth + image.Left;
        for (int x = 0; x < image.Width; x++) row[x] = colors[line[x]];
    }
    return true;
}

long gif_decode_all(const uint8_t *data, size_t count) {
    struct input input = {data, count};
    if (!gif_available()) return -1;
    GifFileType *file = gif.open(&input, read_input, NULL);
    if (!file) return -1;
    uint32_t *canvas = calloc((size_t)file->SWidth * (size_t)file->SHeight, 4);
    GifPixelType *line = malloc((size_t)file->SWidth);
    long images = 0;
    while (canvas && line) {
        GifRecordType record;
        if (gif.record(file, &record) != GIF_OK) break;
        if (record == TERMINATE_RECORD_TYPE) {
            free(canvas);
            free(line);
            return gif.close(file, NULL) == GIF_OK ? images : -1;
        }
        int code;
        GifByteType *block = NULL;
        if (record == IMAGE_DESC_RECORD_TYPE) {
            if (!draw(file, canvas, line)) break;
            images++;
        } else if (record == EXTENSION_RECORD_TYPE) {
            if (gif.extension(file, &code, &block) != GIF_OK) break;
            while (block && gif.next_extension(file, &block) == GIF_OK) {}
        }
    }
    free(canvas);
    free(line);
    gif.close(file, NULL);
    return -1;
}

#else

bool gif_available(void) { return false; }

long gif_decode_all(const uint8_t *data, size_t count) {
    (void)data;
    (void)count;
    return -1;
}

#endif
