import fc from 'fast-check'
import { encodeAbiParameters, hashTypedData, keccak256 } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { abi, callByViem, KEY } from '../../test/callByViem.ts'
import { address, call, permit, poolKey } from '../../test/randomCall.ts'
import type { Address, Hex } from '../bytes/hex.ts'
import { createCrypto } from '../crypto/createCrypto.ts'
import { decodeExecute } from './decodeExecute.ts'
import { hashPermit, permitTypedData } from './permit2.ts'
import { poolIdOf } from './poolId.ts'
import type { RouterCall, RouterLayout } from './types.ts'

/** Share of the random rounds to run: npm test runs a fifth of them. */
const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

// Thousands of inputs through viem, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const crypto = await createCrypto()

describe.each<RouterLayout>(['2.1.0', '2.1.1', '2.1.2'])('calldata of router %s', (layout) => {
  it('is read as viem encoded it', () => {
    fc.assert(
      fc.property(call(), (plan) => {
        const data = callByViem(plan, layout)
        expect(decodeExecute(data, layout)).toEqual({ ok: true, call: plan })
        expect(decodeExecute(`0x${data.slice(2).toUpperCase()}`, layout)).toEqual({ ok: true, call: plan })
      }),
      { numRuns: 2000 * SHARE },
    )
  })

  it('never has two texts for one meaning', () => {
    const rounds = Math.max(30, 300 * SHARE)
    let refused = 0
    let other = 0
    fc.assert(
      fc.property(
        call(),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 15 })), { minLength: 40, maxLength: 40 }),
        (plan, flips) => {
          const data = callByViem(plan, layout)
          for (const [where, by] of flips) {
            const at = 2 + (where % (data.length - 2))
            const digit = (Number.parseInt(data[at]!, 16) ^ by).toString(16)
            const changed = data.slice(0, at) + digit + data.slice(at + 1)
            const result = decodeExecute(changed, layout)
            if (!result.ok) refused++
            else {
              expect(result.call).not.toEqual(plan)
              expect(callByViem(result.call, layout)).toBe(changed)
              other++
            }
          }
        },
      ),
      { numRuns: rounds },
    )
    expect(refused).toBeGreaterThan(3 * rounds)
    expect(other).toBeGreaterThan(3 * rounds)
  })
})

describe('a call said another way', () => {
  const token: Address = `0x${'11'.repeat(20)}`
  const me: Address = `0x${'22'.repeat(20)}`
  const plan: RouterCall = {
    commands: [
      {
        command: 'V3_SWAP_EXACT_IN',
        recipient: me,
        amountIn: 5n,
        amountOutMin: 4n,
        path: { tokens: [token, me], fees: [500] },
        payerIsUser: true,
      },
      { command: 'SWEEP', token, recipient: me, amountMin: 4n },
    ],
    deadlineS: 99n,
  }
  const data = callByViem(plan, '2.1.0')
  const words = (data.slice(10).match(/.{64}/g) ?? []) as string[]
  const build = (list: string[]): Hex => `0x3593564c${list.join('')}`
  const number = (n: number): string => n.toString(16).padStart(64, '0')

  it('is taken as built', () => {
    expect(build(words)).toBe(data)
    expect(decodeExecute(data)).toEqual({ ok: true, call: plan })
  })
  it.each<[string, string[]]>([
    ['a word after the end', [...words, number(0)]],
    ['a word of padding gone', words.slice(0, -1)],
    ['a dirty byte after the commands', words.map((w, i) => (i === 4 ? `${w.slice(0, 62)}01` : w))],
    ['a deadline read elsewhere', words.map((w, i) => (i === 0 ? number(0x61) : w))],
    ['both inputs at one offset', words.map((w, i) => (i === 7 ? words[6]! : w))],
    ['an offset past the end', words.map((w, i) => (i === 1 ? number(0xffffff) : w))],
    ['an offset of 2^255', words.map((w, i) => (i === 1 ? `8${w.slice(1)}` : w))],
    ['a count past the end', words.map((w, i) => (i === 5 ? number(1000) : w))],
    ['one input too few', words.map((w, i) => (i === 5 ? number(1) : w))],
    [
      'a gap before the inputs',
      [...words.slice(0, 1), number(0xc0), ...words.slice(2, 5), number(0), ...words.slice(5)],
    ],
  ])('%s is refused', (_, list) => {
    expect(list.join('')).not.toBe(words.join(''))
    expect(decodeExecute(build(list))).toEqual({ ok: false, why: 'NOT_CANONICAL' })
  })
  it('is not read twice over: items that share their bytes are refused before they are copied', () => {
    const word = (n: number) => n.toString(16).padStart(64, '0')
    const many = 900
    // Every input is the same large one.
    const inputs = word(many) + word(32 * many).repeat(many) + word(30_000) + '00'.repeat(30_016)
    const commands = word(many) + '05'.repeat(Math.ceil(many / 32) * 32)
    const head = word(0x60) + word(0x60 + commands.length / 2) + word(9)
    expect(decodeExecute(`0x3593564c${head}${commands}${inputs}`)).toEqual({
      ok: false,
      why: 'NOT_CANONICAL',
    })
  })

  it('has its own names for what is not ours', () => {
    expect(decodeExecute('0x')).toEqual({ ok: false, why: 'SELECTOR' })
    expect(decodeExecute('0x3593564')).toEqual({ ok: false, why: 'NOT_HEX' })
    expect(decodeExecute(`0xdeadbeef${data.slice(10)}`)).toEqual({ ok: false, why: 'SELECTOR' })
    for (const byte of ['01', '03', '07', '09', '0d', '0e', '21', '40', '80', '8a', '84']) {
      const swapped = build(words.map((w, i) => (i === 4 ? `00${byte}${w.slice(4)}` : w)))
      expect(decodeExecute(swapped)).toEqual({ ok: false, why: 'UNKNOWN_COMMAND' })
    }
  })
  it('cannot be read under the other release of the router', () => {
    expect(decodeExecute(data, '2.1.1').ok).toBe(false)
    expect(decodeExecute(callByViem(plan, '2.1.1'), '2.1.0').ok).toBe(false)
  })
})

describe('around the router', () => {
  it('hashes a permit as viem does', () => {
    fc.assert(
      fc.property(permit(), address(), fc.nat(), (message, permit2, chainId) => {
        const typed = permitTypedData({ chainId, permit2 }, message)
        expect(hashPermit(crypto, { chainId, permit2 }, message)).toBe(hashTypedData(typed))
      }),
      { numRuns: 300 },
    )
  })

  it('names v4 pools as the pool manager does', () => {
    fc.assert(
      fc.property(poolKey(), (key) => {
        expect(poolIdOf(crypto, key)).toBe(keccak256(encodeAbiParameters(abi(KEY), [key])))
      }),
    )
  })
})
