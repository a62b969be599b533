import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Address,
  curveAbi,
  encodeBatch,
  encodeCurveBuy,
  encodeCurveSell,
  encodeErc20Approve,
  encodePermit2Approve,
  type Hex,
  NATIVE,
} from '@pit/chain'
import { isPitError } from '@pit/protocol'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SimulateAsk } from '../../packages/server/src/features/trade/simulate/index.ts'
import { lower, openSimulatorWorld, type Receipt, type SimulatorWorld, type Trade } from './simulatorWorld.ts'

/** The simulator against a real node: what it foretells is what is mined, to the atom. */

let it: SimulatorWorld
beforeAll(async () => {
  it = await openSimulatorWorld()
})
afterAll(() => it?.close())

const ETH = 10n ** 18n
const USD = 10n ** 6n
const MAX_UINT256 = (1n << 256n) - 1n
/** `sync()` of a v2 pair. */
const SYNC = '0xfff6cae9'
const MAX_UINT160 = (1n << 160n) - 1n
/** Nobody's: it holds nothing. */
const BROKE: Address = '0x00000000000000000000000000000000b0b0b0b0'
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'passed',
    (error) => (isPitError(error) ? error.code : String(error)),
  )
const before = ({ blockNumber }: Receipt): Hex => `0x${(BigInt(blockNumber) - 1n).toString(16)}`

/** What a mined swap really gave to wallet and fee recipient, gas set aside. */
async function mineAndCompare({ ask, swap }: Trade) {
  const receipt = await it.mine(swap.tx)
  expect(receipt.status).toBe('0x1')
  const grown = async (token: Address, owner: Address) =>
    (await it.balance(token, owner, receipt.blockNumber)) - (await it.balance(token, owner, before(receipt)))
  const gasWei = ask.tokenOut === NATIVE ? BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) : 0n
  return {
    amountOut: (await grown(ask.tokenOut, ask.wallet)) + gasWei,
    fee: await grown(ask.fee.token, ask.fee.recipient),
    gasUsed: Number(receipt.gasUsed),
  }
}

describe('a plan of a wallet that has what it needs', () => {
  test('ETH to USDG: output, fee and gas are those of the mined transaction', async () => {
    const trade = await it.trade({
      wallet: it.account(1),
      tokenIn: NATIVE,
      tokenOut: it.core('USDG'),
      amountIn: 2n * ETH,
      side: 'input',
    })
    const foretold = await it.simulator.simulatePlan(trade.ask)
    expect(foretold).toMatchObject({
      ok: true,
      error: null,
      fundedByOverrides: false,
      amountOut: trade.expectedOut,
      feeTransfer: trade.expectedFee,
      transactions: [{ kind: 'swap', ok: true, error: null }],
    })
    expect(foretold.block).toBeGreaterThan(0)
    expect(foretold.transactions[0]!.logs.length).toBeGreaterThan(1)
    expect(await mineAndCompare(trade)).toEqual({
      amountOut: foretold.amountOut,
      fee: foretold.feeTransfer,
      gasUsed: foretold.gasTotal,
    })
  })

  test('USDG to ETH: approvals in place cost nothing, and gas is not taken for a loss', async () => {
    const [wallet, usdg] = [it.account(2), it.core('USDG')]
    const trade = await it.trade({
      wallet,
      tokenIn: usdg,
      tokenOut: NATIVE,
      amountIn: 3_000n * USD,
      side: 'output',
    })
    const bare = await it.simulator.simulatePlan(trade.ask)
    expect(bare).toMatchObject({
      ok: false,
      amountOut: null,
      error: 'swap: Permit2 has no allowance for the router',
    })
    const foretold = await it.simulator.simulatePlan({ ...trade.ask, approvals: 'in place' })
    expect(foretold).toMatchObject({
      ok: true,
      fundedByOverrides: false,
      amountOut: trade.expectedOut,
      feeTransfer: trade.expectedFee,
    })
    expect(foretold.transactions).toHaveLength(1)
    const allowance = { token: usdg, spender: it.router, amount: MAX_UINT160, expiration: 2 ** 47 }
    await it.mine(it.tx(wallet, usdg, encodeErc20Approve(it.permit2, MAX_UINT256)))
    await it.mine(it.tx(wallet, it.permit2, encodePermit2Approve(allowance)))
    // A pool writes its first trade of a second down, which costs gas: neither run is to be the second.
    await sleep(1_100)
    // Now they are in place indeed.
    const again = await it.simulator.simulatePlan(trade.ask)
    expect(again).toMatchObject({ ok: true, amountOut: foretold.amountOut })
    expect(await mineAndCompare(trade)).toEqual({
      amountOut: foretold.amountOut,
      fee: foretold.feeTransfer,
      gasUsed: foretold.gasTotal,
    })
  })

  test('is held to its own balance where that is asked for', async () => {
    const ask = {
      wallet: BROKE,
      tokenIn: NATIVE,
      tokenOut: it.core('USDG'),
      amountIn: ETH,
      side: 'input',
    } as const
    const trade = await it.trade(ask)
    const broke = await it.simulator.simulatePlan(trade.ask)
    expect(broke).toMatchObject({
      ok: false,
      fundedByOverrides: false,
      amountOut: null,
      feeTransfer: null,
      gasTotal: null,
      error: 'the ETH held does not cover value and gas',
      transactions: [{ kind: 'swap', ok: false }],
    })
    const auto = await it.simulator.simulatePlan({ ...trade.ask, fund: 'auto', holdsInput: false })
    expect(auto).toMatchObject({ ok: true, fundedByOverrides: true, amountOut: trade.expectedOut })
    const held = await it.simulator.simulatePlan({ ...trade.ask, fund: 'auto' })
    expect(held.ok).toBe(false)
  })
})

