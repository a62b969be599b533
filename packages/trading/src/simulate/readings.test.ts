import { type Address, erc20Abi, type Hex, multicall3Abi, permit2Abi } from '@pit/chain'
import fc from 'fast-check'
import { encodeFunctionData, encodeFunctionResult, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  allowance,
  balanceOf,
  decodeReadings,
  encodeReadings,
  flagIn,
  holding,
  isBlocked,
  paused,
  permitAllowance,
  wordIn,
} from './readings.ts'

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => hexOf(bytes) as Address)
const bytes = fc.uint8Array({ maxLength: 200 }).map(hexOf)
const [A, B, C]: Address[] = ['a1', 'b2', 'c3'].map((byte): Address => `0x${byte.repeat(20)}`)
const stockAbi = parseAbi([
  'function paused() view returns (bool)',
  'function isBlocked(address token, address wallet) view returns (bool)',
])

describe('readings', () => {
  it('are encoded as a general encoder would', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ to: address, data: bytes }), { maxLength: 12 }), (readings) => {
        const args = readings.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
        expect(encodeReadings(readings)).toBe(
          encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [args] }),
        )
      }),
    )
    expect(balanceOf(A!)).toBe(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [A!] }))
    expect(allowance(A!, B!, C!)).toEqual({
      to: A,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [B!, C!] }),
    })
    expect(holding('0x0000000000000000000000000000000000000000', A!, B!)).toEqual({
      to: B,
      data: encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [A!] }),
    })
    const permit = encodeFunctionData({ abi: permit2Abi, functionName: 'allowance', args: [A!, B!, C!] })
    expect(permitAllowance(C!, { owner: A!, token: B!, spender: C! })).toEqual({ to: C, data: permit })
    expect(paused(A!).data).toBe(encodeFunctionData({ abi: stockAbi, functionName: 'paused' }))
    expect(isBlocked(C!, A!, B!).data).toBe(
      encodeFunctionData({ abi: stockAbi, functionName: 'isBlocked', args: [A!, B!] }),
    )
  })

  it('come back as they were answered, failures as null', () => {
    const results = fc.array(fc.record({ success: fc.boolean(), returnData: bytes }), { maxLength: 12 })
    fc.assert(
      fc.property(results, (result) => {
        const answer = encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
        expect(decodeReadings(answer, result.length)).toEqual(
          result.map(({ success, returnData }) => (success ? returnData : null)),
        )
        expect(decodeReadings(answer, result.length + 1)).toEqual(Array(result.length + 1).fill(null))
      }),
    )
  })

  it('are null, and no exception, whatever else a node answers', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }).map(hexOf), fc.nat(4), (answer, count) => {
        expect(decodeReadings(answer, count)).toHaveLength(count)
      }),
    )
    const result = [{ success: true, returnData: `0x${'11'.repeat(32)}` as Hex }]
    const whole = encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
    fc.assert(
      fc.property(fc.nat(whole.length - 3), (cut) => {
        expect(decodeReadings(whole.slice(0, 2 + cut) as Hex, 1)).toEqual([null])
      }),
    )
  })

  it('are words and flags only when they are', () => {
    expect(wordIn(`0x${'0'.repeat(63)}7${'ff'}`)).toBe(7n)
    expect(wordIn(`0x${'0'.repeat(63)}7${'0'.repeat(63)}8`, 1)).toBe(8n)
    for (const short of ['0x', '0x01', null, undefined] as const) expect(wordIn(short)).toBeNull()
    expect([0n, 1n, 2n].map((word) => flagIn(`0x${word.toString(16).padStart(64, '0')}`))).toEqual([
      false,
      true,
      null,
    ])
  })
})
