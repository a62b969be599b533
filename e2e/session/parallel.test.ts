import type { Hex } from '@pit/chain'
import { findPostgres, type PostgresServer, startPostgres } from '@pit/platform/test/postgresServer'
import { keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../fuzz/random.ts'
import { type ServerProcess, startServerProcess } from '../serverProcess.ts'
import { tradingEnv } from '../trading/world.ts'
import { openParty, type Party, type SessionTrade, signaturesFor, startGrant } from './party.ts'
import { openSessionWorld, type SessionWorld } from './world.ts'

/**
 * Two servers on one PostgreSQL, one signer: concurrent trades of one session through both, against caps that
 * fit only some. No more than fit are co-signed, and the service's count is never below the signer's.
 */

// By hand: PARALLEL_TRADES=200 PARALLEL_ROUNDS=50 npx vitest run --project e2e e2e/session/parallel.test.ts
const TRADES = Number(process.env['PARALLEL_TRADES'] ?? 24)
const ROUNDS = Number(process.env['PARALLEL_ROUNDS'] ?? 2)
const SEED = Number(process.env['PARALLEL_SEED'] ?? 4663)
const ETH = 10n ** 18n
/** Size of each trade; the devnet's price stands still. */
const AMOUNT = ETH / 500n
const keyOf = (name: string): Hex => keccak256(stringToHex(`session parallel ${name}`))

const bin = findPostgres()
/** Not judged: the machine is overloaded. */
const GIVEN_UP = ['BUSY', 'SIGNER_UNAVAILABLE', 'RPC_UNAVAILABLE', 'ENGINE_UNAVAILABLE']

describe.skipIf(bin === null)('two servers on one store', () => {
  const random = createRandom(SEED)
  let postgres: PostgresServer
  let world: SessionWorld
  let second: ServerProcess
  /** The owner and the executor, each signed in once, calling either server. */
  let owner: Party
  let executorWallet: Hex
  let callers: ((body: object) => Promise<{ status: number; body: SessionTrade & { error?: Refused } }>)[]

  beforeAll(async () => {
    postgres = await startPostgres(bin!)
    const databaseUrl = await postgres.createDatabase()
    const shared = { DATABASE_URL: databaseUrl, PUBLIC_URL: 'http://localhost', MAX_LOOP_DELAY_MS: '600000' }
    world = await openSessionWorld({ server: shared })
    const { signer, devnet, server } = world
    second = await startServerProcess({
      ...tradingEnv(devnet),
      ...shared,
      ROLE: 'api',
      SIGNER_URL: signer.url,
      SIGNER_SECRET: signer.secret,
    })
    owner = await openParty(server.url, keyOf('owner'))
    const executor = await openParty(server.url, keyOf('executor'))
    for (const { wallet } of [owner, executor]) await world.fund(wallet, { wei: 10n * ETH })
    callers = [server.url, second.url].flatMap((url) =>
      [owner, executor].map(
        ({ key }) =>
          (body: object) =>
            post(url, key, body),
      ),
    )
    executorWallet = executor.wallet
  }, 300_000)
  afterAll(async () => {
    await second?.stop()
    await world?.close()
    await postgres?.dispose()
  })

  it(`co-sign what fits of ${TRADES} trades at once, ${ROUNDS} rounds`, { timeout: 7_200_000 }, async () => {
    const totals = { signed: 0, refused: 0, givenUp: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      const k = 1 + random.below(Math.max(1, Math.floor(TRADES / 2)))
      const byTrades = round % 2 === 0
      const { sessionId, rootHash, microUsd } = await grant(byTrades ? { trades: k } : { dollarsOf: k })
      const outcomes = await Promise.all(
        Array.from({ length: TRADES }, (_, i) =>
          callers[i % callers.length]!({
            session_id: sessionId,
            token_in: 'ETH',
            token_out: 'USDG',
            amount_in: AMOUNT.toString(),
          }),
        ),
      )
      const signed = outcomes.filter(({ status }) => status === 200)
      const codes = outcomes.flatMap(({ body }) => body.error?.code ?? [])
      const givenUp = codes.filter((code) => GIVEN_UP.includes(code)).length
      const due = byTrades ? 'SESSION_TRADES_LEFT' : 'SESSION_MAX_DAY'
      // Usually the service refuses; if its count and the signer's differ for a moment, the signer does.
      const strange = outcomes.filter(({ body: { error } }) => error && !isDue(error, due))
      expect(strange.map(({ body }) => body.error)).toEqual([])
      expect(signed.length).toBeLessThanOrEqual(k)
      if (givenUp === 0) expect(signed.length).toBe(k)
      const sequences = signed.map(({ body }) => body.leaf!.sequence)
      expect(new Set(sequences).size).toBe(sequences.length)

      const ledger = await world.signer.client.root(rootHash)
      expect(ledger.sequence).toBeGreaterThanOrEqual(signed.length)
      expect(ledger.sequence).toBeLessThanOrEqual(k)
      if (!byTrades) expect(ledger.spend.day_micro_usd).toBeLessThanOrEqual(microUsd)
      const { body } = await owner.get<{ sessions: { session_id: string; used: Used }[] }>('me/sessions')
      const used = body.sessions.find(({ session_id }) => session_id === sessionId)!.used
      expect(used.trades).toBeGreaterThanOrEqual(ledger.sequence)
      expect(Math.round(used.last_24h_usd * 1e6)).toBeGreaterThanOrEqual(
        ledger.spend.day_micro_usd - ledger.sequence,
      )
      totals.signed += signed.length
      totals.givenUp += givenUp
      totals.refused += TRADES - signed.length - givenUp
    }
    console.log(`${ROUNDS} rounds of ${TRADES} over two servers: ${JSON.stringify(totals)}`)
  })

  function isDue({ code, signer_checks: checks = [] }: Refused, due: string): boolean {
    if (code === due || GIVEN_UP.includes(code)) return true
    return code === 'REFUSED' && checks.every(({ rule }) => rule === due)
  }

  /** A session that fits `trades` by number, or as many by their dollars. */
  async function grant(fits: { trades: number } | { dollarsOf: number }) {
    const ether = world.profile.core_tokens.find(({ native }) => native)!
    const answer = await world.devnet.rpc<Hex>('eth_call', [
      { to: ether.feed!.address, data: '0xfeaf968c' },
      'latest',
    ])
    const priceE8 = BigInt(`0x${answer.slice(66, 130)}`)
    /** Rounded up, as the signer counts. */
    const each = Number((AMOUNT * priceE8 + 10n ** 20n - 1n) / 10n ** 20n)
    // Half a trade extra, so that rounding decides nothing.
    const microUsd = 'dollarsOf' in fits ? Math.floor((fits.dollarsOf + 0.5) * each) : 100 * each
    const trade = Math.min(microUsd, 2 * each)
    const granted = await startGrant(owner, executorWallet, {
      tokens: ['ETH', 'USDG'],
      max_trade_usd: trade / 1e6,
      max_day_usd: Math.min(microUsd, 100 * trade) / 1e6,
      max_trades: 'trades' in fits ? fits.trades : 10_000,
      setup_budget_usd: 0,
    })
    expect(granted.status, JSON.stringify(granted.body.error)).toBe(200)
    const { session_id: sessionId, sign } = granted.body
    const on = await owner.post('live/session/grant', await signaturesFor(owner, granted.body))
    expect(on.status, JSON.stringify(on.body.error)).toBe(200)
    return { sessionId, rootHash: sign.delegation.delegation_hash, microUsd }
  }
})

interface Refused {
  code: string
  signer_checks?: { rule: string }[]
}
interface Used {
  trades: number
  last_24h_usd: number
}

async function post(url: string, key: string, body: object) {
  const answer = await fetch(`${url}/api/v1/live/session/trade`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as SessionTrade & { error?: Refused } }
}
