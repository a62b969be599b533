from __future__ import annotations

from typing import Any, Mapping, Optional


class PitRefusal(Exception):
    """A refusal of the service, of the verifying client or of `pit serve`. Branch on `code`."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(str(error.get("message", "The call was refused.")))
        #: For example `VERIFICATION_FAILED`; never branch on the message.
        self.code: str = str(error.get("code", "FAILED"))
        #: The rule that a response broke; only with `VERIFICATION_FAILED`.
        self.rule: Optional[str] = error.get("rule")
        #: HTTP status of the service; None if it did not refuse itself.
        self.service_status: Optional[int] = error.get("service_status")
        #: `no`, `pause`, `refresh` or `look_first`.
        self.retry: str = str(error.get("retry", "no"))
        self.retry_after_s: Optional[float] = error.get("retry_after_s")
        #: What to do next.
        self.hint: Optional[str] = error.get("hint")
        #: Facts of the client: `tx_hash`, `live_roots`, `field`.
        self.details: Mapping[str, Any] = error.get("details") or {}
        #: What the service said: `status`, `code`, `message`, `retry`, `retry_after_s`, `hint`, `fields`. It proves
        #: nothing. None if it did not refuse.
        self.server: Optional[Mapping[str, Any]] = error.get("server")
        #: What became of the signed transaction by your own node: `state` is `mined` (with `block`, `reverted`), `dead`
        #: (nothing was traded, `by` says why) or `unknown`. None if nothing was handed over.
        self.fate: Optional[Mapping[str, Any]] = error.get("fate")

    def __str__(self) -> str:
        rule = f" ({self.rule})" if self.rule else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.code}{rule}: {super().__str__()}{hint}"
