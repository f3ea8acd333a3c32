import Foundation

/// Bytes as JSON: text where they are text, else an object with their base 64.
struct KeptBytes: Codable {
    let data: Data

    init(_ data: Data) {
        self.data = data
    }

    private enum CodingKeys: String, CodingKey {
        case base64
    }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            data = Data(text.utf8)
        } else {
            data = try decoder.container(keyedBy: CodingKeys.self).decode(Data.self, forKey: .base64)
        }
    }

    func encode(to encoder: any Encoder) throws {
        if let text = String(validating: data, as: UTF8.self) {
            var value = encoder.singleValueContainer()
            try value.encode(text)
        } else {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(data.base64EncodedString(), forKey: .base64)
        }
    }
}
