/// The media types of file names, and the extensions of media types, for those that services commonly exchange.
enum FileType {
    /// Returns the media type of a file by its extension; `application/octet-stream` if it is not known.
    static func mediaType(ofFileNamed name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    /// Returns the usual extension of a media type, without the dot; `nil` if it has none.
    static func fileExtension(of mediaType: MediaType) -> String? {
        extensions[mediaType.name] ?? (mediaType.isJSON ? "json" : mediaType.name.hasSuffix("+xml") ? "xml" : nil)
    }

    private static let unknown = "application/octet-stream"

    private static let types = Dictionary(table) { first, _ in first }
    private static let extensions = Dictionary(table.map { ($1, $0) }) { first, _ in first }

    /// The extensions and their types.
    ///
    /// If a type has several extensions, or an extension several types, the first counts.
    private static let table: [(String, String)] = """
        txt text/plain, log text/plain, html text/html, htm text/html, css text/css, csv text/csv,
        tsv text/tab-separated-values, md text/markdown, ics text/calendar, vcf text/vcard, js text/javascript,
        mjs text/javascript, json application/json, jsonl application/jsonl, ndjson application/x-ndjson,
        xml application/xml, xml text/xml, yaml application/yaml, yml application/yaml, pdf application/pdf,
        zip application/zip, gz application/gzip, gz application/x-gzip, tar application/x-tar,
        bz2 application/x-bzip2, xz application/x-xz, zst application/zstd, 7z application/x-7z-compressed,
        rar application/vnd.rar, wasm application/wasm, rtf application/rtf, doc application/msword,
        xls application/vnd.ms-excel, ppt application/vnd.ms-powerpoint,
        docx application/vnd.openxmlformats-officedocument.wordprocessingml.document,
        xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet,
        pptx application/vnd.openxmlformats-officedocument.presentationml.presentation,
        odt application/vnd.oasis.opendocument.text, epub application/epub+zip,
        parquet application/vnd.apache.parquet, sqlite application/vnd.sqlite3, png image/png, jpg image/jpeg,
        jpeg image/jpeg, gif image/gif, webp image/webp, avif image/avif, heic image/heic, svg image/svg+xml,
        bmp image/bmp, tif image/tiff, tiff image/tiff, ico image/vnd.microsoft.icon, mp3 audio/mpeg, m4a audio/mp4,
        ogg audio/ogg, opus audio/opus, wav audio/wav, flac audio/flac, aac audio/aac, mp4 video/mp4,
        mov video/quicktime, webm video/webm, mpeg video/mpeg, avi video/x-msvideo, mkv video/matroska,
        woff font/woff, woff2 font/woff2, ttf font/ttf, otf font/otf, bin application/octet-stream
        """
        .split { $0 == "," || $0 == "\n" }
        .map { pair in
            let words = pair.split(separator: " ")
            return (String(words[0]), String(words[1]))
        }
}
