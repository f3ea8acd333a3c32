import Foundation

/// The configuration of nginx: one process, everything in one folder, no logs, connections that stay open.
struct NginxConfiguration: Sendable {
    let folder: URL
    let port: UInt16
    /// The ports and the certificate for TLS.
    var secure: (http1: UInt16, http2: UInt16, certificate: ServerCertificate)?

    private var small: String {
        "return 200 \"\(String(repeating: "x", count: ServerAddress.smallSize))\";"
    }

    /// A location for each number of header fields.
    private var fieldLocations: String {
        GrowthScenario.fieldCounts.map { count in
            let fields = (0..<count).map { "add_header X-Field-\($0) \"value of the field \($0)\";" }
            return "        location = /fields\(count) { \(fields.joined(separator: " ")) return 200 \"done\"; }"
        }.joined(separator: "\n")
    }

    /// A TLS server without session resumption, which is not measured.
    private var secureServer: String {
        guard let secure else { return "" }
        return """
                server {
                    listen 127.0.0.1:\(secure.http1) ssl backlog=4096;
                    listen 127.0.0.1:\(secure.http2) ssl http2 backlog=4096;
                    ssl_certificate "\(secure.certificate.certificate.path(percentEncoded: false))";
                    ssl_certificate_key "\(secure.certificate.key.path(percentEncoded: false))";
                    ssl_session_cache off;
                    ssl_session_tickets off;
                    location = /small { \(small) }
                    location = /once { keepalive_timeout 0; \(small) }
                }
            """
    }

    var text: String {
        let folder = folder.path(percentEncoded: false)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "    \($0)_temp_path \"\(folder)/\($0)\";" }
        return """
            daemon off;
            master_process off;
            worker_rlimit_nofile 16384;
            pid "\(folder)/nginx.pid";
            error_log "\(folder)/error.log" warn;
            events { worker_connections 12000; }
            http {
            \(temporary.joined(separator: "\n"))
                access_log off;
                default_type application/octet-stream;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 1000000000;
                keepalive_timeout 300s;
                client_max_body_size 0;
                client_body_buffer_size 1m;
                server {
                    listen 127.0.0.1:\(port) backlog=4096;
                    root "\(folder)/files";
                    location = /small { \(small) }
                    location = /large { }
            \(fieldLocations)
                    location = /patterned { }
                    # The body is read to its end before the response, because a proxy does so; it is not passed on.
                    location = /upload {
                        proxy_pass http://127.0.0.1:\(port)/done;
                        proxy_pass_request_body off;
                        proxy_set_header Content-Length "";
                        proxy_method GET;
                    }
                    location = /done { return 200 "done"; }
                }
            \(secureServer)
            }

            """
    }
}
