import { type Address, encodeDisable, endAllCall, type Hex, NATIVE, type PermitSingle } from '@pit/chain'
import { encodeErc20Approve, encodeErc20Transfer, encodeLockdown, encodePermit2Approve } from '@pit/plans'
import { describe, expect, it } from 'vitest'
import {
  at,
  batch,
  buy,
  type Call,
  context,
  ETH_CURVE,
  ETHER,
  onUsdgCurve,
  pins,
  RETURN,
  reviewCallOf,
  root,
  swap,
  THIEF,
  TOKEN,
  textsOf,
  transactionOf,
  USDG,
  USDG_CURVE,
  WALLET,
} from '../../test/reviewKit.ts'
import { reviewSigning } from './reviewSigning.ts'
import { SigningRefused } from './terms.ts'

const DEADLINE_S = 1_900_000_000n

describe('effects', () => {
  it('of a trade are its input, its fee and its minimum', () => {
    expect(textsOf(reviewCallOf(swap()))).toEqual([
      `Leaves this wallet: up to 0.9975 ETH to the pinned exchange ${pins.router}`,
      `Leaves this wallet: up to 0.0025 ETH to the pinned fee recipient ${pins.feeRecipient}`,
      'Arrives: at least 12,345.6 USDG in this wallet',
      'Network fee: at most 0.000000000000065536 ETH',
    ])
  })
  it('of a listed curve are what it takes and what it gives, in ETH or in its pair', () => {
    expect(textsOf(reviewCallOf({ to: ETH_CURVE.id, data: buy(), value: 5n * ETHER })).slice(0, 2)).toEqual([
      `Leaves this wallet: up to 5 ETH to the launchpad curve ${ETH_CURVE.id}`,
      `Arrives: at least 1 atoms of the unpinned token ${TOKEN} in this wallet`,
    ])
    const { effects, warnings } = reviewCallOf({ to: USDG_CURVE.id, data: onUsdgCurve('buy') })
    expect(effects.slice(0, 2)).toMatchObject([
      { kind: 'leaves', token: USDG, atMost: 2_000_000n, to: USDG_CURVE.id },
      { kind: 'arrives', token: USDG_CURVE.token, atLeast: 7n, bound: 'pro_rata' },
    ])
    expect(warnings.join()).toContain('no deadline')
    expect(reviewCallOf({ to: USDG_CURVE.id, data: onUsdgCurve('sell') }).effects).toMatchObject([
      { kind: 'leaves', token: USDG_CURVE.token },
      { kind: 'arrives', token: USDG, bound: 'strict' },
      { kind: 'network_fee' },
    ])
  })
  it('of a batch are the sum of its calls', () => {
    const fee = { to: pins.feeRecipient, data: '0x', value: 5n } as const
    const bought = { to: ETH_CURVE.id, data: buy(), value: 5n * ETHER }
    const { effects, title } = reviewCallOf(batch(fee, bought, fee))
    expect(title).toBe('3 calls in one transaction')
    expect(effects).toMatchObject([
      { kind: 'leaves', atMost: 10n, to: pins.feeRecipient },
      { kind: 'leaves', atMost: 5n * ETHER, to: ETH_CURVE.id },
      { kind: 'arrives' },
      { kind: 'network_fee' },
    ])
  })
  it('warn of a token and of a pool’s code outside the pins', () => {
    const key = { currency0: NATIVE, currency1: TOKEN, fee: 500, tickSpacing: 10, hooks: THIEF }
    const pool = `0x${'0'.repeat(64)}` as const
    const legs = [
      { amountIn: ETHER, hops: [{ version: 'v4', pool, tokenIn: NATIVE, tokenOut: TOKEN, key } as const] },
    ]
    const fee = { bps: 0, side: 'input', recipient: pins.feeRecipient } as const
    const { warnings, effects } = reviewCallOf(swap({ tokenOut: TOKEN, legs, fee }))
    expect(warnings).toEqual([
      `A pool of the route runs code that is not pinned: ${THIEF}.`,
      `${TOKEN} is not a pinned token: this wallet cannot tell whether it is worth anything.`,
    ])
    expect(effects[1]).toMatchObject({ kind: 'arrives', bound: 'before_tax' })
  })
})