describe('lending', () => {
  const sale = async (token: Address, amountIn: bigint, change = {}) => {
    const usdg = it.core('USDG')
    const tokenOut = token === usdg ? NATIVE : usdg
    const ask = { wallet: BROKE, tokenIn: token, tokenOut, amountIn, side: 'output', change } as const
    const trade = await it.trade(ask)
    return { ...trade, ask: lent(trade.ask) }
  }
  const lent = (ask: SimulateAsk): SimulateAsk => ({ ...ask, fund: true, approvals: 'in place' })

  test.each([
    ['USDG', 500n * USD],
    ['WETH', ETH / 2n],
    ['cbBTC', 10n ** 6n],
    ['PARTNER', 1_000n * ETH],
    ['NVDA', 3n * ETH],
    ['SPY', ETH],
  ])('%s, sold by a wallet that has nothing', async (symbol, amountIn) => {
    const { ask, expectedOut, expectedFee } = await sale(it.core(symbol), amountIn)
    expect(await it.simulator.simulatePlan(ask)).toMatchObject({
      error: null,
      ok: true,
      fundedByOverrides: true,
      amountOut: expectedOut,
      feeTransfer: expectedFee,
    })
  })

  test.each([
    'good',
    'pausable',
    'blacklist',
    'mintable',
    'bytes32_symbol',
    'reverting_decimals',
    'upgradeable',
    'impersonator',
  ])('a token nobody vouches for: %s', async (name) => {
    const { ask, expectedOut } = await sale(it.specimen(name), 1_000n * ETH)
    const foretold = await it.simulator.simulatePlan(ask)
    expect(foretold).toMatchObject({ error: null, ok: true, amountOut: expectedOut })
  })

  test.each([
    ['fee_on_transfer', 300n],
    ['sell_taxed', 2_500n],
  ])('%s delivers less than was quoted, and the balance tells', async (name, taxBps) => {
    const { ask, expectedOut } = await sale(it.specimen(name), 1_000n * ETH, { amountOutMin: 0n })
    const { ok, amountOut, error } = await it.simulator.simulatePlan({ ...ask, amountOutMin: expectedOut })
    const untaxed = (expectedOut * (10_000n - taxBps)) / 10_000n
    expect(Number(amountOut)).toBeGreaterThan(Number(untaxed) * 0.999)
    expect(Number(amountOut)).toBeLessThan(Number(untaxed) * 1.01)
    expect(ok).toBe(false)
    expect(error).toBe(`it delivers ${amountOut}, less than the minimum of ${expectedOut}`)
  })

  test('a rebasing token, whatever its scale', async () => {
    const token = it.specimen('rebasing')
    for (const index of [ETH, 1_234_567_891_234_567_891n, ETH / 3n]) {
      await it.devnet.chain.admin('hardhat_setStorageAt', [
        token,
        '0x7',
        `0x${index.toString(16).padStart(64, '0')}`,
      ])
      const { pools } = await sale(token, ETH)
      await it.mine(it.tx(it.account(1), pools[0]!, SYNC))
      const { ask, expectedOut } = await sale(token, 1_000n * ETH)
      const { amountOut, error } = await it.simulator.simulatePlan(ask)
      expect(error).toBeNull()
      // Shares round, by an atom or two.
      expect(Number(amountOut! - expectedOut)).toBeCloseTo(0, -1)
    }
  })

  test('a token that moved its balances is found again', async () => {
    const token = it.specimen('good')
    const { ask, expectedOut } = await sale(token, 1_000n * ETH)
    expect((await it.simulator.simulatePlan(ask)).ok).toBe(true)
    const kept = await it.rpc.request<Hex>('eth_getCode', [token, 'latest'])
    // Says the balance in slot 9's mapping: other code under the same address.
    const code = '0x600435600052600960205260406000205460005260206000f3'
    await it.devnet.chain.admin('hardhat_setCode', [token, code])
    const moved = await it.simulator.simulatePlan({ ...ask, amountOutMin: 0n })
    expect(moved.fundedByOverrides).toBe(true)
    await it.devnet.chain.admin('hardhat_setCode', [token, kept])
    expect(await it.simulator.simulatePlan(ask)).toMatchObject({ ok: true, amountOut: expectedOut })
  })

  test.each(['lying_balance', 'gas_burner'])('%s cannot be lent', async (name) => {
    const { ask } = await sale(it.specimen(name), 1_000n * ETH)
    expect(await codeOf(it.simulator.simulatePlan(ask))).toBe('DRY_RUN_UNFUNDABLE')
    // Its claim of a balance is not believed: the sale itself has to work.
    const claimed = await it.simulator.simulatePlan({ ...ask, fund: 'auto', holdsInput: true })
    expect(claimed).toMatchObject({ ok: false, amountOut: null, fundedByOverrides: false })
  })

  test('a sale of the synthetic wallet, permit and all', async () => {
    const { wallet, signPermit } = it.simulator.synthetic
    const token = it.core('USDG')
    const amountIn = 700n * USD
    const details = { token, amount: amountIn, expiration: 2 ** 40, nonce: 0 }
    const permit = { details, spender: it.router, sigDeadline: 1n << 40n }
    const wish = { wallet, tokenIn: token, tokenOut: NATIVE, amountIn, side: 'output' } as const
    const signed = await it.trade({ ...wish, change: { permit: { permit, signature: signPermit(permit) } } })
    const approve = {
      kind: 'approve' as const,
      tx: it.tx(wallet, token, encodeErc20Approve(it.permit2, amountIn)),
    }
    const first = await it.simulator.simulatePlan({
      ...signed.ask,
      transactions: [approve, signed.swap],
      fund: true,
      holdsInput: false,
    })
    expect(first).toMatchObject({ error: null, ok: true, amountOut: signed.expectedOut })
    expect(first.transactions.map(({ kind, ok }) => [kind, ok])).toEqual([
      ['approve', true],
      ['swap', true],
    ])
    expect(first.gasTotal).toBe(first.transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0))

    const plain = await it.trade(wish)
    const later = await it.simulator.simulatePlan(lent(plain.ask))
    expect(later).toMatchObject({ ok: true, amountOut: signed.expectedOut })
    expect(later.gasTotal).toBeLessThan(first.gasTotal!)

    const other = await it.trade({
      ...wish,
      change: { permit: { permit, signature: `0x${'11'.repeat(64)}1b` } },
    })
    const forged = await it.simulator.simulatePlan({
      ...lent(other.ask),
      transactions: [approve, other.swap],
    })
    expect(forged.error).toMatch(/permit/)
  })
})

