import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import type { RouteId } from '@pit/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { privateKeyOf } from '../fast/fastTrader.ts'
import type { Refused } from '../trading/expectRefusal.ts'
import type { StoryTokens } from '../trading/tokens.ts'
import { openTrader, type Plan, receiptOf, type Trader, type UnsignedStep } from '../trading/trader.ts'
import type { TradingWorld } from '../trading/world.ts'
import { signOtherwise } from './signOtherwise.ts'

interface Shared {
  world: TradingWorld
  tokens: StoryTokens
  trader: Trader
  other: Trader
  nonceBefore: string
  nonce(): Promise<string>
  good(): object
  refused(route: RouteId, body: object | string, key?: string | null): Promise<Refused>
}

/** Signed transactions that differ from the built ones, or have another sender or recipient. */
export function wrongSubmissions(shared: () => Shared): void {
  describe('a submission', () => {
    let plan: Plan
    let step: UnsignedStep
    let world: TradingWorld
    let trader: Trader
    let other: Trader
    beforeAll(async () => {
      ;({ world, trader, other } = shared())
      const { good } = shared()
      plan = (await trader.post<Plan>('live/prepare', good())).body
      step = plan.tx!
    })
    const submit = (body: object, who = trader) => shared().refused('live.submit', body, who.key)
    const fieldsOf = ({ error }: Refused) => (error['diffs'] as { field: string }[]).map(({ field }) => field)

    it('is one transaction or a few', async () => {
      const { raw } = trader.sign(step)
      const few: object[] = [
        {},
        { raw_tx: raw, raw_txs: [raw] },
        { raw_txs: [] },
        { raw_txs: Array(5).fill(raw) },
      ]
      const texts: object[] = [{ raw_tx: 'zz' }, { raw_tx: [raw] }, { raw_tx: raw.slice(0, -1) }]
      for (const body of [...few, ...texts, { raw_tx: raw, fee_tx_hash: '0x12' }]) {
        expect(await submit(body)).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
      }
      for (const raw_tx of ['0x', '0x80', '0x02', raw.slice(0, -2), `${raw}00`]) {
        expect((await submit({ raw_tx })).summary).toBe('422 SUBMIT_REJECTED')
      }
    })

    it('matches the built bytes', async () => {
      const word = (value: bigint) => value.toString(16).padStart(64, '0')
      const greedy = step.data.replace(word(BigInt(plan.amount_out_min)), word(1n)) as Hex
      expect(greedy).not.toBe(step.data)
      const otherwise = (kind: Parameters<typeof signOtherwise>[2]) =>
        signOtherwise(privateKeyOf(3), step, kind)
      const changed = (own: Partial<UnsignedStep>) => trader.sign({ ...step, ...own }).raw
      const rows: [Hex, string][] = [
        [changed({ value: `${BigInt(step.value) + 1n}` }), 'value'],
        [changed({ to: other.wallet }), 'to'],
        [changed({ data: greedy }), 'data'],
        [changed({ data: `${step.data}00` }), 'data'],
        [changed({ chain_id: 1 }), 'chain_id'],
        [await otherwise('legacy'), 'type'],
        [await otherwise('access list'), 'access_list'],
      ]
      for (const [raw_tx, field] of rows) {
        const answer = await submit({ raw_tx })
        expect(answer.summary).toBe('422 NOT_AS_BUILT')
        expect(fieldsOf(answer)).toEqual([field])
      }
      const created = await otherwise('creation')
      expect((await submit({ raw_tx: created })).summary).toBe('422 ROUTER_NOT_ALLOWED')
    })

    it('belongs to the key’s wallet, and was built for that key', async () => {
      const mine = { raw_tx: trader.sign(step).raw }
      expect((await submit(mine, other)).summary).toBe('403 WALLET_MISMATCH')
      expect((await submit({ raw_tx: other.sign(step).raw })).summary).toBe('403 WALLET_MISMATCH')
      // Of the same wallet, but nothing was built for this key.
      const answer = await submit(mine, await openTrader(world.server.url, { account: 3 }))
      expect(answer.summary).toBe('422 NOT_AS_BUILT')
      expect(fieldsOf(answer)).toEqual(['plan'])
    })

    it('pays a curve’s fee first', async () => {
      const bought = {
        ...shared().good(),
        token_out: shared().tokens.onCurve('ETH'),
        curve_fee_mode: 'two_step',
      }
      const { steps } = (await trader.post<Plan>('live/prepare', bought)).body
      expect(steps.map(({ kind }) => kind)).toEqual(['fee_transfer', 'swap'])
      const [fee, swap] = steps.map(({ tx }) => trader.sign(tx!))
      const swapped = steps.map(({ tx }, i) => trader.sign(tx!, { nonce: steps[1 - i]!.tx!.nonce }))
      const wrong = [
        { raw_tx: swap!.raw },
        { raw_txs: [swap!.raw, fee!.raw] },
        { raw_txs: swapped.map(({ raw }) => raw) },
        { raw_txs: [fee!.raw, fee!.raw] },
        { raw_tx: swap!.raw, fee_tx_hash: fee!.hash },
        { raw_tx: swap!.raw, fee_tx_hash: `0x${'ab'.repeat(32)}` },
      ]
      for (const body of wrong) {
        expect(await submit(body)).toMatchObject({ summary: '422 FEE_FIRST', error: { sent: [] } })
      }
    })

    it('was not relayed by any of these, and has an unused nonce', async () => {
      expect(await shared().nonce()).toBe(shared().nonceBefore)
      const { raw, hash } = trader.sign(step)
      expect((await trader.post('live/submit', { raw_tx: raw })).status).toBe(200)
      await receiptOf(world.devnet, hash)
      const { body } = await trader.post<Plan>('live/prepare', {
        ...shared().good(),
        amount_in: '50000000000000000',
      })
      const used = trader.sign(body.tx!, { nonce: step.nonce })
      expect((await submit({ raw_tx: used.raw })).summary).toBe('422 SUBMIT_REJECTED')
      expect(await world.devnet.rpc('eth_getTransactionReceipt', [used.hash])).toBeNull()
    })

    it('has a sender that the chain does not filter', async () => {
      const sized = { ...shared().good(), amount_in: '60000000000000000' }
      const { body } = await trader.post<Plan>('live/prepare', sized)
      const { raw, hash } = trader.sign(body.tx!)
      await world.devnet.rpc('devnet_filterSender', [trader.wallet, true])
      expect(await submit({ raw_tx: raw })).toMatchObject({
        summary: '422 SUBMIT_REJECTED',
        error: { why: expect.stringContaining('restricted addresses') },
      })
      expect(await world.devnet.rpc('eth_getTransactionReceipt', [hash])).toBeNull()
      await world.devnet.rpc('devnet_filterSender', [trader.wallet, false])
      expect((await trader.post('live/submit', { raw_tx: raw })).status).toBe(200)
      expect((await receiptOf(world.devnet, hash)).status).toBe('0x1')
    })

    it('arrives before its deadline, by the chain’s clock', async () => {
      const { body: late } = await trader.post<Plan>('live/prepare', shared().good())
      const { raw, hash } = trader.sign(late.tx!)
      await world.devnet.rpc('evm_increaseTime', [130])
      await sleep(1_500)
      const why = { error: { why: 'DEADLINE_PASSED' } }
      expect(await submit({ raw_tx: raw })).toMatchObject({ summary: '422 SUBMIT_REJECTED', ...why })
      expect(await world.devnet.rpc('devnet_sequencerSeen', [hash])).toBe(0)
    })
  })
}
