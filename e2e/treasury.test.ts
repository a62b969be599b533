import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import type { Hex } from '@pit/chain'
import { describeInFull } from '@pit/platform/test/tier'
import { type Answer, canonicalJson } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'
import { doTrade } from './trading/doTrade.ts'
import { balanceOf, openTrader, receiptOf, type Trader } from './trading/trader.ts'

// Fees from trades through plain HTTP to an operator's week, both compared with the chain's balances.

type Treasury = Answer<'treasury'>
const NATIVE = `0x${'0'.repeat(40)}` as const
const ETH = 10n ** 18n

let world: SessionWorld
let dataDir: string
let trader: Trader
let platform: Hex
let usdg: Hex

beforeAll(async () => {
  dataDir = await newServerDirectory()
  world = await openSessionWorld({ server: { DATA_DIR: dataDir } })
  trader = await openTrader(world.server.url, { account: 1 })
  platform = world.profile.fee_recipient!.toLowerCase() as Hex
  usdg = world.core('USDG')
})
afterAll(async () => {
  await world?.close()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

/** The operator's command, as a new operator runs it. */
function pitAdmin(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: dataDir,
    PROFILE: world.devnet.profileFile,
    CHAIN_RPC_URL: world.devnet.nodeUrls,
    SIGNER_URL: world.signer.url,
    SIGNER_OPERATOR_SECRET: world.signer.operatorSecret,
  }
  return new Promise((resolve) => {
    const file = ['dist/pitAdmin.js', '--operator', 'ada', ...args]
    execFile(process.execPath, file, { env, timeout: 120_000 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    )
  })
}
const done = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await pitAdmin(...args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}
const treasury = async (): Promise<Treasury> => {
  const answer = await fetch(`${world.server.url}/api/v1/treasury`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Treasury
}
const sums = async () => ({
  eth: await balanceOf(world.devnet, NATIVE, platform),
  usdg: await balanceOf(world.devnet, usdg, platform),
})
/** Transfers from another wallet without a trade. */
async function send(from: Hex, to: Hex, { wei = 0n, data = '0x' as Hex } = {}): Promise<Hex> {
  await world.devnet.rpc('hardhat_impersonateAccount', [from])
  const hash = await world.devnet.rpc<Hex>('eth_sendTransaction', [
    { from, to, value: `0x${wei.toString(16)}`, data, gas: '0x30d40' },
  ])
  expect((await receiptOf(world.devnet, hash)).status).toBe('0x1')
  return hash
}
const transferData = (to: string, atoms: bigint): Hex =>
  `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${atoms.toString(16).padStart(64, '0')}`

/** Verifies the answer with public data only. */
function expectChained({ weeks, integrity }: Treasury): void {
  const rows = weeks.filter(({ status }) => status !== 'preview').reverse()
  let prev: string | null = null
  for (const [i, { hash, ...row }] of rows.entries()) {
    expect(row.seq).toBe(i + 1)
    expect(row.prev_hash).toBe(prev)
    expect(
      createHash('sha256')
        .update(canonicalJson(row as never))
        .digest('hex'),
    ).toBe(hash)
    prev = hash
  }
  expect(integrity).toMatchObject({ ok: true, rows: rows.length, head: prev, broken_at: null })
}

describe('the treasury on a real chain', () => {
  const paid = { eth: 0n, usdg: 0n }

  it('shows the running week before anything is recorded', async () => {
    const answer = await treasury()
    expect(answer).toMatchObject({ platform_wallet: platform, split_bps: { operations: 5000 } })
    expect(answer.weeks.every(({ status, seq, hash }) => status === 'preview' && !seq && !hash)).toBe(true)
  })

  it('books fees of trades as received, and other transfers as outside, to the atom', async () => {
    const stranger = (await openTrader(world.server.url, { account: 8 })).wallet
    const before = await sums()
    const trades = [
      { tokenIn: NATIVE, tokenOut: usdg, request: { token_in: 'ETH', token_out: 'USDG', notional_usd: 400 } },
      { tokenIn: usdg, tokenOut: NATIVE, request: { token_in: 'USDG', token_out: 'ETH', notional_usd: 300 } },
      {
        tokenIn: usdg,
        tokenOut: world.core('PARTNER'),
        request: { token_in: 'USDG', token_out: 'PARTNER', notional_usd: 77 },
      },
    ]
    for (const { tokenIn, tokenOut, request } of trades) {
      const trade = await doTrade(world.devnet, trader, { tokenIn, tokenOut }, request)
      if (trade.plan.fee.token === NATIVE) paid.eth += trade.income
      else paid.usdg += trade.income
    }
    await send(stranger, platform, { wei: ETH / 100n })
    await send(stranger, usdg, { data: transferData(platform, 5_000_001n) })
    const after = await sums()
    expect(after.eth - before.eth).toBe(paid.eth + ETH / 100n)
    expect(after.usdg - before.usdg).toBe(paid.usdg + 5_000_001n)

    expect(await done('week', 'close', '--early')).toMatch(/Week \d{4}-W\d\d\.1 recorded as row 1/)
    const answer = await treasury()
    expectChained(answer)
    const row = answer.weeks.find(({ seq }) => seq === 1)!
    expect(row).toMatchObject({
      kind: 'week',
      status: 'booked',
      reconciliation: {
        status: 'agrees',
        counts: { agrees: 3, outside_ledger: 2, differences: 0 },
      },
    })
    const line = (token: string) => row.tokens.find((each) => each.token === token)
    expect(line(NATIVE)).toMatchObject({
      received: String(paid.eth),
      outside: String(ETH / 100n),
      outside_trades: 1,
      status: 'split',
      mark: { source: 'oracle_feed' },
    })
    expect(line(usdg)).toMatchObject({ received: String(paid.usdg), outside: '5000001', status: 'split' })
    for (const { pool, booked, carried_out } of row.tokens) {
      const shares = [booked.operations, booked.buybacks, booked.treasury].map(BigInt)
      expect(shares.reduce((sum, each) => sum + each, BigInt(carried_out))).toBe(BigInt(pool))
    }
    const held = new Map(answer.totals.map((each) => [each.token, each.held]))
    expect([held.get(NATIVE), held.get(usdg)]).toEqual([String(after.eth), String(after.usdg)])
  })

  it('moves booked fees in separate rows, as the chain shows the transfers', async () => {
    const before = await treasury()
    const owed = before.totals.find(({ token }) => token === usdg)!.owed
    const { operations, treasury: treasuryWallet } = world.profile.treasury_buckets
    const tx = await send(platform, usdg, { data: transferData(operations!, BigInt(owed.operations)) })
    const wei = BigInt(before.totals.find(({ token }) => token === NATIVE)!.owed.treasury)
    const ethTx = await send(platform, treasuryWallet as Hex, { wei })
    expect(await done('transfer', 'record', '--bucket', 'operations', '--tx', tx)).toContain('row 2')
    expect(await done('transfer', 'record', '--bucket', 'treasury', '--tx', ethTx)).toContain('row 3')
    const wrong = await pitAdmin('transfer', 'record', '--bucket', 'buybacks', '--tx', tx)
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('sends nothing') })
    const answer = await treasury()
    expectChained(answer)
    expect(answer.weeks.find(({ seq }) => seq === 2)).toMatchObject({
      kind: 'transfer',
      status: 'moved',
      transfers: [
        { bucket: 'operations', to: operations!.toLowerCase(), amount: owed.operations, tx_hash: tx },
      ],
    })
    const total = (token: string) => answer.totals.find((each) => each.token === token)!
    expect(total(usdg)).toMatchObject({ moved: { operations: owed.operations }, owed: { operations: '0' } })
    expect(total(NATIVE)).toMatchObject({ moved: { treasury: String(wei) }, owed: { treasury: '0' } })
    const now = await sums()
    expect([total(NATIVE).held, total(usdg).held]).toEqual([String(now.eth), String(now.usdg)])
  })

  it('continues with the next part of the week, whatever the platform wallet itself sent', async () => {
    const ends = { tokenIn: NATIVE, tokenOut: usdg } as const
    const request = { token_in: 'ETH', token_out: 'USDG', notional_usd: 90 }
    const trade = await doTrade(world.devnet, trader, ends, request)
    await done('week', 'close', '--early')
    const answer = await treasury()
    expectChained(answer)
    const [row] = answer.weeks.filter(({ kind, status }) => kind === 'week' && status !== 'preview')
    expect(row).toMatchObject({
      seq: 4,
      tokens: [{ token: NATIVE, received: String(trade.income), outside: '0' }],
      reconciliation: {
        status: 'agrees',
        // A public node has no traces: then the balance must add up.
        eth: process.env['STRICT'] === '1' ? 'balance' : 'trace',
        counts: { agrees: 1, outside_ledger: 0, differences: 0 },
      },
    })
    expect(row!.week.label).toMatch(/\.2$/)
  })
})

const hasPython = spawnSync('python3', ['--version']).status === 0
it.skipIf(!hasPython)('is checked by the script its page gives, from the answer alone', () => {
  const page = readFileSync('docs/reference/treasury.md', 'utf8')
  const script = /```python\n([\s\S]*?)```/.exec(page)![1]!
  const mine = script.replace('http://127.0.0.1:4663', world.server.url)
  expect(mine).not.toBe(script)
  const run = (text: string) => spawnSync('python3', ['-c', text], { encoding: 'utf8', timeout: 60_000 })
  expect(run(mine)).toMatchObject({ status: 0, stderr: '' })
  // The script would detect a change.
  const tampered = mine.replace('prev = None', 'prev = None; t["weeks"][-1]["recorded_at"] += 1')
  expect(run(tampered).stderr).toContain('AssertionError')
})

describeInFull('pit-admin beside a running server', () => {
  it('activates the kill switch, freezes and unfreezes the signer, and shows who did what', async () => {
    expect(await done('kill', 'on', '--reason', 'a drill')).toContain('kill is on')
    expect(await done('status')).toContain('a drill')
    expect(await done('signer', 'freeze', '--reason', 'a drill')).toContain('Signer frozen')
    expect((await world.signer.client.health()).frozen).toBe(true)
    expect(await done('signer', 'thaw', '--reason', 'over')).toContain('Signer resumed')
    expect((await world.signer.client.health()).frozen).toBe(false)
    await done('kill', 'off', '--reason', 'over')
    const actions = JSON.parse(await done('--json', 'audit', 'list')) as {
      action: string
      operator: string
    }[]
    expect(actions.map(({ action }) => action)).toEqual([
      'switch',
      'signer.thaw',
      'signer.thaw',
      'signer.freeze',
      'signer.freeze',
      'switch',
      'week.close',
      'transfer.record',
      'transfer.record',
      'week.close',
    ])
    expect(new Set(actions.map(({ operator }) => operator))).toEqual(new Set(['ada']))
  })

  it('works on the store itself once the server has stopped', async () => {
    await world.server.kill()
    expect(await done('live', 'off', '--reason', 'while it is down')).toContain('live is off')
    expect(await done('status')).toMatch(/treasury {2}4 rows/)
  })
})
