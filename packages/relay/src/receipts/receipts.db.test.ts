import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, type Crypto, createCrypto, type Hex } from '@pit/chain'
import { createLogger } from '@pit/platform/monitoring'
import { RpcError } from '@pit/platform/rpc'
import { ETH, GAS_PRICE_WEI, GAS_USED, type ScriptedChain } from '@pit/platform/test/scriptedChain'
import { withDb } from '@pit/platform/test/withStore'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { curveSale, transfer, v4Swap, withdrawal } from '../../test/logs.ts'
import {
  CURVE,
  clock,
  createTestChain,
  emptyStore,
  feesOf,
  MEME,
  NATIVE,
  newWallet,
  openTestRelay,
  POOL_MANAGER,
  PROFILE,
  planOf,
  RECIPIENT,
  ROUTER,
  refused,
  rowOf,
  type StoredRow,
  type TestRelay,
  USDG,
  type Wallet,
  WETH,
} from '../../test/openTestRelay.ts'
import type { MinedTrade } from '../deps.ts'
import { sweepRefused } from '../sweepPlans.ts'
import { addressesOf } from './amounts.ts'
import { readOutcomes } from './readOutcomes.ts'
import { openRows } from './rows.ts'
import { createGivenUpWatcher, receiptsOf } from './settleRows.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await createCrypto()
})
const GAS = GAS_USED * GAS_PRICE_WEI
const ETHER_POOL = `0x${'e'.repeat(64)}` as Hex
const market = {
  head: () => null,
  onBlock: () => () => {},
  pool: (id: string) =>
    (id === ETHER_POOL ? { version: 'v4', token0: NATIVE, key: { hooks: NATIVE } } : undefined) as never,
  curveOf: (token: Address) =>
    (token === MEME ? { version: 'curve', id: CURVE, launchpad: 'pit' } : undefined) as never,
}

