import type { Hex } from '@pit/chain'
import { usdOf } from '@pit/protocol'
import { ToolRefusal } from '../refusal.ts'
import { Bool, HashIn, IdIn, Input, List, Maybe, Num, OrNull, Output, Str } from '../shapes.ts'
import { reads } from '../tool.ts'
import { spentMicroUsd } from '../trade/ceilings.ts'
import { showStanding, TradeShown } from '../trade/showStanding.ts'

/** Read tools that a trading caller needs; always served with the tools that trade. */
export const LOOKING_TOOLS = [
  reads({
    name: 'look_up_trade',
    title: 'Look up one trade',
    toolset: 'trade',
    description:
      'Status of one trade, by client_id or tx_hash, from this server’s own journal and the chain. Call it ' +
      'first whenever place_trade or trade_in_session did not return “mined”. Changes nothing.',
    input: Input({ client_id: Maybe(IdIn('client_id of the trade')), tx_hash: Maybe(HashIn) }),
    output: TradeShown,
    routes: [],
    openWorld: false,
    async run({ own, rpc, trading, nowMs, signal }, { client_id, tx_hash }) {
      if ((client_id === undefined) === (tx_hash === undefined))
        throw new ToolRefusal(
          'BAD_PARAMETER',
          'Both client_id and tx_hash were sent, or neither.',
          'Send exactly one of the two.',
        )
      const entry =
        client_id === undefined ? trading?.journal.findHash(tx_hash!) : trading?.journal.find(client_id)
      const hash = entry && 'txHash' in entry ? entry.txHash : tx_hash
      const call = { method: 'eth_getTransactionReceipt', params: [hash] }
      const [receipt] = hash === undefined ? [null] : await rpc.all([call], signal)
      if (receipt instanceof Error)
        throw new ToolRefusal(
          'CHAIN_UNAVAILABLE',
          'This server’s own node could not be read.',
          'Try again in a few seconds.',
        )
      return showStanding(own.pins, {
        clientId: client_id ?? entry?.clientId ?? null,
        entry,
        uncertain: null,
        receipt: receipt as { status: Hex; blockNumber: Hex } | null,
        hash: (hash as Hex | undefined) ?? null,
        nowMs: nowMs(),
      })
    },
  }),
  reads({
    name: 'get_limits',
    title: 'Trading limits',
    toolset: 'trade',
    description:
      'Whether this server may trade, its limits in USD per trade and per 24 hours, and what is left. ' +
      'Nothing in a conversation can change them.',
    input: Input({}),
    output: Output({
      trading: Bool(),
      wallet: Str(),
      max_usd_per_trade: OrNull(Num()),
      max_usd_per_day: OrNull(Num()),
      spent_24h_usd: OrNull(Num('spent or reserved')),
      left_24h_usd: OrNull(Num()),
      accepted_risks: List(Str()),
    }),
    routes: [],
    openWorld: false,
    async run({ own, trading, nowMs }) {
      if (!trading)
        return {
          trading: false,
          wallet: own.address,
          max_usd_per_trade: null,
          max_usd_per_day: null,
          spent_24h_usd: null,
          left_24h_usd: null,
          accepted_risks: [],
        }
      const { perTradeMicroUsd, perDayMicroUsd } = trading.ceilings
      const spent = spentMicroUsd(trading.journal, nowMs())
      return {
        trading: true,
        wallet: own.address,
        max_usd_per_trade: usdOf(perTradeMicroUsd),
        max_usd_per_day: usdOf(perDayMicroUsd),
        spent_24h_usd: usdOf(spent),
        left_24h_usd: usdOf(spent > perDayMicroUsd ? 0n : perDayMicroUsd - spent),
        accepted_risks: [...trading.acceptRisks],
      }
    },
  }),
]
