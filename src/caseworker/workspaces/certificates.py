"""The certificates that this machine's tools trust: the system's, and a company's own wherever it is named."""

import os
import ssl
from pathlib import Path

_NAMES = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE"),
    *("NIX_SSL_CERT_FILE", "CARGO_HTTP_CAINFO", "GIT_SSL_CAINFO"),
)


def trusted() -> ssl.SSLContext:
    context = ssl.create_default_context()
    for file in certificate_files():
        context.load_verify_locations(cafile=str(file))
    return context


def certificate_files() -> list[Path]:
    named = [os.environ.get(name, "") for name in _NAMES]
    return [Path(name) for name in dict.fromkeys(named) if name and Path(name).is_file()]
