from __future__ import annotations

import json
import subprocess
from typing import Mapping, Optional, Sequence

from .client import Pit


def start(
    command: Sequence[str] = ("pit",),
    *,
    allow_trading: bool = False,
    options: Sequence[str] = (),
    env: Optional[Mapping[str, str]] = None,
) -> Pit:
    """Starts `pit serve` on a free port and connects to it. `close()` or leaving `with` ends it.

    `env` names the account as for the command: ETH_KEYSTORE_ACCOUNT and ETH_PASSWORD, or PIT_PRIVATE_KEY.
    The key stays in that process.
    """
    trading = ["--allow-trading"] if allow_trading else []
    process = subprocess.Popen(
        [*command, *options, "serve", "--port", "0", *trading],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=None if env is None else dict(env),
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"pit serve ended with exit code {process.wait()}; its error is on stderr.")
    serving = json.loads(line)
    with open(serving["token_file"], encoding="utf-8") as file:
        token = file.read().strip()
    return Pit(serving["url"], token, process=process)
