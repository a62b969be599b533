import { type Address, erc20Abi, type Hex, multicall3Abi, NATIVE, permit2Abi } from '@pit/chain'
import fc from 'fast-check'
import { encodeFunctionData, encodeFunctionResult, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { balanceCall } from './balances.ts'
import { flagIn, wordIn, wordsIn } from './hex.ts'
import { askMulticall, decodeMulticall, encodeMulticall } from './multicall.ts'
import { allowanceCall, balanceOfCall, pausedCall, permitCall, permitIn } from './tokens.ts'

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => hexOf(bytes) as Address)
const bytes = fc.uint8Array({ maxLength: 200 }).map(hexOf)
const [A, B, C]: Address[] = ['a1', 'b2', 'c3'].map((byte): Address => `0x${byte.repeat(20)}`)
const stockAbi = parseAbi(['function paused() view returns (bool)'])

describe('a multicall', () => {
  it('is encoded like by a general encoder', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ to: address, data: bytes }), { maxLength: 12 }), (calls) => {
        const args = calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
        expect(encodeMulticall(calls)).toBe(
          encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [args] }),
        )
      }),
    )
    expect(balanceOfCall(B!, A!)).toEqual({
      to: B,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [A!] }),
    })
    expect(allowanceCall(A!, B!, C!)).toEqual({
      to: A,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [B!, C!] }),
    })
    expect(balanceCall({ token: NATIVE, wallet: A! }, B!)).toEqual({
      to: B,
      data: encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [A!] }),
    })
    expect(balanceCall({ token: C!, wallet: A! }, B!)).toEqual(balanceOfCall(C!, A!))
    const permit = encodeFunctionData({ abi: permit2Abi, functionName: 'allowance', args: [A!, B!, C!] })
    expect(permitCall(C!, { owner: A!, token: B!, spender: C! })).toEqual({ to: C, data: permit })
    expect(pausedCall(A!).data).toBe(encodeFunctionData({ abi: stockAbi, functionName: 'paused' }))
  })

  it('returns results in order, failures as null', () => {
    const results = fc.array(fc.record({ success: fc.boolean(), returnData: bytes }), { maxLength: 12 })
    fc.assert(
      fc.property(results, (result) => {
        const answer = encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
        expect(decodeMulticall(answer, result.length)).toEqual(
          result.map(({ success, returnData }) => (success ? returnData : null)),
        )
        expect(decodeMulticall(answer, result.length + 1)).toBeUndefined()
      }),
    )
  })

  it('is unread, without an exception, for any other response', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }).map(hexOf), fc.nat(4), (answer, count) => {
        const read = decodeMulticall(answer, count)
        if (read !== undefined) expect(read).toHaveLength(count)
      }),
    )
    const result = [{ success: true, returnData: `0x${'11'.repeat(32)}` as Hex }]
    const whole = encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
    fc.assert(
      fc.property(fc.nat(whole.length - 3), (cut) => {
        expect(decodeMulticall(whole.slice(0, 2 + cut) as Hex, 1) ?? [null]).toEqual([null])
      }),
    )
    const { parse } = askMulticall(A!, [{ to: B!, data: '0x' }])
    for (const nonsense of [null, 7, {}, '0x', 'no hex']) expect(parse(nonsense)).toBeUndefined()
  })

  it('is one call, with block and gas if given', () => {
    const calls = [{ to: B!, data: '0x01' as Hex }]
    const data = encodeMulticall(calls)
    expect(askMulticall(A!, calls).call).toEqual(['eth_call', [{ to: A, data }, 'latest']])
    expect(askMulticall(A!, calls, { block: 16, gas: 255 }).call).toEqual([
      'eth_call',
      [{ to: A, data, gas: '0xff' }, '0x10'],
    ])
  })
})

describe('an answer', () => {
  const word = (value: bigint): string => value.toString(16).padStart(64, '0')
  it('parses words and flags strictly', () => {
    expect(wordIn(`0x${'0'.repeat(63)}7${'ff'}`)).toBe(7n)
    expect(wordIn(`0x${'0'.repeat(63)}7${'0'.repeat(63)}8`, 1)).toBe(8n)
    for (const short of ['0x', '0x01', null, undefined] as const) expect(wordIn(short)).toBeNull()
    expect([0n, 1n, 2n].map((value) => flagIn(`0x${word(value)}`))).toEqual([false, true, null])
    expect(wordsIn(`0x${word(7n)}${word(8n)}`, 2)).toEqual([7n, 8n])
    for (const count of [1, 3]) expect(wordsIn(`0x${word(7n)}${word(8n)}`, count)).toBeNull()
  })

  it('parses a permit of three words', () => {
    expect(permitIn(`0x${word(5n)}${word(6n)}${word(7n)}`)).toEqual({ amount: 5n, expirationS: 6, nonce: 7 })
    expect(permitIn(`0x${word(5n)}${word(6n)}`)).toBeNull()
    expect(permitIn(null)).toBeNull()
  })
})