describe('a plan that fails says why in words', () => {
  const wish = () => ({
    wallet: it.account(3),
    tokenIn: NATIVE,
    tokenOut: it.core('USDG'),
    amountIn: ETH / 10n,
    side: 'input' as const,
  })

  test('a minimum out of reach, a deadline gone by', async () => {
    const { expectedOut } = await it.trade(wish())
    const dear = await it.trade({ ...wish(), change: { amountOutMin: expectedOut + 1n } })
    expect((await it.simulator.simulatePlan(dear.ask)).error).toMatch(/^swap: .*less.* than the minimum/)
    const exact = await it.trade({ ...wish(), change: { amountOutMin: expectedOut } })
    expect(await it.simulator.simulatePlan(exact.ask)).toMatchObject({ ok: true, amountOut: expectedOut })
    const late = await it.trade({ ...wish(), change: { deadlineS: it.devnet.chain.head().timestampS - 1n } })
    expect((await it.simulator.simulatePlan(late.ask)).error).toBe('swap: the deadline has passed')
  })

  test('too little gas, a fee cap under the base fee', async () => {
    const { ask, swap } = await it.trade(wish())
    const run = (change: object) =>
      it.simulator.simulatePlan({ ...ask, transactions: [{ ...swap, tx: { ...swap.tx, ...change } }] })
    const choked = await run({ gas: 60_000 })
    expect(choked).toMatchObject({ ok: false, amountOut: null })
    expect(choked.error).toMatch(/gas/i)
    expect((await run({ gas: 21_000 })).error).toBe('the gas limit is under what any such transaction needs')
    expect((await run({ maxFeePerGasWei: 1n })).error).toBe('the fee cap is under the base fee')
  })

  test('a paused stock and a blocked wallet: told before, and by the run', async () => {
    const nvda = it.core('NVDA')
    const usdg = it.core('USDG')
    const wallet = it.account(4)
    const [tokenIn, tokenOut] = [it.token(nvda, true), it.token(usdg)]
    const stocks = async () =>
      (await it.simulator.readWallet({ wallet, tokenIn, tokenOut, curve: null })).stocks[0]
    const { ask } = await it.trade({ wallet, tokenIn: nvda, tokenOut: usdg, amountIn: ETH, side: 'output' })
    const run = () => it.simulator.simulatePlan({ ...ask, approvals: 'in place' })
    expect(await stocks()).toEqual({ token: nvda, paused: false, blocked: false })
    expect((await run()).error).toBeNull()

    await it.rpc.request('devnet_pauseStock', ['NVDA', true])
    expect(await stocks()).toEqual({ token: nvda, paused: true, blocked: false })
    // Permit2 keeps the token's own words to itself.
    const refused = { ok: false, amountOut: null, error: expect.stringMatching(/or it refuses$/) }
    expect(await run()).toMatchObject(refused)
    await it.rpc.request('devnet_pauseStock', ['NVDA', false])

    await it.rpc.request('devnet_blockWallet', ['NVDA', wallet, true])
    expect(await stocks()).toEqual({ token: nvda, paused: false, blocked: true })
    expect(await run()).toMatchObject(refused)
    const { wallet: other } = it.simulator.synthetic
    const elsewhere = await it.simulator.readWallet({ wallet: other, tokenIn, tokenOut, curve: null })
    expect(elsewhere.stocks[0]!.blocked).toBe(false)
    await it.rpc.request('devnet_blockWallet', ['NVDA', wallet, false])
  })

  test('a honeypot is not to be sold', async () => {
    const trade = await it.trade({
      wallet: BROKE,
      tokenIn: it.specimen('honeypot'),
      tokenOut: it.core('USDG'),
      amountIn: ETH,
      side: 'output',
    })
    const sold = await it.simulator.simulatePlan({ ...trade.ask, fund: true, approvals: 'in place' })
    expect(sold).toMatchObject({ ok: false, fundedByOverrides: true })
    expect(sold.error).toMatch(/the token could not be taken from the wallet/)
  })
})

