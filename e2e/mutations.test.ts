import type { Hex } from '@pit/chain'
import { ROUTES } from '@pit/protocol'
import { keccak256 } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom } from './fuzz/random.ts'
import { BYTE_WAYS, changeBytes } from './mutations/bytes.ts'
import { FORM_WAYS } from './mutations/combinations.ts'
import { FIELD_WAYS, type Ground, type Mutant } from './mutations/fields.ts'
import { createSubmitter, type Reply, seenAmong } from './mutations/submitter.ts'
import { buildGoods, type GoodPlan, openSigner, type Signer, shapesFor } from './mutations/validPlans.ts'
import { delegate } from './randomPlans/market.ts'
import { receiptOf } from './trading/trader.ts'
import { openTradingWorld, type TradingWorld } from './trading/world.ts'

// A hundred thousand by hand: MUTATIONS=100000 npx vitest run e2e/mutations.test.ts
const MUTATIONS = Number(process.env['MUTATIONS'] ?? 1_200)
const SEED = Number(process.env['MUTATIONS_SEED'] ?? 4663)
const AT_ONCE = 24
/** Plans are valid for two minutes: a mutated plan must be valid without the mutation. */
const FRESH_FOR_MS = 45_000
/** The devnet's sequencer remembers ten thousand. */
const MAX_AT_ONCE = 8_000

const random = createRandom(SEED)
let world: TradingWorld
let signers: Signer[]
let submitter: ReturnType<typeof createSubmitter>
beforeAll(async () => {
  // No test here waits for a job.
  world = await openTradingWorld({ server: { ROLE: 'api' } })
  const info = await world.devnet.rpc<{ accounts: { private_key: Hex }[] }>('devnet_info')
  await delegate(world, info.accounts[4]!.private_key)
  signers = [await openSigner(world.server.url, 3), await openSigner(world.server.url, 4)]
  submitter = createSubmitter(world.server.url, AT_ONCE)
})
afterAll(async () => {
  submitter?.close()
  await world?.close()
})

