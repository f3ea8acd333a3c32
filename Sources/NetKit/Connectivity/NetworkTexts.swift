import Foundation

/// What an app tells its user about the network, in a language.
///
/// ```swift
/// var texts = NetworkTexts.spanish
/// texts.disconnected = "Estás sin conexión"
/// let state = NetworkState(networkMonitor: monitor, offlineQueue: queue, texts: texts)
/// ```
public struct NetworkTexts: Sendable {
    /// There is no link.
    public var disconnected: String
    /// There is a link that leads nowhere.
    public var unreachable: String
    /// The network wants a login.
    public var requiresLogin: String
    /// So many entries are being sent; the number is at least one.
    public var syncing: @Sendable (Int) -> String

    /// Makes texts for a language.
    public init(
        disconnected: String,
        unreachable: String,
        requiresLogin: String,
        syncing: @escaping @Sendable (Int) -> String
    ) {
        self.disconnected = disconnected
        self.unreachable = unreachable
        self.requiresLogin = requiresLogin
        self.syncing = syncing
    }

    /// English.
    public static let english = NetworkTexts(
        disconnected: "No connection. Changes are sent when it is back.",
        unreachable: "The server cannot be reached. Changes are sent when it is back.",
        requiresLogin: "This network wants you to log in.",
        syncing: { $0 == 1 ? "Sending 1 change…" : "Sending \($0) changes…" }
    )

    /// Spanish.
    public static let spanish = NetworkTexts(
        disconnected: "Sin conexión. Los cambios se enviarán cuando vuelva.",
        unreachable: "No se puede contactar con el servidor. Los cambios se enviarán cuando responda.",
        requiresLogin: "Esta red pide que inicies sesión.",
        syncing: { $0 == 1 ? "Enviando 1 cambio…" : "Enviando \($0) cambios…" }
    )

    /// The first of the languages that there are texts for, English otherwise.
    public static func preferred(_ languages: [String] = Locale.preferredLanguages) -> NetworkTexts {
        for language in languages {
            switch language.lowercased().prefix(while: { $0.isLetter }) {
            case "es": return .spanish
            case "en": return .english
            default: continue
            }
        }
        return .english
    }

    /// What to say about a status; nil where there is a network.
    public func banner(for status: NetworkStatus) -> String? {
        switch status.condition {
        case .connected: nil
        case .requiresLogin: requiresLogin
        case .unreachable: unreachable
        default: disconnected
        }
    }
}
