"""Run by e2e/client/serve.test.ts against a real server: PIT_COMMAND is the command as JSON."""

import inspect
import json
import os
import unittest

from pit_client import Pit, PitRefusal, start

COMMAND = json.loads(os.environ["PIT_COMMAND"])


class ClientTest(unittest.TestCase):
    pit: Pit

    @classmethod
    def setUpClass(cls) -> None:
        cls.pit = start(COMMAND, allow_trading=True, env=os.environ)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.pit.close()

    def test_has_a_method_for_every_verb(self) -> None:
        methods = {name for name, _ in inspect.getmembers(Pit, inspect.isfunction) if not name.startswith("_")}
        verbs = {verb["name"] for verb in self.pit.describe()["verbs"]}
        self.assertEqual(verbs - methods, set())
        self.assertEqual(methods - verbs, {"call", "close", "describe"})

    def test_trades_once_per_client_id(self) -> None:
        first = self.pit.trade("ETH", "USDG", notional_usd=20, client_id="python-1")
        again = self.pit.trade("ETH", "USDG", notional_usd=20, client_id="python-1")
        self.assertEqual(first, again)
        self.assertGreaterEqual(int(first["amount_out"]), int(first["plan"]["amount_out_min"]))
        mined = [row for row in self.pit.trades() if row["tx_hash"] == first["receipt"]["hash"]]
        self.assertEqual(len(mined), 1)
        with self.assertRaises(PitRefusal) as refused:
            self.pit.trade("ETH", "USDG", notional_usd=21, client_id="python-1")
        self.assertEqual(refused.exception.code, "CLIENT_ID_REUSED")

    def test_trades_fast(self) -> None:
        fast = self.pit.fast_trade("ETH", "USDG", notional_usd=5, min_amount_out="4000000", fallback=False)
        self.assertEqual(fast["by"], "fast")
        self.assertGreaterEqual(int(fast["amount_out"]), 4_000_000)

    def test_sends_a_plan_once(self) -> None:
        plan = self.pit.plan("ETH", "USDG", notional_usd=5)
        self.assertTrue(any(check["rule"] == "RECIPIENT" for check in plan["checks"]))
        sent = self.pit.send(plan["plan_id"])
        self.assertEqual(sent["receipt"]["status"] if "status" in sent["receipt"] else "success", "success")
        with self.assertRaises(PitRefusal) as refused:
            self.pit.send(plan["plan_id"])
        self.assertEqual(refused.exception.code, "UNKNOWN_PLAN")

    def test_passes_refusals_on(self) -> None:
        with self.assertRaises(PitRefusal) as refused:
            self.pit.trade("ETH", "USDG", notional_usd=25, max_slippage_bps=5)
        self.assertEqual(refused.exception.code, "BAD_REQUEST")
        with self.assertRaises(PitRefusal) as refused:
            self.pit.trade("ETH", "USDG", notional_usd=25_000_000)
        self.assertNotEqual(refused.exception.code, "FAILED")
        self.assertTrue(refused.exception.hint)

    def test_reads(self) -> None:
        self.assertEqual(self.pit.config()["address"].lower(), self.pit.portfolio()["wallet"].lower())
        self.assertEqual(self.pit.read("tokens.get", params={"address": "ETH"})["symbol"], "ETH")
        self.assertIn("routes", self.pit.quote("ETH", "USDG", notional_usd=5))
        self.assertEqual(self.pit.recorded_sessions()["sessions"], [])


if __name__ == "__main__":
    unittest.main()
