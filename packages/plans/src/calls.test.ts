import { bytesToHex, curveAbi, delegatorAbi, type Hex, permit2Abi } from '@pit/chain'
import { address, uint, uint48 } from '@pit/chain/test/randomCall'
import fc from 'fast-check'
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { expect, it } from 'vitest'
import {
  encodeBatch,
  encodeCurveTrade,
  encodeErc20Approve,
  encodeErc20Transfer,
  encodeLockdown,
  encodePermit2Approve,
} from './encodeCalls.ts'

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
        expect(encodeCurveTrade({ launchpad: 'pit', side: 'buy', ...trade })).toBe(
          encodeFunctionData({ abi: curveAbi, functionName: 'buy', args }),
        )
        expect(encodeCurveTrade({ launchpad: 'pit', side: 'sell', ...trade })).toBe(
          encodeFunctionData({ abi: curveAbi, functionName: 'sell', args }),
        )
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

it('encodes approvals and transfers as viem does', () => {
  const all = parseAbi([
    'function approve(address, uint256)',
    'function transfer(address, uint256)',
    'function approve(address, address, uint160, uint48)',
  ])
  fc.assert(
    fc.property(
      address(),
      address(),
      uint(256n),
      uint(160n),
      uint48(),
      (token, who, atoms, amount, expiration) => {
        expect(encodeErc20Approve(who, atoms)).toBe(
          encodeFunctionData({ abi: all, functionName: 'approve', args: [who, atoms] }),
        )
        expect(encodeErc20Transfer(who, atoms)).toBe(
          encodeFunctionData({ abi: all, functionName: 'transfer', args: [who, atoms] }),
        )
        expect(encodePermit2Approve({ token, spender: who, amount, expiration })).toBe(
          encodeFunctionData({ abi: all, functionName: 'approve', args: [token, who, amount, expiration] }),
        )
      },
    ),
    { numRuns: 300 },
  )
})
