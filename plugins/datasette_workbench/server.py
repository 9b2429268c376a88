"""Serve one home on this machine: our pages and, read-only, its tables."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from datasette_workbench import identity
from datasette_workbench.instance import Instance, attach
from workbench import access, db
from workbench.errors import WorkbenchError
from workbench.home import Home

if TYPE_CHECKING:
    from datasette.app import Datasette

# Never access.sqlite3: what opens the door is not shown behind it.
DATABASES = ("memory_governance.sqlite3", "knowledge_graph.sqlite3", "session_index.sqlite", "memory_index.sqlite")
_PORTS_TRIED = 100
_ANY = db.Schema("database", version=0, migrations="", durable=False)


def serve(
    home: Home,
    *,
    port: int = 8001,
    host: str = "127.0.0.1",
    base_url: str | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve ``home`` until Ctrl-C.

    :param port: the first port to try; when it is taken the next free one is used and named. 0: any.
    :param base_url: ``/prefix/``, or the whole address a proxy gives the server (``https://name/prefix/``).
    :param ready: called with the server's address, without a slash at its end, once it answers.
    :raises WorkbenchError: when ``host`` is no loopback address and no ``base_url`` names the public one.
    """
    import uvicorn

    if not _is_loopback(host) and not (base_url and urlsplit(base_url).netloc):
        raise WorkbenchError(f"{host} is open to the network; serve 127.0.0.1, or name the address with a base URL")
    listener = _listen(host, port)
    actual = int(listener.getsockname()[1])
    if port not in (0, actual):
        print(f"port {port} is taken, serving on port {actual}", file=sys.stderr)
    datasette = build(home, port=actual, base_url=base_url)
    address = f"http://{_in_url(host)}:{actual}" + str(datasette.setting("base_url")).rstrip("/")

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if ready is not None:
                ready(address)

    config = uvicorn.Config(
        datasette.app(),
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
    )
    with contextlib.suppress(KeyboardInterrupt), contextlib.closing(listener):
        Server(config).run(sockets=[listener])


def build(home: Home, *, port: int = 8001, base_url: str | None = None) -> Datasette:
    """The Datasette of ``home``, knowing who may do what; nothing listens yet."""
    from datasette.app import Datasette

    access.ensure(home)
    secret = access.secret(home)
    public = urlsplit(base_url or "/")
    datasette = Datasette(
        [str(path) for path in _readable_databases(home)],
        config=_packaged("datasette.yml"),
        metadata=_packaged("metadata.yml"),
        settings={"base_url": "/" + public.path.strip("/") + "/" if public.path.strip("/") else "/"},
        secret=secret,
        default_deny=True,
    )
    attach(datasette, Instance(home, _origins(port, public.scheme, public.netloc), identity.cookie_name(secret)))
    return datasette


def _readable_databases(home: Home) -> list[Path]:
    """Those that Datasette can open: one that it can't would break each of its pages."""
    found = []
    for path in (home.root / name for name in DATABASES):
        if db.exists(path):
            try:
                _read_schema(path)
            except WorkbenchError as error:
                print(f"not shown: {error}", file=sys.stderr)
            else:
                found.append(path)
        elif path in (home.ledger, home.session_index):
            print(f"not shown: {path} is missing; run `workbench up` first", file=sys.stderr)
    return found


def _read_schema(path: Path) -> None:
    """Read what Datasette reads of each database before any page, whatever version of ours it is."""
    with db.read(path, replace(_ANY, version=db.version(path, _ANY))) as connection:
        connection.execute("SELECT * FROM sqlite_master").fetchall()


def _origins(port: int, public_scheme: str, public_host: str) -> dict[str, str]:
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]
    origins = {host: f"http://{host}" for host in hosts}
    if public_host:
        origins[public_host.lower()] = f"{public_scheme}://{public_host.lower()}"
    return origins


def _packaged(name: str) -> dict[str, Any]:
    from datasette.utils import parse_metadata

    parsed: dict[str, Any] = parse_metadata((package_files("datasette_workbench") / name).read_text("utf-8"))
    return parsed


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in [*range(port, min(port + _PORTS_TRIED, 65_536)), 0]:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if candidate == 0:
                raise WorkbenchError(f"cannot serve on {host}: {error.strerror}; choose another --port") from None
        else:
            return listener
    raise WorkbenchError(f"cannot serve on {host}: no port is free")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