it(
  `relays none of ${MUTATIONS} transactions that differ from their plan, and all that match`,
  async () => {
    const shapes = await shapesFor(world, signers)
    const counts = new Map<string, Map<string, number>>()
    const faults: string[] = []
    let relayed = 0
    for (let done = 0; done < MUTATIONS; ) {
      const plans = await buildGoods(shapes)
      const goods = plans.flatMap((plan) => plan.goods)
      const ground: Ground = { goods, others: signers, random, sweep }
      const until = Math.min(MUTATIONS, done + MAX_AT_ONCE)
      const freshUntil = Date.now() + FRESH_FOR_MS
      const hashes: Hex[] = goods.map(({ hash }) => hash)
      const work = async () => {
        while (done < until && Date.now() < freshUntil) {
          done++
          const mutant = await draw(plans, ground)
          hashes.push(...mutant.raws.map((raw) => keccak256(raw)))
          const reply = await submitter.submit(mutant.key, mutant.body)
          const fault = faultOf(mutant, reply)
          if (fault) faults.push(`${mutant.name}: ${fault} ${JSON.stringify(mutant.body)}`)
          const codes = counts.get(mutant.name) ?? new Map<string, number>()
          codes.set(reply.code ?? 'relayed', (codes.get(reply.code ?? 'relayed') ?? 0) + 1)
          counts.set(mutant.name, codes)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      expect(faults.slice(0, 3)).toEqual([])
      expect([...(await seenAmong(world.devnet, hashes))]).toEqual([])
      // The same plans are relayed without the mutation.
      relayed += await relayAll(plans)
      if (MUTATIONS > MAX_AT_ONCE) console.log(`${done} mutated and refused, ${relayed} as built and relayed`)
    }
    report(counts, relayed)
    // Every mutation was tried, and many rules refused, not only the first one.
    expect(new Set([...counts.values()].flatMap((codes) => [...codes.keys()])).size).toBeGreaterThanOrEqual(6)
  },
  240_000 + MUTATIONS * 100,
)

const sweep = { good: 0, at: 0 }
const [FIELDS, BYTES, FORMS] = [FIELD_WAYS, BYTE_WAYS, FORM_WAYS].map((ways) => Object.keys(ways)) as [
  string[],
  string[],
  string[],
]

async function draw(plans: readonly GoodPlan[], ground: Ground): Promise<Mutant> {
  const part = random.next()
  if (part < 0.1) return FORM_WAYS[random.pick(FORMS)]!({ plans, others: signers, random })
  const good = random.pick(ground.goods)
  const mutant =
    part < 0.25
      ? await FIELD_WAYS['data_sweep']!(good, ground)
      : part < 0.6
        ? changeBytes(good, random.pick(BYTES), random)
        : await FIELD_WAYS[random.pick(FIELDS)]!(good, ground)
  // Ignores mutations without effect.
  const isGood = mutant === null || ground.goods.some((one) => isSame(mutant, one))
  return isGood ? draw(plans, ground) : mutant
}

const isSame = ({ body, key }: Mutant, good: GoodPlan['goods'][number]): boolean =>
  key === good.signer.key && body['raw_tx'] === good.raw

const DOCUMENTED: readonly string[] = [...ROUTES['live.submit'].errors, 'BAD_REQUEST']

function faultOf({ codes, field }: Mutant, { status, code, error }: Reply): string | null {
  if (status < 400 || code === null) return `answered ${status}`
  if (!DOCUMENTED.includes(code)) return `${code} is not documented`
  if (!codes.includes(code)) return `${code} instead of ${codes.join(' or ')}: ${error['message']}`
  if (field === undefined) return null
  const named = (error['diffs'] as { field: string }[]).map((diff) => diff.field)
  return named.includes(field) ? null : `the answer names ${named.join()}, not ${field}`
}

/** The wallet chooses nonce, gas and fees: signed with other values, each is relayed once and mined. */
async function relayAll(plans: readonly GoodPlan[]): Promise<number> {
  const hashes: Hex[] = []
  for (const signer of signers) {
    const count = await world.devnet.rpc<Hex>('eth_getTransactionCount', [signer.wallet, 'latest'])
    let nonce = Number(count)
    for (const { goods, apart, name } of plans.filter((plan) => plan.signer === signer)) {
      const signed = goods.map(({ tx }) => {
        const maxFeePerGas = tx.maxFeePerGas * BigInt(1 + random.below(4)) + BigInt(random.below(1_000))
        const maxPriorityFeePerGas = BigInt(random.below(1_000_000))
        const gas = tx.gas + BigInt(random.below(400_000))
        return signer.signPlain({ ...tx, nonce: nonce++, gas, maxFeePerGas, maxPriorityFeePerGas })
      })
      const bodies = apart
        ? [{ raw_txs: signed.map(({ raw }) => raw) }]
        : signed.map(({ raw }) => ({ raw_tx: random.chance(0.5) ? raw : `0x${raw.slice(2).toUpperCase()}` }))
      for (const body of bodies) {
        const { status, error } = await submitter.submit(signer.key, body)
        expect(status, `${name}: ${JSON.stringify(error)}`).toBe(200)
      }
      hashes.push(...signed.map(({ hash }) => hash))
    }
  }
  for (const hash of hashes) expect((await receiptOf(world.devnet, hash, 60_000)).status, hash).toBe('0x1')
  expect(await seenAmong(world.devnet, hashes)).toEqual(new Map(hashes.map((hash) => [hash, 1])))
  return hashes.length
}

function report(counts: Map<string, Map<string, number>>, relayed: number): void {
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = rows.map(
    ([name, codes]) => `${name}: ${[...codes].map(([code, count]) => `${code} ${count}`).join(', ')}`,
  )
  const total = new Map<string, number>()
  for (const [, codes] of rows)
    for (const [code, count] of codes) total.set(code, (total.get(code) ?? 0) + count)
  const sums = [...total].sort((a, b) => b[1] - a[1]).map(([code, count]) => `${code} ${count}`)
  if (MUTATIONS > 10_000) console.log(lines.join('\n'))
  console.log(
    `seed ${SEED}: ${MUTATIONS} mutated, none relayed (${sums.join(', ')}); as built: ${relayed} ` +
      'relayed once and mined',
  )
}
