"""`aspectlab serve`: a web page and a REST interface for opinions, on this machine."""

import socket
from typing import Annotated

import typer

from aspectlab import service
from aspectlab.cli.analyze import Loader
from aspectlab.cli.console import notice
from aspectlab.errors import ConfigError

Host = Annotated[str, typer.Option(help="Address to listen on (0.0.0.0: reachable from other machines).")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on (0: any free port).")]
Model = Annotated[str | None, typer.Option(help="Folder of an exported model (default: the shipped model).")]
Runtime = Annotated[str, typer.Option(help="Inference backend: auto, openvino or torch.")]
Style = Annotated[str, typer.Option(help="Annotation style, for a model that knows several.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads for inference (default: all cores).")]
TokenVariable = Annotated[
    str | None, typer.Option(help="Environment variable with the token that clients must send.")
]
NoToken = Annotated[
    bool,
    typer.Option(
        "--no-token", help="Require no token from other machines: anyone who reaches the service may use it."
    ),
]
AllowedHost = Annotated[
    list[str] | None,
    typer.Option(help="Name of the service that browsers may ask for without a token; may be repeated."),
]
MaxReviews = Annotated[int, typer.Option(min=1, help="Maximum number of reviews in an uploaded file.")]
MaxUploadMb = Annotated[int, typer.Option(min=1, max=1024, help="Maximum size of an uploaded file, in MB.")]
TimeoutS = Annotated[
    float, typer.Option(min=1, max=86_400, help="Timeout for the texts of a request, in seconds.")
]


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    *,
    model: Model = None,
    style: Style = "house",
    runtime: Runtime = "auto",
    threads: Threads = None,
    token_variable: TokenVariable = None,
    no_token: NoToken = False,
    allowed_host: AllowedHost = None,
    max_reviews: MaxReviews = 20_000,
    max_upload_mb: MaxUploadMb = 32,
    timeout_s: TimeoutS = 30.0,
) -> None:
    """Serve a web page and a REST API; Ctrl-C stops after the running requests.

    Example: `aspectlab serve --port 8080`
    """
    load = Loader(model, runtime, threads, style)
    load.check()
    token = _choose_token(host, token_variable, is_open=no_token)
    names = frozenset(name.lower() for name in (socket.gethostname(), *(allowed_host or ())))
    limits = service.Limits(reviews=max_reviews, upload_bytes=max_upload_mb << 20, analyze_s=timeout_s)
    with service.open_socket(host, port) as listener:
        app = service.build_app(load(), limits=limits, access=service.Access(token, names))
        notice(f"aspectlab serves {service.name_address(listener)} (Ctrl-C stops)")
        if token and not token_variable:
            notice(f"with a token of this run: {service.name_address(listener)}/#token={token}")
        try:
            service.run(app, listener, limits)
        except KeyboardInterrupt:
            notice("stopped")


def _choose_token(host: str, variable: str | None, *, is_open: bool) -> str | None:
    """Return the token that clients must send: one is made where other machines reach a service without."""
    if variable and is_open:
        raise ConfigError("--no-token and --token-variable: they exclude each other; leave one out")
    if variable:
        return service.read_token(variable)
    if service.is_loopback(host):
        return None
    if is_open:
        notice(f"warning: whoever reaches {host} may use this service; leave out --no-token")
        return None
    return service.make_token()
