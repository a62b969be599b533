import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { keccak256, stringToHex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import type { TradeRow } from '../killSubmit/wallets.ts'
import { openParty, type Party, type SessionTrade, signaturesFor, startGrant } from '../session/party.ts'
import { type Call, openTrader, type Plan, type Trader } from '../trading/trader.ts'
import { Closed, type Record } from './recordedCalls.ts'
import { type FleetWorld, isWhole } from './world.ts'

/** Signed and sent bytes, and their client's knowledge of them. */
export interface Signed {
  hash: Hex
  wallet: Hex
  key: string
  /** An answer reported it as relayed. */
  isAccepted: boolean
  /** Its row is final, or it was abandoned. */
  isDone: boolean
}

export interface Load {
  signed: Signed[]
  traders: readonly Trader[]
  /** Rounds that each kind of client has finished. */
  rounds(): { [client: string]: number }
  stop(): Promise<void>
}

/** Limited load: the machine has two cores, and the fleet is nine processes. */
const PAUSE_MS = 250
/** Many small requests on keep-alive connections, which a stopping process may close. */
const QUICK_CLIENTS = isWhole ? 6 : 2
const QUICK_PAUSE_MS = 15
/** A client that does not know whether its bytes arrived reads first, then sends the same bytes again. */
const AGAIN_MS = 200
const ETH = 10n ** 18n
const keyOf = (name: string): Hex => keccak256(stringToHex(`fleet ${name}`))

/** Clients of each kind, all through the proxy, until they are stopped. None retries a request. */
export async function startLoad(world: FleetWorld, record: Record): Promise<Load> {
  const { url, devnet, proxy } = world
  const signed: Signed[] = []
  const done: { [client: string]: number } = {}
  const calls: { close(): void }[] = []
  const open = (): Call => {
    const call = record.client(url, proxy.ca)
    calls.push(call)
    return call
  }
  let isStopped = false
  const traders = await Promise.all([1, 2].map((account) => openTrader(url, { account }, open())))
  const session = await openSession()
  const reader = record.client2(url, proxy.ca)
  calls.push(reader)
  const signer = open()
  const quoter = open()
  let turn = 0

  const running = [
    loop('sign in', async () => {
      const { get } = await openTrader(url, { privateKey: generatePrivateKey() }, needed(signer))
      await get('auth/me')
    }),
    loop('read over HTTP/2', async () => {
      const { key } = traders[0]!
      for (const path of ['config', 'stats', 'tokens?limit=20', 'me/portfolio', 'me/trades'])
        await needed(reader)('GET', path, key)
    }),
    loop('quote', async () => {
      const pair = turn++ % 2 === 0 ? ['ETH', 'USDG'] : ['USDG', 'cbBTC']
      const request = { token_in: pair[0], token_out: pair[1], notional_usd: 25 }
      await needed(quoter)('POST', 'live/quote', traders[1]!.key, request)
    }),
    ...Array.from({ length: QUICK_CLIENTS }, (_, i) => {
      const quick = needed(open())
      return loop(`read config ${i + 1}`, () => quick('GET', 'config', null), QUICK_PAUSE_MS)
    }),
    ...traders.map((trader, i) => loop(`trade ${i + 1}`, () => tradeOnce(trader))),
    loop('session trade', () => tradeInSession(session)),
  ]
  return {
    signed,
    traders,
    rounds: () => ({ ...done }),
    async stop() {
      isStopped = true
      await Promise.all(running)
      for (const call of calls) call.close()
    },
  }

  async function loop(name: string, round: () => Promise<unknown>, pauseMs = PAUSE_MS): Promise<void> {
    done[name] = 0
    while (!isStopped) {
      // The failure is in the record; the next round is a new one.
      const isDone = await round().then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof Closed || error instanceof Refused)) throw error
          return false
        },
      )
      if (isDone) done[name]! += 1
      await sleep(pauseMs)
    }
  }

  async function tradeOnce(trader: Trader): Promise<void> {
    const { status, body } = await trader.plan({ token_in: 'ETH', token_out: 'USDG', notional_usd: 5 })
    if (status !== 200 || !body.ready) throw new Refused(body)
    const { raw, hash } = trader.sign((body as Plan).tx!)
    await sendAndFollow(trader, raw, hash)
  }

  async function tradeInSession({ owner, executor, id }: Session): Promise<void> {
    const { status, body } = await owner.post<SessionTrade>('live/session/trade', {
      ...{ session_id: id, token_in: 'ETH', token_out: 'USDG', notional_usd: 2 },
      client_id: `t${Date.now()}`,
    })
    if (status !== 200 || !body.ready) throw new Refused(body)
    const raw = await executor.signTx(body.tx!)
    await sendAndFollow(owner, raw, keccak256(raw))
  }

  /** Waits until the trade is final; no second one is signed meanwhile. */
  async function sendAndFollow(trader: Trader, raw: Hex, hash: Hex): Promise<void> {
    const mine: Signed = { hash, wallet: trader.wallet, key: trader.key, isAccepted: false, isDone: false }
    signed.push(mine)
    for (let isSent = false; !mine.isDone; await sleep(AGAIN_MS)) {
      if (!isSent) {
        const answer = await trader.post('live/submit', { raw_tx: raw }).catch(() => null)
        isSent = answer?.status === 200
        mine.isAccepted ||= isSent
        // A permanent refusal: never relayed, which the chain confirms later. Trades with an unknown result
        // are skipped: an unmined one stays pending for an hour.
        if (answer && !isSent && (answer.status < 500 || isInDoubt(answer))) mine.isDone = true
      }
      const row = await rowOf(trader, hash).catch(() => undefined)
      if (row && row.status !== 'pending') mine.isDone = true
    }
  }

  async function openSession(): Promise<Session> {
    const [owner, executor] = [
      await openParty(url, keyOf('owner'), open()),
      await openParty(url, keyOf('executor'), open()),
    ]
    for (const { wallet } of [owner, executor])
      await devnet.rpc('hardhat_setBalance', [wallet, `0x${(100n * ETH).toString(16)}`])
    const { body: grant } = await startGrant(owner, executor.wallet, {
      ...{ tokens: ['ETH', 'USDG'], max_trade_usd: 50, max_day_usd: 5_000, max_trades: 1_000 },
      setup_budget_usd: 0,
    })
    if (grant.error) throw new Error(JSON.stringify(grant.error))
    const { curve_root_signatures: _, ...signatures } = await signaturesFor(owner, grant)
    const on = await owner.post('live/session/grant', signatures)
    if (on.status !== 200) throw new Error(JSON.stringify(on.body))
    return { owner, executor, id: grant.session_id }
  }
}

interface Session {
  owner: Party
  executor: Party
  id: string
}

const isInDoubt = ({ body }: Awaited<ReturnType<Trader['post']>>): boolean =>
  body.error?.code === 'SEQUENCER_UNREACHABLE'

/** A round counts only if all its requests were answered. */
const needed =
  (call: Call): Call =>
  async <T>(...asked: Parameters<Call>) => {
    const answer = await call<T>(...asked)
    if (answer.status !== 200) throw new Refused(answer.body)
    return answer
  }

/** An answer with an error code. */
class Refused extends Error {
  constructor(body: { error?: { code: string } }) {
    super(body.error?.code ?? 'not ready')
  }
}

export async function rowOf(trader: Pick<Trader, 'get'>, hash: Hex): Promise<TradeRow | undefined> {
  const { status, body } = await trader.get<{ trades: TradeRow[] }>('me/trades?refused=1&limit=20')
  return status === 200 ? body.trades.find(({ tx_hash }) => tx_hash === hash) : undefined
}
