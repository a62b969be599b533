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
        self.details: Mapping[str, Any] = error.get("details") or {}

    def __str__(self) -> str:
        rule = f" ({self.rule})" if self.rule else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.code}{rule}: {super().__str__()}{hint}"
