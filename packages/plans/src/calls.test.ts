import fc from 'fast-check'
import { encodeAbiParameters, encodeFunctionData, parseAbiParameters } from 'viem'
import { expect, it } from 'vitest'
import { curveAbi, delegatorAbi, permit2Abi } from '../abis/index.ts'
import { type Address, bytesToHex, type Hex } from '../bytes/hex.ts'
import { delegationOf, encodeBatch } from './encodeBatch.ts'
import { encodeCurveBuy, encodeCurveSell } from './encodeCurve.ts'
import { encodeLockdown } from './encodeLockdown.ts'
import { feeOf, leastBpsOf } from './feeOf.ts'
import { wholeOf } from './wholeOf.ts'

const address = () => fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b) => bytesToHex(b) as Address)
const uint256 = () => fc.bigInt(0n, (1n << 256n) - 1n)
const bytes = () => fc.uint8Array({ maxLength: 200 }).map(bytesToHex)

it('encodes trades on a curve as viem does', () => {
  fc.assert(
    fc.property(
      uint256(),
      uint256(),
      address(),
      uint256(),
      (amountIn, amountOutMin, recipient, deadlineS) => {
        const args = [amountIn, amountOutMin, recipient, deadlineS] as const
        const trade = { amountIn, amountOutMin, recipient, deadlineS }
        expect(encodeCurveBuy(trade)).toBe(encodeFunctionData({ abi: curveAbi, functionName: 'buy', args }))
        expect(encodeCurveSell(trade)).toBe(encodeFunctionData({ abi: curveAbi, functionName: 'sell', args }))
      },
    ),
  )
})

it('encodes a batch as viem does', () => {
  const call = fc.record({ to: address(), valueWei: uint256(), data: bytes() })
  const EXECUTIONS = parseAbiParameters('(address target, uint256 value, bytes callData)[]')
  const mode: Hex = `0x01${'00'.repeat(31)}`
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 5 }), (calls) => {
      const list = calls.map(({ to, valueWei, data }) => ({ target: to, value: valueWei, callData: data }))
      const args = [mode, encodeAbiParameters(EXECUTIONS, [list])] as const
      expect(encodeBatch(calls)).toBe(
        encodeFunctionData({ abi: delegatorAbi, functionName: 'execute', args }),
      )
    }),
  )
  expect(() => encodeBatch([])).toThrow(RangeError)
})

it('encodes a lockdown as viem does', () => {
  const pair = fc.record({ token: address(), spender: address() })
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 6 }), (pairs) => {
      const theirs = encodeFunctionData({ abi: permit2Abi, functionName: 'lockdown', args: [pairs] })
      expect(encodeLockdown(pairs)).toBe(theirs)
    }),
  )
})

it('tells a delegated account from any other', () => {
  const to: Address = `0x${'ab'.repeat(20)}`
  expect(delegationOf(`0xef0100${to.slice(2)}`)).toBe(to)
  expect(delegationOf(`0xEF0100${to.slice(2).toUpperCase()}` as Hex)).toBe(to)
  expect(delegationOf('0x')).toBeNull()
  expect(delegationOf(`0xef0100${to.slice(2)}00`)).toBeNull()
  expect(delegationOf(`0xef0101${to.slice(2)}`)).toBeNull()
  expect(delegationOf(`0x6001${to.slice(2)}`)).toBeNull()
})

it('rounds fees down, and finds the least rate of one', () => {
  expect(feeOf(399n, 25)).toBe(0n)
  expect(feeOf(400n, 25)).toBe(1n)
  fc.assert(
    fc.property(fc.bigInt(1n, 1n << 100n), fc.integer({ min: 0, max: 9_999 }), (amount, bps) => {
      const fee = feeOf(amount, bps)
      const least = leastBpsOf(amount, fee)!
      expect(least).toBeLessThanOrEqual(bps)
      expect(feeOf(amount, least)).toBe(fee)
      if (least > 0) expect(feeOf(amount, least - 1)).toBeLessThan(fee)
      if (amount >= 10_000n) expect(least).toBe(bps)
    }),
  )
  expect(leastBpsOf(1_000_000n, 2_501n)).toBeUndefined()
})

it.each<[bigint, number, string]>([
  [0n, 18, '0'],
  [1n, 18, '0.000000000000000001'],
  [1_500_000n, 6, '1.5'],
  [1_000_000n, 6, '1'],
  [1_234n, 0, '1234'],
])('writes %s atoms of %s decimals as %s', (atoms, decimals, text) => {
  expect(wholeOf(atoms, decimals)).toBe(text)
})
