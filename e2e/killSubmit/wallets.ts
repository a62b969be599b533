import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import type { Random } from '../fuzz/random.ts'
import { type Answered, openTrader, type Plan, type Trader } from '../trading/trader.ts'
import type { TradingWorld } from '../trading/world.ts'

/** Transactions signed for one submission, and its known result. */
export interface Sending {
  trader: Trader
  name: string
  body: { raw_tx: Hex } | { raw_txs: Hex[] }
  txs: { kind: string; hash: Hex }[]
  /** Result of the last try: an answer, or lost with the server. */
  end: 'lost' | 'taken' | string
  /** Hashes that any answer named as relayed. */
  relayedHashes: Set<Hex>
}

export async function openWallets(url: string, accounts: readonly number[]): Promise<Trader[]> {
  return Promise.all(accounts.map((account) => openTrader(url, { account })))
}

interface Shape {
  name: string
  request: Record<string, unknown>
}

/** One transaction, an approved swap in three, and a curve's fee and swap with and without approval. */
export async function readShapes({
  devnet,
}: Pick<TradingWorld, 'devnet'>): Promise<(random: Random) => Shape> {
  const info = await devnet.rpc<{
    long_tail: { address: Hex; curve?: Hex; graduated?: boolean; pairs: string[] }[]
  }>('devnet_info')
  const curves = (pair: string) =>
    info.long_tail
      .filter((one) => one.curve && !one.graduated && one.pairs[0] === pair)
      .slice(0, 12)
      .map(({ address }) => address)
  const [ofEth, ofUsdg] = [curves('ETH'), curves('USDG')]
  const risky = { accept_risks: ['NO_REFERENCE', 'UNSCREENED', 'HIGH_PRICE_IMPACT'] }
  return (random) => {
    const notional_usd = 2 + random.below(900) / 100
    const exact = { approval_mode: 'exact', notional_usd }
    return random.pick<Shape>([
      { name: 'one', request: { token_in: 'ETH', token_out: 'USDG', notional_usd } },
      {
        name: 'approved',
        request: { token_in: 'USDG', token_out: 'ETH', permit_mode: 'transaction', ...exact },
      },
      { name: 'fee apart', request: { token_in: 'ETH', token_out: random.pick(ofEth), ...exact, ...risky } },
      {
        name: 'approved, fee apart',
        request: { token_in: 'USDG', token_out: random.pick(ofUsdg), ...exact, ...risky },
      },
    ])
  }
}

/** Builds at one server and signs with the next nonces. */
export async function prepareSending(
  url: string,
  trader: Trader,
  { name, request }: Shape,
): Promise<Sending | { refused: string }> {
  const answer = await call<Plan>(url, trader, 'live/build', { wallet: trader.wallet, ...request })
  if (answer === 'lost') throw new Error('the server was lost while planning')
  if (answer.status !== 200) return { refused: JSON.stringify(answer.body.error) }
  const txs = answer.body.steps.flatMap(({ kind, tx }) => (tx ? [{ kind, ...trader.sign(tx) }] : []))
  const raws = txs.map(({ raw }) => raw)
  return {
    trader,
    name,
    body: raws.length === 1 ? { raw_tx: raws[0]! } : { raw_txs: raws },
    txs: txs.map(({ kind, hash }) => ({ kind, hash })),
    end: 'lost',
    relayedHashes: new Set(),
  }
}

export async function send(url: string, sending: Sending): Promise<void> {
  const answer = await call<{ tx_hash: Hex; tx_hashes?: Hex[] }>(
    url,
    sending.trader,
    'live/submit',
    sending.body,
  )
  if (answer === 'lost') {
    sending.end = 'lost'
    return
  }
  const { status, body } = answer
  sending.end = status === 200 ? 'taken' : (body.error?.code ?? `${status}`)
  const hashes = status === 200 ? (body.tx_hashes ?? [body.tx_hash]) : ((body.error?.['sent'] ?? []) as Hex[])
  for (const hash of hashes) sending.relayedHashes.add(hash)
}

export interface TradeRow {
  status: 'pending' | 'mined' | 'reverted' | 'dropped' | 'refused'
  tx_hash: Hex | null
}

/** The wallet's newest trades, including unmined ones. */
export async function tradesOf(url: string, trader: Trader): Promise<Map<Hex, TradeRow>> {
  const answer = await call<{ trades: TradeRow[] }>(url, trader, 'me/trades?refused=1&limit=100')
  if (answer === 'lost' || answer.status !== 200) throw new Error(`me/trades: ${JSON.stringify(answer)}`)
  return new Map(answer.body.trades.flatMap((row) => (row.tx_hash ? [[row.tx_hash, row] as const] : [])))
}

/** `lost`: the server was killed during the request. */
async function call<T>(
  url: string,
  { key }: Trader,
  path: string,
  body?: object,
): Promise<Answered<T> | 'lost'> {
  try {
    for (;;) {
      const answer = await fetch(`${url}/api/v1/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const read = (await answer.json()) as Answered<T>['body']
      // A busy machine; answered before the request is examined.
      if (read.error?.code !== 'ENGINE_UNAVAILABLE') return { status: answer.status, body: read }
      await sleep(500)
    }
  } catch {
    return 'lost'
  }
}
