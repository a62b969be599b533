"""The first trade without TypeScript: Python's standard library reads the API, `pit` verifies and signs.

    python3 examples/first_trade.py

PIT_URL names the server; PIT_PRIVATE_KEY is the wallet's, on a devnet its public test key by default;
DATA_DIR is where `npm start` keeps its data.
"""

import json
import os
import subprocess
import sys
import urllib.request

URL = os.environ.get("PIT_URL", "http://127.0.0.1:4663")
PIT = ["node", os.path.join(os.path.dirname(__file__), "..", "dist", "pit.js"), "--json"]
PINS = os.path.join(os.environ.get("DATA_DIR", ".pit"), "pins.json")
DEVNET_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
# How `pit` ends: worth another try, or it may have happened and a second trade must wait.
TRANSIENT, UNCERTAIN = 3, 5


def get(path):
    """What needs no key is plain JSON over HTTP."""
    with urllib.request.urlopen(f"{URL}/api/v1/{path}", timeout=10) as answer:
        return json.load(answer)


def pit(*words):
    """Data comes on stdout as JSON, words for people on stderr. The key is never an argument."""
    env = dict(os.environ)
    with open(PINS, encoding="utf-8") as pins:
        if json.load(pins)["kind"] == "devnet":
            env.setdefault("PIT_PRIVATE_KEY", DEVNET_KEY)
    done = subprocess.run([*PIT, *words], env=env, stdout=subprocess.PIPE, text=True)
    answer = json.loads(done.stdout) if done.stdout.strip() else {}
    if done.returncode == UNCERTAIN:
        sys.exit("It may have happened: look at `pit trades` before you trade again.")
    if done.returncode == TRANSIENT:
        sys.exit("Worth another try in a moment.")
    if done.returncode != 0:
        sys.exit(f"refused: {answer.get('error')}")
    return answer


[eth] = [asset for asset in get("stats")["assets"] if asset["symbol"] == "ETH"]
print(f"ETH is at {eth['mark']} dollars, stale: {eth['stale']}")

planned = pit("trade", "ETH", "USDG", "--usd", "10")
print(f"planned: at least {int(planned['plan']['amount_out_min']) / 1e6} USDG, nothing signed yet")

traded = pit("trade", "ETH", "USDG", "--usd", "10", "--yes")
print(f"traded: {int(traded['amount_out']) / 1e6} USDG in block {traded['block']}, {traded['tx_hash']}")

newest = pit("trades", "--limit", "1")[0]
print(f"on record: {newest['status']} {newest['tx_hash']}")
