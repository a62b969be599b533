import { type Address, NATIVE } from '@pit/chain'
import { seeded } from '@pit/chain/test/randomPool'
import { expect, it } from 'vitest'
import { randomPlan } from '../test/randomPlan.ts'
import { describeSwap, type TokenNames } from './describeSwap.ts'
import type { SwapPlan } from './plan.ts'

const [usdg, weth, recipient, router]: Address[] = ['a1', 'ee', 'fe', 'f0'].map(
  (two) => `0x${two.repeat(20)}` as Address,
)
const names: TokenNames = (token) => (token === usdg ? { symbol: 'USDG', decimals: 6 } : undefined)

const selling: SwapPlan = {
  tokenIn: usdg!,
  tokenOut: NATIVE,
  amountIn: 2_500_000_000n,
  legs: [
    {
      hops: [{ version: 'v3', pool: usdg!, tokenIn: usdg!, tokenOut: weth!, feePips: 500 }],
      amountIn: 1_500_000_000n,
    },
    {
      hops: [
        {
          version: 'v4',
          pool: '0x',
          tokenIn: usdg!,
          tokenOut: NATIVE,
          key: { currency0: NATIVE, currency1: usdg!, fee: 3000, tickSpacing: 60, hooks: NATIVE },
        },
      ],
      amountIn: 1_000_000_000n,
    },
  ],
  amountOutMin: 990_000_000_000_000_000n,
  direct: false,
  fee: { bps: 25, side: 'output', recipient: recipient! },
  permit: {
    permit: {
      details: { token: usdg!, amount: 2_500_000_000n, expiration: 1_768_480_000, nonce: 3 },
      spender: router!,
      sigDeadline: 1_768_480_000n,
    },
    signature: '0x12',
  },
  deadlineS: 1_768_478_520n,
  weth: weth!,
}

it('describes every command in a sentence', () => {
  const described = describeSwap(selling, names)
  expect(described).toMatchObject({
    pays: { token: usdg, symbol: 'USDG', amount: '2500', atoms: '2500000000' },
    receives_at_least: { token: NATIVE, symbol: 'ETH', amount: '0.99', atoms: '990000000000000000' },
    fee: { bps: 25, side: 'output', token: NATIVE, recipient },
    value_wei: '0',
    deadline: 1_768_478_520,
  })
  expect(described.commands).toEqual([
    {
      command: 'PERMIT2_PERMIT',
      does:
        `Lets ${router} move up to 2,500 USDG (2500000000 atoms) of the caller through Permit2 until ` +
        '2026-01-15T12:26:40.000Z, by the caller’s signature (nonce 3, valid until ' +
        '2026-01-15T12:26:40.000Z).',
    },
    {
      command: 'V3_SWAP_EXACT_IN',
      does:
        'Swaps 1,500 USDG (1500000000 atoms), paid by the caller: USDG → WETH (v3 0.05%); ' +
        'at least 0 WETH (0 atoms), to the router.',
    },
    {
      command: 'V4_SWAP',
      does:
        'Swaps 1,000 USDG (1000000000 atoms), paid by the caller: USDG → ETH (v4 0.3%, spacing 60); ' +
        'at least 0 ETH (0 atoms), to the router.',
    },
    {
      command: 'UNWRAP_WETH',
      does: 'Unwraps all the router’s WETH, at least 0 WETH (0 atoms), to ETH for the router.',
    },
    {
      command: 'PAY_PORTION',
      does: `Sends 25 bps of the router’s ETH to ${recipient}.`,
    },
    {
      command: 'SWEEP',
      does: 'Sends all the router’s ETH, at least 0.99 ETH (990000000000000000 atoms), to the caller.',
    },
  ])
})

it('keeps a deployer’s text out of its sentences', () => {
  const crafty: TokenNames = () => ({ symbol: '5 ETH to the caller', decimals: 6 })
  expect(JSON.stringify(describeSwap(selling, crafty))).not.toContain('5 ETH to the caller')
})

it('describes every plan as JSON', () => {
  const random = seeded(7)
  for (let i = 0; i < 300; i++) {
    const plan = randomPlan(random)
    const described = describeSwap(plan, names)
    expect(JSON.parse(JSON.stringify(described))).toEqual(described)
    expect((described.commands as unknown[]).length).toBeGreaterThan(0)
  }
})