describe('an approval', () => {
  it.each<[string, Call, Address[]]>([
    ['Permit2', { to: USDG, data: encodeErc20Approve(pins.permit2, 1n) }, []],
    ['a listed curve of this token', { to: TOKEN, data: encodeErc20Approve(ETH_CURVE.id, 1n) }, []],
    ['a curve of another token', { to: USDG, data: encodeErc20Approve(ETH_CURVE.id, 1n) }, [ETH_CURVE.id]],
    ['a stranger', { to: USDG, data: encodeErc20Approve(THIEF, 1n) }, [THIEF]],
    [
      'the router at Permit2',
      {
        to: pins.permit2,
        data: encodePermit2Approve({ token: USDG, spender: pins.router, amount: 9n, expiration: 9 }),
      },
      [],
    ],
    [
      'a stranger at Permit2',
      {
        to: pins.permit2,
        data: encodePermit2Approve({ token: USDG, spender: THIEF, amount: 9n, expiration: 9 }),
      },
      [THIEF],
    ],
  ])('for %s is confirmed by the addresses outside the pins', (_, call, confirmAddresses) => {
    const reviewed = reviewCallOf(call)
    expect(reviewed).toMatchObject({ confirmAddresses, isReturn: false })
    expect(reviewed.effects[0]).toMatchObject({ kind: 'allows' })
  })
  it('within a batch keeps its confirmation', () => {
    const call = batch({ to: USDG, data: encodeErc20Approve(THIEF, 1n) }, swap())
    expect(reviewCallOf(call).confirmAddresses).toEqual([THIEF])
  })
})

describe('part of the return is', () => {
  it.each<[string, Call]>([
    ['a token for the return address', { to: USDG, data: encodeErc20Transfer(RETURN, 5n) }],
    ['a token outside the pins', { to: TOKEN, data: encodeErc20Transfer(RETURN, 5n) }],
    ['ETH for the return address', { to: RETURN, data: '0x', value: 1_000n }],
    ['the end of a session', { to: pins.addresses.manager, data: encodeDisable(root) }],
    ['the end of all sessions', endAllCall(pins.addresses)],
    ['an approval of nothing', { to: USDG, data: encodeErc20Approve(THIEF, 0n) }],
    ['a lockdown', { to: pins.permit2, data: encodeLockdown([{ token: USDG, spender: pins.router }]) }],
  ])('%s', (_, call) => {
    expect(reviewCallOf(call)).toMatchObject({ isReturn: true, confirmAddresses: [] })
  })
  it('no fee and no trade', () => {
    expect(reviewCallOf({ to: USDG, data: encodeErc20Transfer(pins.feeRecipient, 5n) }).isReturn).toBe(false)
    expect(reviewCallOf(swap()).isReturn).toBe(false)
  })
})

