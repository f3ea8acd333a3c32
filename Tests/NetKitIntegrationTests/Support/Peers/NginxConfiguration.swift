import Foundation

/// The configuration of nginx: one process, everything in one folder, a server for each port.
struct NginxConfiguration: Sendable {
    let folder: URL
    let certificates: TestCertificates
    let ports: [NginxPort: ReservedPort]

    var text: String {
        """
        daemon off;
        master_process off;
        pid "\(path("nginx.pid"))";
        error_log stderr warn;
        events { worker_connections 1024; }
        http {
            client_body_temp_path "\(path("client-body"))";
            proxy_temp_path "\(path("proxy"))";
            fastcgi_temp_path "\(path("fastcgi"))";
            uwsgi_temp_path "\(path("uwsgi"))";
            scgi_temp_path "\(path("scgi"))";
            access_log off;
            types { text/plain txt; }
            default_type application/octet-stream;
            client_max_body_size 0;
            client_body_buffer_size 1m;
            keepalive_requests 1000000;
            keepalive_timeout 300s;
            ssl_protocols TLSv1.2 TLSv1.3;
            ssl_session_cache shared:sessions:1m;
        \(NginxPort.allCases.map(server).joined(separator: "\n"))
            server {
                listen "unix:\(path("passed-on"))";
                location / { return 200 $http_x_length; }
            }
        }

        """
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path() }

    private func server(_ port: NginxPort) -> String {
        guard port == .byName else { return server(port, extra: extra(port)) }
        let named = certificates.certificate(.server).path()
        return server(port, extra: [], isDefault: true) + "\n"
            + server(port, extra: ["server_name localhost;"], chain: named, key: .server)
    }

    /// The settings that one port has beyond the others.
    private func extra(_ port: NginxPort) -> [String] {
        switch port {
        case .plain: ["listen \"unix:\(path("nginx.socket"))\";"]
        case .tls: ["listen \"unix:\(path("secure.socket"))\" ssl http2;"]
        case .plainShort, .tlsShort: ["keepalive_requests 3;"]
        // Current OpenSSL has to be configured for this version.
        case .tls11: ["ssl_protocols TLSv1.1;", "ssl_ciphers DEFAULT@SECLEVEL=0;"]
        case .tls12: ["ssl_protocols TLSv1.2;"]
        case .tls13: ["ssl_protocols TLSv1.3;"]
        case .mutual: ["ssl_verify_client on;", "ssl_client_certificate \"\(certificates.authority.path())\";"]
        default: []
        }
    }

    private func server(
        _ port: NginxPort,
        extra: [String],
        chain: String? = nil,
        key: TestCertificate.Name? = nil,
        isDefault: Bool = false
    ) -> String {
        let number = ports[port]?.number ?? 0
        var lines = [
            "listen 127.0.0.1:\(number)\(port.isTLS ? " ssl" : "")\(port.speaksHTTP2 ? " http2" : "")"
                + (isDefault ? " default_server;" : ";")
        ]
        if port.isTLS {
            let (ownChain, ownKey) = port.certificate
            let folder = certificates.authority.deletingLastPathComponent()
            lines.append("ssl_certificate \"\(chain ?? folder.appending(path: ownChain).path())\";")
            lines.append("ssl_certificate_key \"\(certificates.key(key ?? ownKey).path())\";")
        }
        return (["server {"] + lines + extra + [locations, "}"]).joined(separator: "\n")
    }

    /// The settings of every port. `NginxPeer` lists the paths.
    private var locations: String {
        """
        root "\(path("files"))";
        location = /text.txt {
            gzip on;
            gzip_proxied any;
            gzip_types text/plain;
        }
        location = /zeros { add_header Content-Encoding gzip; }
        location = /fields {
            add_header X-One 1;
            add_header X-Two first;
            add_header X-Two second;
            add_header Set-Cookie a=1;
            add_header Set-Cookie b=2;
            add_header X-Sent $http_x_test;
            return 200;
        }
        location = /facts {
            default_type application/json;
            return 200 '\(NginxFacts.template)';
        }
        location = /large-head {
            \((0..<20).map { "add_header X-Large-\($0) \(String(repeating: "x", count: 2_000));" }.joined(separator: "\n"))
            return 200;
        }
        location = /closing {
            keepalive_timeout 0;
            return 200;
        }
        # Passing on has the body read to its end before the response; its length is passed on.
        location = /upload { \(passingOn) }
        location = /upload-small {
            client_max_body_size 1k;
            \(passingOn)
        }
        location ~ ^/passed-to/(?<port>[0-9]+)$ { proxy_pass http://127.0.0.1:$port/; }
        location /store/ {
            dav_methods PUT DELETE;
            create_full_put_path on;
        }
        """
    }

    private var passingOn: String {
        """
        proxy_pass "http://unix:\(path("passed-on")):/";
            proxy_method GET;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header Expect "";
            proxy_set_header X-Length $proxy_internal_body_length;
        """
    }
}
