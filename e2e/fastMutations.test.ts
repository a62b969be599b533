import { setTimeout as sleep } from 'node:timers/promises'
import { decodeExecute, type RouterCommand } from '@pit/chain'
import { encodeExecute } from '@pit/plans'
import { type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Random, seeded } from '../packages/chain/test/randomPool.ts'
import { signTransaction } from '../packages/trading/test/fastClient.ts'
import { type Built, type FastTrader, freshenFeeds, openFastTrader } from './fast/fastTrader.ts'
import { openTradingWorld, type TradingWorld } from './trading/world.ts'

// Fifty thousand by hand: FAST_MUTATIONS=50000 npx vitest run e2e/fastMutations.test.ts
const MUTATIONS = Number(process.env['FAST_MUTATIONS'] ?? 360)
const SEED = Number(process.env['FAST_SEED'] ?? 4663)
const AT_ONCE = 24
/** Good calls are rebuilt this often: deadlines and marks are valid for a minute, also on a busy machine. */
const FRESH_EVERY = 360
/**
 * Codes that can come from a temporary state. A call that fails only with these was not judged and is
 * replaced.
 */
const BY_THE_MOMENT = ['PRICE_STALE', 'DEADLINE', 'RPC_UNAVAILABLE', 'ENGINE_UNAVAILABLE']

type Body = Built['body']
type Tx = { to: string; value: bigint; data: Hex; gas: bigint; chainId?: number }
interface Good {
  built: Built
  tx: Tx & { maxFeePerGas: bigint; nonce: number }
}

let world: TradingWorld
let trader: FastTrader
beforeAll(async () => {
  // No test here waits for a job.
  world = await openTradingWorld({ server: { FAST_ENABLED: '1', ROLE: 'api' } })
  trader = await openFastTrader(world, 3)
  for (const symbol of ['USDG', 'WETH', 'NVDA', 'SPY']) await trader.approve(symbol)
})
afterAll(async () => {
  await world?.close()
})

it(
  `relays none of ${MUTATIONS} calls that differ in one thing from a good one`,
  async () => {
    const random = seeded(SEED)
    const nonce = await trader.nonce()
    const codes = new Map<string, number>()
    const hashes: Hex[] = []
    const passed: string[] = []
    const unjudged: string[] = []
    let judged = 0
    while (judged < MUTATIONS) {
      const good = await goodCalls(nonce)
      const until = Math.min(MUTATIONS, judged + FRESH_EVERY)
      const before = unjudged.length
      while (judged < until && unjudged.length - before < AT_ONCE) {
        const batch = Math.min(AT_ONCE, until - judged)
        await Promise.all(
          Array.from({ length: batch }, async () => {
            const { name, body } = await mutate(good[random.below(good.length)]!, random)
            hashes.push(keccak256(body.raw_tx))
            const { status, body: answer } = await trader.send(body)
            const code = answer.error?.code
            const failures = (answer.error?.['failures'] ?? [{ code }]) as { code: string }[]
            if (code && failures.every((failure) => BY_THE_MOMENT.includes(failure.code))) {
              unjudged.push(`${code}: ${answer.error?.message}`)
              return
            }
            judged += 1
            if (status === 200 || !code) passed.push(`${name}: ${JSON.stringify(body)}`)
            else codes.set(code, (codes.get(code) ?? 0) + 1)
          }),
        )
      }
      expect(passed).toEqual([])
      // While the devnet's sequencer still remembers them all.
      expect(await seenAmong(hashes.splice(0))).toBe(0)
    }
    expect(await trader.nonce()).toBe(nonce)
    const shown = [...codes].sort((a, b) => b[1] - a[1]).map(([code, count]) => `${code} ${count}`)
    console.log(`${judged} mutated calls judged, none relayed: ${shown.join(', ')}`)
    console.log(`${unjudged.length} more were not judged: ${[...new Set(unjudged)].join(' | ')}`)
    // Too many temporary refusals would hide a defect.
    expect(world.server.output()).not.toContain('unexpected exception')
    // Many different rules refused them, not only the first one.
    expect(codes.size).toBeGreaterThan(8)
  },
  300_000 + MUTATIONS * 100,
)

/** One good call per shape; each would pass unchanged. */
async function goodCalls(nonce: number): Promise<Good[]> {
  await freshenFeeds(world.devnet)
  await sleep(900)
  const goods: Good[] = []
  for (const [pair, permit] of [
    ['ETH/USDG', false],
    ['USDG/ETH', false],
    ['USDG/ETH', true],
    ['WETH/USDG', false],
    ['NVDA/USDG', false],
    ['ETH/SPY', false],
  ] as const) {
    let tx: Good['tx'] | undefined
    const { routes } = trader.terms()
    const row = routes.pairs[pair]!
    const maxFeePerGas = (await trader.baseFee()) * 2n
    const gas = BigInt(row.gas_floor + (permit ? row.permit!.gas_add : 0))
    const built = await trader.build(pair, {
      permit,
      usd: 20,
      body: { simulate: false },
      tx: {
        nonce,
        gas,
        maxFeePerGas,
        data(data) {
          tx = { to: routes.router!, value: 0n, data, gas, maxFeePerGas, nonce }
          return data
        },
      },
    })
    tx!.value = row.value === '0' ? 0n : built.amountIn
    let check = await trader.send({ ...built.body, check_only: true })
    for (let tries = 0; tries < 5 && check.body.error?.code === 'RPC_UNAVAILABLE'; tries++) {
      await sleep(500)
      check = await trader.send({ ...built.body, check_only: true })
    }
    expect(check.status, `${pair}: ${JSON.stringify(check.body.error)}`).toBe(200)
    goods.push({ built, tx: tx! })
  }
  return goods
}

