import { decodeExecute, type Hex } from '@pit/chain'
import { type Answer, fail } from '@pit/protocol'
import { ETH, MEME, quoteOf, USDG } from '@pit/trading/test/tradeFixtures'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  approved,
  body,
  call,
  caller,
  planRoutes,
  refusalOf,
  renew,
  w,
  wallet,
} from '../../test/plannerWorld.ts'

beforeEach(renew)

describe('an output below the quote', () => {
  const PROMISED = 50n * 10n ** 18n
  const short = { amountOut: (PROMISED * 9_950n) / 10_000n }
  beforeEach(() => {
    w.state = approved()
    w.simulation = short
  })

  it('is a mismatch if the quote’s own block does not deliver it either', async () => {
    w.onBlock = { 100: { amountOut: short.amountOut + 5n } }
    const error = await refusalOf(call('live.prepare'))
    expect(error.code).toBe('QUOTE_SIM_MISMATCH')
    expect(error.message).toContain(`promises ${PROMISED} atoms`)
    expect(error.extras['simulation']).toMatchObject({ ok: true, amount_out: short.amountOut.toString() })
    expect(w.simulated.map(({ block }) => block)).toEqual([undefined, 100])
    expect(w.simulated[1]).toEqual({ ...w.simulated[0], block: 100 })
    // On the quote's block itself nothing can have moved.
    w.simulated.length = 0
    w.simulation = { ...short, block: 100 }
    expect((await refusalOf(call('live.prepare'))).code).toBe('QUOTE_SIM_MISMATCH')
    expect(w.simulated).toHaveLength(1)
  })

  it('is a market move if that block delivers it', async () => {
    w.onBlock = { 100: { amountOut: PROMISED } }
    expect(await call('live.prepare')).toMatchObject({ ready: true, simulation: { ok: true } })
  })

  it('passes if that block cannot be simulated', async () => {
    w.onBlock = { 100: { ok: false, amountOut: null } }
    expect((await call('live.prepare')).ready).toBe(true)
    Object.defineProperty(w.onBlock, 100, { get: () => fail('RPC_UNAVAILABLE') })
    expect((await call('live.prepare')).ready).toBe(true)
  })

  it('within the rounding of taxes and divisions is accepted', async () => {
    w.simulation = { amountOut: (PROMISED * 9_998n) / 10_000n }
    expect((await call('live.prepare')).ready).toBe(true)
    expect(w.simulated).toHaveLength(1)
  })
})

describe('a simulation of a fresh wallet', () => {
  const simulate = (over: object) => {
    const handler = planRoutes()['live.simulate']
    const sent = { ...body(), wallet, model: 'first' as const, ...over }
    const answer = handler({ body: sent, caller: caller(), params: {}, query: {} })
    return Promise.resolve(answer) as Promise<Extract<Answer<'live.simulate'>, { synthetic: boolean }>>
  }
  const kindsOf = async (over: object = {}) => (await simulate(over)).transactions.map(({ kind }) => kind)
  const commandsOf = ({ transactions }: (typeof w.simulated)[number]) => {
    const read = decodeExecute(transactions.at(-1)!.tx.data)
    return read.ok ? read.call.commands.map(({ command }) => command) : []
  }

  it('approves, then swaps with a permit, whatever the wallet approved before', async () => {
    for (const state of [{}, approved()]) {
      w.state = state
      w.simulated.length = 0
      expect(await kindsOf()).toEqual(['approve', 'swap'])
      const [request] = w.simulated
      expect(request).toMatchObject({ approvals: 'taken back', permitSigner: 'anybody' })
      expect(commandsOf(request!)[0]).toBe('PERMIT2_PERMIT')
    }
  })

  it('has neither for ETH input', async () => {
    w.quoteFor = () => quoteOf({ tokenIn: ETH, amountIn: 10n ** 15n }).quote
    expect(await kindsOf()).toEqual(['swap'])
    expect(w.simulated[0]).toMatchObject({ permitSigner: 'wallet' })
  })

  it('for a wallet that approved everything has the swap alone', async () => {
    expect(await kindsOf({ model: 'later', permit_mode: 'transaction' })).toEqual(['swap'])
    expect(w.simulated[0]).toMatchObject({ approvals: 'in place' })
  })

  it('reports whether the fee was paid, as a portion too', async () => {
    const feePaid = async (said: typeof w.simulation) => {
      w.simulation = said
      const { checks } = await simulate({})
      expect(checks.map(({ code }) => code)).toEqual(['APPROVE', 'SWAP', 'DELIVERED', 'FEE_PAID'])
      return checks.at(-1)
    }
    // 50 bps of 100 dollars.
    expect(await feePaid({ feeTransfer: 500_000n })).toMatchObject({ ok: true, limit: '500000' })
    expect(await feePaid({ feeTransfer: 499_999n })).toMatchObject({ ok: false, value: '499999' })
    w.quoteFor = () =>
      quoteOf({ tokenIn: MEME, tokenOut: USDG, feeSide: 'output', amountOut: 100_000_000n }).quote
    const arrived = { amountOut: 99_500_000n, feeTransfer: 500_000n }
    expect(await feePaid(arrived)).toMatchObject({ ok: true, value: '500000', limit: '500000' })
    expect(await feePaid({ ...arrived, feeTransfer: 1_000n })).toMatchObject({ ok: false })
    const reverted = { ok: false, amountOut: null, feeTransfer: 0n, error: 'swap: it reverts' }
    expect(await feePaid(reverted)).toMatchObject({ ok: false, value: null })
  })
})

describe('a pending transaction of the wallet', () => {
  const hash: Hex = `0x${'ab'.repeat(32)}`
  const stuck = async (nonce: number) => {
    w.state = { ...approved(), nonce: 9, minedNonce: 7 }
    w.waiting = { nonce, tx_hash: hash, created_at_ms: 1_000 }
    const { wallet_state } = await call('live.build')
    expect(wallet_state).toMatchObject({ nonce: 9, mined_nonce: 7 })
    return wallet_state['stuck']
  }

  it('is shown, with how to replace it', async () => {
    expect(await stuck(7)).toMatchObject({
      nonce: 7,
      tx_hash: hash,
      since: 1,
      replace: expect.stringMatching(/nonce 7.*at least 10% above/),
    })
  })

  it('behind a missing nonce names that nonce', async () => {
    const replace = expect.stringContaining(`${hash} with nonce 8 is waiting for it`)
    expect(await stuck(8)).toMatchObject({ nonce: 7, tx_hash: null, replace })
  })

  it('is not shown once another one used its nonce', async () => {
    expect(await stuck(6)).toBeNull()
  })
})