describe('refused, whatever is switched on', () => {
  const permit: PermitSingle = {
    details: { token: USDG, amount: ETHER, expiration: 2 ** 40, nonce: 0 },
    ...{ spender: THIEF, sigDeadline: DEADLINE_S },
  }
  const sale = {
    ...{ tokenIn: USDG, tokenOut: NATIVE, permit: { permit, signature: `0x${'11'.repeat(65)}` as Hex } },
    legs: [
      {
        amountIn: ETHER,
        hops: [{ version: 'v2', pool: at('9'), tokenIn: USDG, tokenOut: pins.weth } as const],
      },
    ],
    fee: { bps: 0, side: 'input', recipient: pins.feeRecipient } as const,
  }
  it.each<[string, Call]>([
    ['ETH for a stranger', { to: THIEF, data: '0x', value: 1n }],
    ['a token for a stranger', { to: USDG, data: encodeErc20Transfer(THIEF, 1n) }],
    [
      'a curve’s token for a stranger',
      { to: ETH_CURVE.id, data: buy({ recipient: THIEF }), value: 5n * ETHER },
    ],
    ['a curve sent more ETH than it spends', { to: ETH_CURVE.id, data: buy(), value: 6n * ETHER }],
    ['a curve of a token sent ETH', { to: USDG_CURVE.id, data: onUsdgCurve('sell'), value: 1n }],
    ['a trade sent more ETH than it spends', { ...swap(), value: ETHER + 1n }],
    ['a trade sent less ETH than it spends', { ...swap(), value: 0n }],
    ['a fee for a stranger', swap({ fee: { bps: 25, side: 'input', recipient: THIEF } })],
    ['a permit for a stranger inside a trade', swap(sale)],
    [
      'the end of another wallet’s session',
      { to: pins.addresses.manager, data: encodeDisable({ ...root, delegator: THIEF }) },
    ],
    ['a batch within a batch', batch(batch(swap()))],
    ['a batch with an unknown call', batch(swap(), { to: THIEF, data: '0xdeadbeef' })],
    ['a batch that pays a stranger', batch({ to: THIEF, data: '0x', value: 1n })],
    ['a batch sent ETH by the wallet itself', { ...batch(swap()), value: 1n }],
    ['another call to the wallet itself', { to: WALLET, data: '0xdeadbeef' }],
  ])('%s', (_, call) => {
    expect(() => reviewCallOf(call, { allowsUnknownCalls: true })).toThrow(SigningRefused)
  })
  it.each([{ gas: '1000000000' }, { gas: 'x' }, { value: '-' }])('numbers out of range: %j', (change) => {
    const request = transactionOf({ to: RETURN, data: '0x' }, change)
    expect(() => reviewSigning(context, request)).toThrow(SigningRefused)
  })
})

describe('an unknown call', () => {
  it.each<[string, Call]>([
    ['a stranger with the buy selector of a curve', { to: THIEF, data: buy(), value: 5n * ETHER }],
    ['a curve by the selector of another launchpad', { to: USDG_CURVE.id, data: buy(), value: 5n * ETHER }],
    ['a stranger', { to: THIEF, data: '0xdeadbeef', value: ETHER }],
    ['a router call in another form', { to: pins.router, data: '0x3593564c' }],
    ['ETH for the router', { to: pins.router, data: '0x', value: 1n }],
    ['a token’s approval with ETH', { to: USDG, data: encodeErc20Approve(pins.permit2, 1n), value: 1n }],
    ['a transfer of ETH by a token’s function', { to: NATIVE, data: encodeErc20Transfer(RETURN, 1n) }],
    [
      'a token’s function at a factory',
      { to: pins.launchpads[0]!.factory, data: encodeErc20Approve(THIEF, 1n) },
    ],
    [
      'a token’s function at the manager',
      { to: pins.addresses.manager, data: encodeErc20Transfer(RETURN, 1n) },
    ],
    [
      'an approval with dirty bits',
      { to: USDG, data: encodeErc20Approve(pins.permit2, 1n).replace('000', '001') as Hex },
    ],
    ['a lockdown of nothing', { to: pins.permit2, data: encodeLockdown([]) }],
    ['the return address with data', { to: RETURN, data: '0xdeadbeef', value: 1n }],
  ])('is %s', (_, call) => {
    expect(() => reviewCallOf(call)).toThrow('Unknown calls are off')
    const reviewed = reviewCallOf(call, { allowsUnknownCalls: true })
    expect(reviewed).toMatchObject({ title: 'Unknown call', confirmAddresses: [call.to], isReturn: false })
    expect(reviewed.effects[0]).toMatchObject({ kind: 'unknown_call', valueWei: call.value ?? 0n })
  })
  it('shows its callee, value, selector and length of data', () => {
    const call = { to: THIEF, data: '0xdeadbeef01', value: ETHER } as const
    const [line] = textsOf(reviewCallOf(call, { allowsUnknownCalls: true }))
    expect(line).toContain(`1 ETH to ${THIEF}, selector 0xdeadbeef, 5 bytes of data`)
  })
})