/** Changes one thing. Signed fields are signed again, so that only the change itself can be the fault. */
async function mutate({ built, tx }: Good, random: Random): Promise<{ name: string; body: Body }> {
  const { body } = built
  const signed = async (change: Partial<Tx>): Promise<Body> => {
    const { raw } = await signTransaction(trader.privateKey, { ...tx, ...change })
    return { ...body, raw_tx: raw }
  }
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!
  const near = (text: unknown): string => {
    const value = BigInt(text as string)
    const step = 1n + random.bits(1 + random.below(40))
    return String(random.below(2) === 0 || value <= step ? value + step : value - step)
  }
  const ways: [string, () => Promise<Body> | Body][] = [
    ['a bit of the transaction', () => ({ ...body, raw_tx: flipped(body.raw_tx, random) })],
    ['a bit of the calldata, signed', () => signed({ data: flipped(tx.data, random) })],
    ['a command, signed', () => signed({ data: recommanded(tx.data, random) })],
    ['a word of the calldata, signed', () => signed({ data: reworded(tx.data, random) })],
    [
      'bytes after the calldata, signed',
      () => signed({ data: `${tx.data}${'00'.repeat(1 + random.below(33))}` }),
    ],
    ['no calldata, signed', () => signed({ data: '0x' })],
    ['the value, signed', () => signed({ value: tx.value + 1n + random.bits(60) })],
    ['the target, signed', () => signed({ to: flipped(tx.to as Hex, random) })],
    ['the chain, signed', () => signed({ chainId: pick([1, 10, 4662, 4664, 8453]) })],
    ['amount_in', () => ({ ...body, amount_in: near(body['amount_in']) })],
    ['min_out', () => ({ ...body, min_out: near(body['min_out']) })],
    ['deadline', () => ({ ...body, deadline: Number(body['deadline']) + pick([-3, -2, -1, 1, 2, 3]) })],
    ['fee_bps', () => ({ ...body, fee_bps: Number(body['fee_bps']) + pick([-5, -1, 1, 10]) })],
    ['shield', () => ({ ...body, shield: true })],
    ['the pair turned', () => ({ ...body, token_in: body['token_out'], token_out: body['token_in'] })],
    ['another token', () => ({ ...body, token_out: pick(['WETH', 'cbBTC', 'PARTNER', 'eth', '']) })],
    ['the permit', () => ({ ...body, permit: repermitted(body['permit'], random) })],
  ]
  const [name, change] = pick(ways)
  const changed = await change()
  if (JSON.stringify(changed) === JSON.stringify(body)) return mutate({ built, tx }, random)
  return { name, body: changed }
}

function flipped(hex: Hex, random: Random): Hex {
  const at = 2 + random.below(hex.length - 2)
  const digit = (Number.parseInt(hex[at]!, 16) ^ (1 << random.below(4))).toString(16)
  return `${hex.slice(0, at)}${digit}${hex.slice(at + 1)}` as Hex
}

/** One 32-byte word of the arguments replaced by a plausible value. */
function reworded(data: Hex, random: Random): Hex {
  const words = (data.length - 10) / 64
  const at = 10 + 64 * random.below(words)
  const word = [0n, 1n, 2n, 1n << 255n, BigInt(trader.wallet), random.bits(160), random.bits(256)][
    random.below(7)
  ]!
  return `${data.slice(0, at)}${word.toString(16).padStart(64, '0')}${data.slice(at + 64)}` as Hex
}

/** A command removed, doubled, moved or paid to another address, in the router's encoding. */
function recommanded(data: Hex, random: Random): Hex {
  const decoded = decodeExecute(data)
  if (!decoded.ok) throw new Error(decoded.why)
  const commands = [...decoded.call.commands]
  const at = random.below(commands.length)
  const way = random.below(4)
  if (way === 0) commands.splice(at, 1)
  else if (way === 1) commands.splice(at, 0, commands[at]!)
  else if (way === 2 && commands.length > 1) commands.unshift(commands.pop()!)
  else {
    const recipient = trader.wallet
    commands[at] = (
      'recipient' in commands[at]! ? { ...commands[at], recipient } : { ...commands[0], recipient }
    ) as RouterCommand
  }
  return encodeExecute({ ...decoded.call, commands })
}

function repermitted(permit: unknown, random: Random): object {
  const basePermit = (permit ?? {
    amount: '1',
    expiration: Math.floor(Date.now() / 1000) + 90,
    nonce: 0,
    sig_deadline: Math.floor(Date.now() / 1000) + 90,
    signature: `0x${'22'.repeat(64)}1b`,
  }) as { amount: string; expiration: number; nonce: number; sig_deadline: number; signature: Hex }
  if (permit === undefined) return basePermit
  const ways = [
    { amount: String(BigInt(basePermit.amount) + 1n) },
    { expiration: basePermit.expiration + 1 },
    { sig_deadline: basePermit.sig_deadline - 1 },
    { nonce: basePermit.nonce + 1 },
    { signature: flipped(basePermit.signature, random) },
  ]
  return { ...basePermit, ...ways[random.below(ways.length)] }
}

/** How many of these reached the sequencer. */
async function seenAmong(hashes: readonly Hex[]): Promise<number> {
  let count = 0
  for (let i = 0; i < hashes.length; i += 500) {
    const calls = hashes.slice(i, i + 500).map((hash, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'devnet_sequencerSeen',
      params: [hash],
    }))
    const answer = await fetch(world.devnet.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    })
    for (const { result } of (await answer.json()) as { result: number }[]) count += result
  }
  return count
}