describe('curves', () => {
  const curve = () => {
    const found = it.devnet.world.longTail.find(
      ({ curve, graduated, pairs }) => curve && !graduated && pairs.includes('ETH'),
    )!
    return { token: lower(found.address), curve: lower(found.curve!) }
  }
  const terms = (amountIn: bigint, recipient: Address) => ({
    amountIn,
    amountOutMin: 0n,
    recipient,
    deadlineS: it.devnet.chain.head().timestampS + 600n,
  })

  test('a purchase in two steps, its fee first', async () => {
    const { token, curve: at } = curve()
    const wallet = it.account(5)
    const [fee, amountIn] = [ETH / 400n, ETH / 10n]
    const ask: SimulateAsk = {
      wallet,
      transactions: [
        { kind: 'fee_transfer', tx: it.tx(wallet, it.recipient, '0x', fee) },
        {
          kind: 'swap',
          tx: it.tx(wallet, at, encodeCurveBuy(terms(amountIn - fee, wallet)), amountIn - fee),
        },
      ],
      tokenIn: NATIVE,
      tokenOut: token,
      amountIn,
      fee: { token: NATIVE, recipient: it.recipient },
      amountOutMin: 1n,
      fund: false,
      holdsInput: true,
      approvals: 'as planned',
    }
    const bought = await it.simulator.simulatePlan(ask)
    expect(bought).toMatchObject({ error: null, ok: true, feeTransfer: fee })
    expect(bought.amountOut).toBeGreaterThan(0n)
    const tooDear = terms(amountIn - fee, wallet)
    tooDear.amountOutMin = bought.amountOut! + 1n
    const swap = {
      ...ask.transactions[1]!,
      tx: { ...ask.transactions[1]!.tx, data: encodeCurveBuy(tooDear) },
    }
    const refused = await it.simulator.simulatePlan({ ...ask, transactions: [ask.transactions[0]!, swap] })
    expect(refused.error).toBe(
      `swap: the curve gives ${bought.amountOut}, less than the minimum of ${tooDear.amountOutMin}`,
    )
    // The first step went through: that is what a fee sent first means.
    expect(refused).toMatchObject({ ok: false, amountOut: null, feeTransfer: fee })
    expect(refused.transactions.map(({ ok }) => ok)).toEqual([true, false])
  })

  test('a sale on a lent balance: the curve is approved, and ETH is what came in', async () => {
    const { token, curve: at } = curve()
    const wallet = BROKE
    const amountIn = 1_000n * ETH
    const ask: SimulateAsk = {
      wallet,
      transactions: [{ kind: 'swap', tx: it.tx(wallet, at, encodeCurveSell(terms(amountIn, wallet))) }],
      tokenIn: token,
      tokenOut: NATIVE,
      amountIn,
      fee: { token: NATIVE, recipient: it.recipient },
      amountOutMin: 1n,
      fund: true,
      holdsInput: false,
      approvals: 'in place',
    }
    const sold = await it.simulator.simulatePlan(ask)
    expect(sold).toMatchObject({ error: null, ok: true, fundedByOverrides: true, feeTransfer: 0n })
    const data = encodeFunctionData({ abi: curveAbi, functionName: 'quoteSell', args: [amountIn] })
    const quoted = await it.rpc.request<Hex>('eth_call', [{ to: at, data }, 'latest'])
    expect(sold.amountOut).toBe(BigInt(quoted.slice(0, 66)))
  })

  test('a batch of a delegated wallet spends ETH that no transaction carries', async () => {
    const { token, curve: at } = curve()
    const { stateless_delegator } = it.devnet.world.profile.delegation
    const wallet: Address = '0x00000000000000000000000000000000de1e6a7e'
    await it.devnet.chain.admin('hardhat_setCode', [wallet, `0xef0100${stateless_delegator.slice(2)}`])
    const [fee, amountIn] = [ETH / 400n, ETH / 10n]
    const data = encodeBatch([
      { to: it.recipient, valueWei: fee, data: '0x' },
      { to: at, valueWei: amountIn - fee, data: encodeCurveBuy(terms(amountIn - fee, wallet)) },
    ])
    const ask: SimulateAsk = {
      wallet,
      transactions: [{ kind: 'swap', tx: it.tx(wallet, wallet, data) }],
      tokenIn: NATIVE,
      tokenOut: token,
      amountIn,
      fee: { token: NATIVE, recipient: it.recipient },
      amountOutMin: 1n,
      fund: 'auto',
      holdsInput: false,
      approvals: 'as planned',
    }
    expect(await it.simulator.simulatePlan(ask)).toMatchObject({ error: null, ok: true, feeTransfer: fee })
    const state = await it.simulator.readWallet({
      wallet,
      tokenIn: it.token(NATIVE),
      tokenOut: it.token(token),
      curve: at,
    })
    expect(state).toMatchObject({ delegatedTo: stateless_delegator.toLowerCase(), hasOtherCode: false })
  })
})

