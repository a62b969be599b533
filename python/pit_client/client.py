from __future__ import annotations

import http.client
import json
import subprocess
import time
import uuid
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Type
from urllib.parse import urlsplit

from .errors import PitRefusal

Json = Dict[str, Any]

#: Pauses before the calls of a trade are repeated after a lost connection, in seconds.
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)


class Pit:
    """Calls the verbs of a running `pit serve`. Sizes are dollars (`notional_usd`) or atoms as text (`amount_in`).

    Amounts in results are atoms as text: use `int`. A method raises `PitRefusal` if the call is refused, and
    `ConnectionError` if `pit serve` cannot be reached.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_s: float = 300.0,
        process: Optional[subprocess.Popen[str]] = None,
    ) -> None:
        address = urlsplit(url)
        if address.scheme != "http" or address.hostname not in ("127.0.0.1", "localhost"):
            raise ValueError("pit serve listens on 127.0.0.1 only")
        self._host = address.hostname
        self._port = address.port or 80
        self._token = token
        self._timeout_s = timeout_s
        self._process = process

    def __enter__(self) -> "Pit":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the `pit serve` that `start` started."""
        if self._process is None:
            return
        self._process.terminate()
        self._process.wait(timeout=30)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process = None

    # Reads

    def describe(self) -> Json:
        """Version, account and every verb with its fields as JSON schema."""
        return self._request("GET", "/", None)

    def config(self) -> Json:
        """The account, and the chain and service that `pit serve` is pinned to."""
        return self.call("config")

    def read(
        self,
        route: str,
        *,
        params: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
    ) -> Json:
        """Any GET route of the API by its id, such as `tokens.get`. Unverified."""
        return self.call("read", route=route, params=params, query=query)

    def quote(self, token_in: str, token_out: str, **size_and_terms: Any) -> Json:
        """Compares all routes for a trade. Unverified: a plan is what is checked."""
        return self.call("quote", token_in=token_in, token_out=token_out, **size_and_terms)

    def plan(self, token_in: str, token_out: str, **size_and_terms: Any) -> Json:
        """Plans a trade and verifies it on your own node. Signs nothing; `send` takes its `plan_id`."""
        return self.call("plan", token_in=token_in, token_out=token_out, **size_and_terms)

    def portfolio(self) -> Json:
        return self.call("portfolio")

    def sessions(self) -> Json:
        """Sessions of the wallet as the service lists them."""
        return self.call("sessions")

    def recorded_sessions(self) -> Json:
        """Sessions signed on this machine, with their state on chain by your own node."""
        return self.call("recorded_sessions")

    def trades(self, *, limit: int = 100, refused: bool = False) -> List[Json]:
        """Trades of the wallet, newest first."""
        rows: List[Json] = self.call("trades", limit=limit, refused=refused)["trades"]
        return rows

    def rehearse_trade(self, session_id: str, token_in: str, token_out: str, **size_and_terms: Any) -> Json:
        """Checks a session trade against every rule. Counts and signs nothing."""
        return self.call(
            "rehearse_trade", session_id=session_id, token_in=token_in, token_out=token_out, **size_and_terms
        )

    def list_orders(self, agent_id: str) -> Json:
        """Orders of an agent, and the signatures it waits for."""
        return self.call("list_orders", agent_id=agent_id)

    # Trades. Each runs once per client_id, also after a crash of this program or of `pit serve`.

    def trade(self, token_in: str, token_out: str, *, client_id: Optional[str] = None, **size_and_terms: Any) -> Json:
        """Plans, verifies, signs and sends a trade, and waits until it is mined."""
        return self._trade("trade", client_id, token_in=token_in, token_out=token_out, **size_and_terms)

    def send(self, plan_id: str, *, client_id: Optional[str] = None) -> Json:
        """Signs and sends a verified plan, and waits until it is mined."""
        return self._trade("send", client_id, plan_id=plan_id)

    def fast_trade(
        self,
        token_in: str,
        token_out: str,
        *,
        notional_usd: Optional[float] = None,
        amount_in: Optional[str] = None,
        min_amount_out: Optional[str] = None,
        slippage_bps: Optional[int] = None,
        shield: Optional[bool] = None,
        owner_attests_non_us: Optional[bool] = None,
        simulate: Optional[bool] = None,
        fallback: Optional[bool] = None,
        client_id: Optional[str] = None,
    ) -> Json:
        """Trades a pinned pair in one call; with `fallback` (default), otherwise by an ordinary trade."""
        return self._trade(
            "fast_trade",
            client_id,
            token_in=token_in,
            token_out=token_out,
            notional_usd=notional_usd,
            amount_in=amount_in,
            min_amount_out=min_amount_out,
            slippage_bps=slippage_bps,
            shield=shield,
            owner_attests_non_us=owner_attests_non_us,
            simulate=simulate,
            fallback=fallback,
        )

    def session_trade(
        self,
        session_id: str,
        wallet: str,
        token_in: str,
        token_out: str,
        *,
        client_id: Optional[str] = None,
        **size_and_terms: Any,
    ) -> Json:
        """Trades in a session as its executor; `wallet` is whose funds trade."""
        return self._trade(
            "session_trade",
            client_id,
            session_id=session_id,
            wallet=wallet,
            token_in=token_in,
            token_out=token_out,
            **size_and_terms,
        )

    # Owner's actions

    def grant_session(
        self, request: Mapping[str, Any], *, allow_7702: bool = False, send_setup: bool = False
    ) -> Json:
        """Grants a session within signed limits; `request` has the fields of `live/session/grant`."""
        return self.call("grant_session", request=request, allow_7702=allow_7702, send_setup=send_setup)

    def revoke_session(self, session_id: str, *, on_chain: bool = True) -> Json:
        """Ends a session at the service, at the co-signer and on chain."""
        return self.call("revoke_session", session_id=session_id, on_chain=on_chain)

    def revoke_all(self) -> Json:
        """Ends every session with controls by one transaction, without the server."""
        return self.call("revoke_all")

    def revoke_approvals(self, tokens: Sequence[str] = ("USDG",), *, spender: Optional[str] = None) -> Json:
        """Revokes the wallet's approvals for these tokens."""
        return self.call("revoke_approvals", tokens=list(tokens), spender=spender)

    def create_agent(self, request: Mapping[str, Any]) -> Json:
        """Creates a hosted agent; `request` has the fields of `POST hosted`."""
        return self.call("create_agent", **request)

    def grant_live(
        self,
        agent_id: str,
        *,
        bounds: Optional[Mapping[str, Any]] = None,
        session_id: Optional[str] = None,
        allow_7702: bool = False,
        send_setup: bool = False,
    ) -> Json:
        """Lets a live agent trade within `bounds`, or within those it was created with here."""
        return self.call(
            "grant_live",
            agent_id=agent_id,
            bounds=bounds,
            session_id=session_id,
            allow_7702=allow_7702,
            send_setup=send_setup,
        )

    def stop_agent(self, agent_id: str, *, on_chain: bool = False) -> Json:
        """Stops an agent permanently; with `on_chain`, also ends its sessions on chain."""
        return self.call("stop_agent", agent_id=agent_id, on_chain=on_chain)

    def refund_gas(self, agent_id: str) -> Json:
        """Returns the ETH that an agent's executor holds to its owner."""
        return self.call("refund_gas", agent_id=agent_id)

    def place_orders(
        self,
        agent_id: str,
        orders: Sequence[Mapping[str, Any]],
        *,
        replaces: Sequence[str] = (),
        client_id: Optional[str] = None,
    ) -> Json:
        """Signs and registers a list of orders of an agent; all or none, once per client_id."""
        return self._trade(
            "place_orders", client_id, agent_id=agent_id, orders=list(orders), replaces=list(replaces)
        )

    def place_bracket(
        self,
        agent_id: str,
        entry: Mapping[str, Any],
        exits: Mapping[str, Any],
        *,
        client_id: Optional[str] = None,
    ) -> Json:
        """An entry with a stop, a take-profit or both, armed as the entry fills; once per client_id."""
        return self._trade("place_bracket", client_id, agent_id=agent_id, entry=entry, exits=exits)

    def replace_order(self, agent_id: str, id: str, change: Mapping[str, Any]) -> Json:
        """Replaces an open order by a changed one without a gap."""
        return self.call("replace_order", agent_id=agent_id, id=id, change=change)

    def cancel_orders(self, agent_id: str, ids: Optional[Sequence[str]] = None) -> Json:
        """Cancels orders of an agent, all open ones by default; the co-signer confirms each."""
        return self.call("cancel_orders", agent_id=agent_id, ids=None if ids is None else list(ids))

    def sign_wanted(self, agent_id: str, id: str) -> Json:
        """Signs a list that an agent waits for, once every part of it is checked."""
        return self.call("sign_wanted", agent_id=agent_id, id=id)

    def enter_league(
        self, agent_id: str, board: str, entrant: str, kind: str, *, hosted_id: Optional[str] = None
    ) -> Json:
        """Enters the league with the owner's signature."""
        return self.call(
            "enter_league", agent_id=agent_id, board=board, entrant=entrant, kind=kind, hosted_id=hosted_id
        )

    # Calls

    def call(self, verb: str, **fields: Any) -> Json:
        """Any verb by its name; fields that are None are left out."""
        body = {name: value for name, value in fields.items() if value is not None}
        return self._request("POST", f"/{verb}", body)

    def _trade(self, verb: str, client_id: Optional[str], **fields: Any) -> Json:
        # A lost connection does not end a trade: the same client_id finds it again.
        name = client_id or str(uuid.uuid4())
        for pause in _PAUSES:
            try:
                return self.call(verb, client_id=name, **fields)
            except (ConnectionError, http.client.HTTPException, TimeoutError):
                time.sleep(pause)
        return self.call(verb, client_id=name, **fields)

    def _request(self, method: str, path: str, body: Optional[Mapping[str, Any]]) -> Json:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        try:
            headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
        finally:
            connection.close()
        if response.status != 200:
            raise PitRefusal(answer.get("error", {}))
        result: Json = answer["result"]
        return result