withDb('receipts', (db) => {
  let chain: ScriptedChain
  let relay: TestRelay
  let wallet: Wallet
  const opened: TestRelay[] = []
  const open = (options: Parameters<typeof openTestRelay>[3] = {}) => {
    const own = openTestRelay(db, crypto, chain, { follows: true, market, ...options })
    opened.push(own)
    return own
  }
  beforeEach(async () => {
    await emptyStore(db)
    wallet = newWallet(crypto)
    chain = createTestChain(crypto)
    relay = open()
  })
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
  })

  const expectRow = async (hash: Hex, row: Partial<StoredRow>, timeout = 15_000) => {
    await expect.poll(() => rowOf(db, hash), { timeout, interval: 20 }).toMatchObject(row)
    return rowOf(db, hash)
  }
  /** Relays a plan's only transaction and returns its hash. */
  const relayed = async (own: Parameters<TestRelay['plan']>[1] = {}, nonce = 0): Promise<Hex> => {
    const { signed } = await relay.plan(wallet, own, nonce)
    return (await relay.submit(wallet, { raws: signed[0]!.raw })).hashes[0]!
  }

  const followDeps = () => ({
    db,
    rpc: chain.rpc,
    logger: createLogger({ level: 'silent' }),
    addresses: addressesOf({ profile: PROFILE, market }),
  })

  /** Twenty trades for ETH that need a trace; the node takes this long for each. */
  async function readWithTraces(traceMs: number) {
    let under = 0
    const seen = { asked: 0, most: 0 }
    chain.on('debug_traceTransaction', async () => {
      seen.asked++
      seen.most = Math.max(seen.most, ++under)
      await sleep(traceMs)
      under--
      throw new RpcError('debug_traceTransaction', -32_601, 'no traces here', undefined)
    })
    const hashes: Hex[] = []
    for (let nonce = 0; nonce < 20; nonce++)
      hashes.push(await relayed({ tokenIn: USDG, tokenOut: NATIVE, side: 'output' }, nonce))
    await relay.close()
    chain.mine()
    const rows = await openRows(db, 0, 100)
    const receipts = await receiptsOf(chain.rpc, rows)
    const mined = rows.map((row) => ({ row, receipt: receipts.get(row.id)! }))
    return { hashes, seen, outcomes: await readOutcomes(followDeps(), mined) }
  }

  it('limit concurrent traces', async () => {
    const { hashes, seen, outcomes } = await readWithTraces(30)
    expect(outcomes.map(({ row }) => row.tx_hash)).toEqual(hashes)
    expect(seen).toEqual({ asked: 20, most: 8 })
  })

  it('that need a trace wait for the next round if the node is slow', async () => {
    const { seen, outcomes } = await readWithTraces(2_100)
    expect(seen.asked).toBeLessThanOrEqual(8)
    expect(outcomes).toHaveLength(seen.asked)
  })

  it('report trades of sessions once, when they are booked as mined', async () => {
    const mined: MinedTrade[] = []
    await relay.close()
    relay = open({ onMined: (trades) => mined.push(...trades), sessionOpen: () => true })
    const submit = async (sessionId: string | null, nonce: number) => {
      const plan = planOf(wallet)
      const path = sessionId === null ? 'agent' : 'session'
      await relay.storePlan({ keyId: wallet.keyId, wallet: wallet.address, path, sessionId, plan })
      const { raw } = wallet.sign(plan.txs[0]!, { nonce })
      return (await relay.submit(wallet, { raws: raw })).hashes[0]!
    }
    const [first, second] = [await submit('s_1', 0), await submit(null, 1)]
    const logs = [transfer(USDG, ROUTER, wallet.address, 1_234n)]
    chain.mine({ logs: { [first]: logs } })
    await expectRow(second, { status: 'mined' })
    await expectRow(first, { status: 'mined' })
    expect(mined).toMatchObject([{ sessionId: 's_1', txHash: first, logs: [{ address: USDG }] }])
  })

  describe('a mined trade', () => {
    it('has its block, the received amount and the paid fee, exact to the atom', async () => {
      const hash = await relayed()
      const logs = [
        transfer(USDG, ROUTER, wallet.address, 1_234n),
        transfer(USDG, wallet.address, ROUTER, 4n),
        transfer(MEME, ROUTER, wallet.address, 99_999n),
      ]
      // A Tuesday, 2023-11-14 22:13:20 UTC; its week began on Monday the 13th.
      const block = chain.mine({ timeS: 1_700_000_000, logs: { [hash]: logs } })
      await expectRow(hash, {
        status: 'mined',
        block: block.number,
        block_hash: block.hash,
        mined_at_s: 1_700_000_000,
        amount_out: '1230',
        amount_out_kind: 'actual',
      })
      expect(await feesOf(db, hash)).toEqual([
        { token: NATIVE, atoms: '2500', side: 'input', week_start_s: 1_699_833_600, block: block.number },
      ])
      expect(await relay.metrics.registry.metrics()).toMatch(/pit_relay_receipt_seconds_count 1/)
    })

    it('that reverted paid nothing and received nothing', async () => {
      const hash = await relayed()
      chain.mine({ reverted: [hash] })
      await expectRow(hash, { status: 'reverted', amount_out: null, amount_out_kind: null })
      expect(await feesOf(db, hash)).toEqual([])
    })

    it('that delivered nothing has no amount, and still paid its fee', async () => {
      const token = await relayed({ tokenOut: MEME }, 0)
      chain.mine({ logs: { [token]: [transfer(MEME, ROUTER, RECIPIENT, 5_000n)] } })
      await expectRow(token, { status: 'mined', amount_out: null, amount_out_kind: null })
      expect(await feesOf(db, token)).toMatchObject([{ atoms: '2500' }])
      const ether = await relayed({ tokenIn: USDG, tokenOut: NATIVE, side: 'output' }, 1)
      chain.traces.set(ether, { type: 'CALL', from: wallet.address, to: ROUTER, value: '0x0', calls: [] })
      chain.mine({ logs: { [ether]: [] } })
      await expectRow(ether, { status: 'mined', amount_out: null, amount_out_kind: null })
      expect(await feesOf(db, ether)).toEqual([])
    })

    it('pays a portion of a token as logged', async () => {
      const hash = await relayed({ tokenIn: MEME, tokenOut: USDG, side: 'output' })
      const logs = [transfer(USDG, ROUTER, RECIPIENT, 31n), transfer(USDG, ROUTER, wallet.address, 12_469n)]
      chain.mine({ logs: { [hash]: logs } })
      await expectRow(hash, { status: 'mined', amount_out: '12469', amount_out_kind: 'actual' })
      expect(await feesOf(db, hash)).toMatchObject([{ token: USDG, atoms: '31', side: 'output' }])
    })

    it.each<[string, (router: Address) => ReturnType<typeof withdrawal>[]]>([
      ['unwrapped', () => [withdrawal(WETH, ROUTER, 1_000_007n)]],
      ['given by a pool of ETH', () => [v4Swap(POOL_MANAGER, ETHER_POOL, ROUTER, 1_000_007n)]],
      [
        'made by both',
        () => [withdrawal(WETH, ROUTER, 400_000n), v4Swap(POOL_MANAGER, ETHER_POOL, ROUTER, 600_007n)],
      ],
    ])('for ETH %s derives the portion without a log', async (_, logs) => {
      const hash = await relayed({ tokenIn: USDG, tokenOut: NATIVE, side: 'output' })
      const before = 10n ** 18n
      const { number } = chain.mine({ logs: { [hash]: logs(ROUTER) } })
      chain.setBalance(ETH, wallet.address, before, number - 1)
      chain.setBalance(ETH, wallet.address, before + 1_000_007n - 2_500n - GAS, number)
      await expectRow(hash, { status: 'mined', amount_out: '997507', amount_out_kind: 'actual' })
      expect(await feesOf(db, hash)).toMatchObject([{ token: NATIVE, atoms: '2500', side: 'output' }])
    })

    it('for ETH uses the logs if the node has no old state', async () => {
      const hash = await relayed({ tokenIn: USDG, tokenOut: NATIVE, side: 'output' })
      chain.mine({ logs: { [hash]: [withdrawal(WETH, ROUTER, 40_000n)] } })
      await expectRow(hash, { status: 'mined', amount_out: '39900', amount_out_kind: 'actual' })
    })

    it('for ETH uses a trace if logs and balance differ, else the minimum', async () => {
      const more = async (nonce: number, trace: boolean) => {
        const hash = await relayed({ tokenIn: USDG, tokenOut: NATIVE, side: 'output' }, nonce)
        if (trace) {
          const calls = [
            { type: 'CALL', from: ROUTER, to: RECIPIENT, value: '0x65' },
            { type: 'CALL', from: ROUTER, to: wallet.address, value: '0x9c40' },
            { type: 'CALL', from: ROUTER, to: wallet.address, value: '0xff', error: 'reverted' },
          ]
          chain.traces.set(hash, { type: 'CALL', from: wallet.address, to: ROUTER, value: '0x0', calls })
        }
        const { number } = chain.mine({ logs: { [hash]: [withdrawal(WETH, ROUTER, 40_000n)] } })
        chain.setBalance(ETH, wallet.address, 0n, number - 1)
        chain.setBalance(ETH, wallet.address, 5_000_000_000n, number)
        return hash
      }
      const traced = await more(0, true)
      await expectRow(traced, { status: 'mined', amount_out: '40000', amount_out_kind: 'actual' })
      expect(await feesOf(db, traced)).toMatchObject([{ atoms: '101' }])
      const untold = await more(1, false)
      await expectRow(untold, { status: 'mined', amount_out: '900', amount_out_kind: 'minimum' })
      expect(await feesOf(db, untold)).toMatchObject([{ atoms: '100' }])
    })

    it('on a curve for ETH is net of the separate fee', async () => {
      const { signed } = await relay.plan(wallet, {
        tokenIn: MEME,
        tokenOut: NATIVE,
        side: 'output',
        feeAmount: 70n,
        steps: ['fee_transfer', 'swap'],
      })
      const [fee, swap] = signed.map(({ hash }) => hash) as [Hex, Hex]
      const submitting = relay.submit(wallet, { raws: signed.map(({ raw }) => raw) })
      await expect.poll(() => chain.sentTimes(fee), { timeout: 5_000, interval: 5 }).toBe(1)
      chain.mine()
      await submitting
      // The same log from another contract does not count.
      const logs = [curveSale(CURVE, wallet.address, 10_000n), curveSale(MEME, wallet.address, 77n)]
      chain.mine({ logs: { [swap]: logs } })
      await expectRow(swap, { status: 'mined', amount_out: '9930', amount_out_kind: 'actual' })
      await expectRow(fee, { status: 'mined' })
      expect(await feesOf(db, swap)).toEqual([])
      expect(await feesOf(db, fee)).toMatchObject([{ token: NATIVE, atoms: '70', side: 'output' }])
    })

    it('of a token with unreliable logs uses balances if nothing else moved them', async () => {
      await relay.close()
      relay = open({ isPlainToken: (token) => token !== MEME })
      const two = [0, 1]
      for (const crowded of two) {
        const hash = await relayed({ tokenOut: MEME }, crowded)
        const [before, after] = [chain.head(), chain.head() + 1]
        chain.setBalance(MEME, wallet.address, 5n, before)
        chain.setBalance(MEME, wallet.address, 985n, after)
        const logs: Parameters<ScriptedChain['mine']>[0] = {
          logs: { [hash]: [transfer(MEME, ROUTER, wallet.address, 1_000n)] },
        }
        if (crowded) {
          const other = newWallet(crypto)
          const stranger = chain.take(other.sign({ to: MEME, valueWei: 0n, data: '0x' }).raw)
          logs.logs![stranger] = [transfer(MEME, other.address, wallet.address, 3n)]
        }
        chain.mine(logs)
        await expectRow(
          hash,
          crowded
            ? { status: 'mined', amount_out: '900', amount_out_kind: 'minimum' }
            : { status: 'mined', amount_out: '980', amount_out_kind: 'actual' },
        )
      }
    })

    it('books what the recipient received of a taxed token, not what was sent', async () => {
      await relay.close()
      relay = open({ isPlainToken: (token) => token !== MEME })
      const hash = await relayed({ tokenIn: MEME, tokenOut: USDG, feeAmount: 500n })
      chain.setBalance(MEME, RECIPIENT, 1n, chain.head())
      chain.setBalance(MEME, RECIPIENT, 476n, chain.head() + 1)
      chain.mine({ logs: { [hash]: [transfer(MEME, wallet.address, RECIPIENT, 500n)] } })
      await expectRow(hash, { status: 'mined' })
      expect(await feesOf(db, hash)).toMatchObject([{ token: MEME, atoms: '475' }])
    })
  })

  describe('a transaction that is never mined', () => {
    it('is searched for an hour, then dropped', async () => {
      const hash = await relayed()
      await expectRow(hash, { status: 'pending' })
      clock.later(3_590)
      await expectRow(hash, { status: 'pending' })
      clock.later(20)
      await expectRow(hash, { status: 'dropped', amount_out: null, amount_out_kind: null })
    })

    it('is dropped if another transaction used its nonce', async () => {
      const hash = await relayed()
      await expectRow(hash, { status: 'pending' })
      const other = wallet.sign({ to: USDG, valueWei: 1n, data: '0x' }, { nonce: 0 })
      chain.mine({ only: [chain.take(other.raw)] })
      chain.setMode({ kind: 'ok' })
      // The node forgets transactions that can never be mined.
      chain.forget(hash)
      await expectRow(hash, { status: 'dropped' })
      const { signed } = await relay.plan(wallet)
      expect(signed).toHaveLength(1)
    })

    it('is booked with its fee if it is mined after all', async () => {
      const hash = await relayed()
      await expectRow(hash, { status: 'pending' })
      await relay.close()
      await db.query(`update trades set status = 'dropped', amount_out = null`)
      chain.mine({ logs: { [hash]: [transfer(USDG, ROUTER, wallet.address, 55n)] } })
      relay = open()
      await expectRow(hash, { status: 'mined', amount_out: '55' })
      expect(await feesOf(db, hash)).toHaveLength(1)
    })

    it('is searched for a few minutes if the sequencer refused it, and deleted after a month', async () => {
      const { signed } = await relay.plan(wallet)
      chain.setMode({ kind: 'refuse', words: 'insufficient funds' })
      await refused(relay.submit(wallet, { raws: signed[0]!.raw }))
      const { hash } = signed[0]!
      await relay.close()
      clock.later(299)
      const watch = createGivenUpWatcher({ ...followDeps(), clock })
      await watch()
      expect(await rowOf(db, hash)).toMatchObject({ status: 'refused', settled: false })
      clock.later(30)
      await watch()
      expect(await rowOf(db, hash)).toMatchObject({ status: 'refused', settled: true })
      expect(await sweepRefused({ db, clock })).toBe(0)
      clock.later(30 * 86_400)
      expect(await sweepRefused({ db, clock })).toBe(1)
      expect(await rowOf(db, hash)).toBeUndefined()
    })

    it('is processed in rounds, keeping only a wallet’s newest refused ones', async () => {
      await relay.close()
      const many = 20 * 200 + 10
      await db.query(
        `insert into trades (kind, wallet, key_id, path, status, tx_hash, signer, nonce, created_at_ms)
         select 'swap', $1, 1, 'agent', case when i <= ${many - 600} then 'dropped' else 'refused' end,
           '0x' || lpad(to_hex(i), 64, '0'), $1, i, $2
         from generate_series(1, ${many}) as i`,
        [wallet.address, clock.nowMs() - 400_000],
      )
      const lookups: string[] = []
      const request = followDeps().rpc
      const rpc = {
        ...request,
        batch: (calls: Parameters<typeof request.batch>[0]) => {
          lookups.push(...calls.map(([, params]) => params[0] as string))
          return request.batch(calls)
        },
      }
      const watch = createGivenUpWatcher({ ...followDeps(), rpc, clock })
      await watch()
      expect(lookups).toHaveLength(many - 10)
      await watch()
      expect(new Set(lookups).size).toBe(many)
      expect(lookups).toHaveLength(many)
      const remaining = await db.query(
        `select status, count(*)::int4 as n from trades group by status order by status`,
      )
      expect(remaining).toEqual([
        { status: 'dropped', n: many - 600 },
        { status: 'refused', n: 500 },
      ])
    }, 120_000)

    it('is settled after the hour', async () => {
      const hash = await relayed()
      await relay.close()
      await db.query(`update trades set status = 'dropped'`)
      clock.later(3_601)
      relay = open()
      await expectRow(hash, { status: 'dropped', settled: true })
    })
  })
})