describe('a wallet', () => {
  test('is read whole in one round trip', async () => {
    const wallet = it.account(6)
    const usdg = it.core('USDG')
    const spender = it.core('PARTNER')
    await it.mine(it.tx(wallet, usdg, encodeErc20Approve(it.permit2, 77n)))
    await it.mine(it.tx(wallet, usdg, encodeErc20Approve(spender, 88n)))
    const allowance = { token: usdg, spender: it.router, amount: 66n, expiration: 2 ** 40 }
    await it.mine(it.tx(wallet, it.permit2, encodePermit2Approve(allowance)))
    const state = await it.simulator.readWallet({
      wallet,
      tokenIn: it.token(usdg),
      tokenOut: it.token(NATIVE),
      curve: spender,
    })
    expect(state).toEqual({
      wallet,
      block: expect.any(Number),
      nonce: Number(await it.rpc.request('eth_getTransactionCount', [wallet, 'pending'])),
      balanceWei: await it.balance(NATIVE, wallet),
      balanceIn: await it.balance(usdg, wallet),
      allowance: 77n,
      permit: { amount: 66n, expirationS: 2 ** 40, nonce: 0 },
      curveAllowance: 88n,
      delegatedTo: null,
      hasOtherCode: false,
      stocks: [],
    })
    expect(Math.abs(state.block - Number(it.devnet.chain.head().number))).toBeLessThan(200)
    const contract = await it.simulator.readWallet({
      wallet: it.router,
      tokenIn: it.token(NATIVE),
      tokenOut: it.token(usdg),
      curve: null,
    })
    expect(contract).toMatchObject({
      delegatedTo: null,
      hasOtherCode: true,
      allowance: 0n,
      curveAllowance: 0n,
    })
    expect(contract.balanceIn).toBe(contract.balanceWei)
  })

  test('is not read by halves: a token that does not answer is an end of it', async () => {
    const ask = { wallet: it.account(6), tokenOut: it.token(NATIVE), curve: null }
    const mute = it.token(it.specimen('gas_burner'))
    expect(await codeOf(it.simulator.readWallet({ ...ask, tokenIn: mute }))).toBe('RPC_UNAVAILABLE')
    // USDG can be paused by nobody, so it is no stock token, whoever says so.
    const unlike = it.token(it.core('USDG'), true)
    expect(await codeOf(it.simulator.readWallet({ ...ask, tokenIn: unlike }))).toBe('RPC_UNAVAILABLE')
  })
})
