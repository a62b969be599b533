import { type Crypto, createCrypto } from '@pit/chain'
import { encodePacked, keccak256 } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { end, MEME, NATIVE, USDG, WETH } from '../test/openTestRelay.ts'
import { diffsAgainst } from './diffs.ts'
import { type Item, orderFault, paysFor } from './feeFirst.ts'
import { createPlanCache, planKey } from './findPlanned.ts'
import { createLateWrites } from './lateWrites.ts'
import { type Built, planHash } from './planHash.ts'
import { cleanWords, saysKnown } from './sendRaw.ts'
import { volumeTokenOf } from './storePlan.ts'
import type { PlannedTx, TxKind } from './types.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await createCrypto()
})
const built: Built = { from: MEME, to: USDG, valueWei: 2n ** 200n + 7n, data: '0x0102030405' }

describe('planHash', () => {
  it('is the hash of the four concatenated fields', () => {
    const packed = encodePacked(
      ['address', 'address', 'uint256', 'bytes'],
      [built.from, built.to, built.valueWei, built.data],
    )
    expect(planHash(crypto, built)).toBe(keccak256(packed))
    expect(planHash(crypto, { ...built, data: '0x' })).toBe(
      keccak256(packed.slice(0, 2 + 144) as `0x${string}`),
    )
  })

  it('changes with each field', () => {
    const others = [
      { ...built, from: USDG },
      { ...built, to: MEME },
      { ...built, valueWei: 0n },
      { ...built, data: '0x0102030406' as const },
    ]
    expect(new Set([built, ...others].map((one) => planHash(crypto, one))).size).toBe(5)
  })
})

it('counts the volume of the highest-ranked major token', () => {
  const stock = { address: MEME, core: null, record: { stock_beacon: true } }
  const plain = { address: `0x${'7'.repeat(40)}`, core: null, record: { stock_beacon: false } } as const
  // Listed as a stock but not on its beacon: not charged as major, so it has no volume either.
  const listed = { ...plain, kind: 'stock', stock: true, record: { stock_beacon: null } }
  expect(volumeTokenOf(end(USDG), end(NATIVE))).toBe(NATIVE)
  expect(volumeTokenOf(end(WETH), end(USDG))).toBe(WETH)
  expect(volumeTokenOf(plain, end(USDG))).toBe(USDG)
  expect(volumeTokenOf(stock, end(USDG))).toBe(USDG)
  expect(volumeTokenOf(plain, stock)).toBe(MEME)
  expect(volumeTokenOf(plain, plain)).toBeNull()
  expect(volumeTokenOf(listed, plain)).toBeNull()
})

describe('diffs', () => {
  it('are against the plan with the fewest differences, then the longest common calldata', () => {
    const near = { ...built, data: '0x01020304ff' as const }
    const far = { ...built, data: '0x01ff' as const }
    const other = { ...near, to: NATIVE }
    expect(diffsAgainst([other, far, near], built)).toEqual([
      {
        field: 'data',
        expected: '0xff',
        got: '0x05',
        first_difference: 4,
        expected_bytes: 5,
        got_bytes: 5,
      },
    ])
  })
  it('report that nothing was built', () => {
    expect(diffsAgainst([], built)).toMatchObject([{ field: 'plan' }])
  })
  it('shorten long calldata', () => {
    const long = { ...built, data: `0x${'ab'.repeat(5_000)}` as const }
    const [diff] = diffsAgainst([long], { ...built, data: '0x' })
    expect(diff).toMatchObject({ expected: `0x${'ab'.repeat(32)}`, got: '0x', expected_bytes: 5_000 })
  })
})

describe('the order of a submission', () => {
  const item = (kind: TxKind | null, nonce: number, signer = MEME): Item => ({
    signed: { raw: '0x', hash: '0x', signer, nonce },
    planned: kind === null ? null : ({ kind } as PlannedTx),
  })
  it.each<[string, Item[], RegExp | null]>([
    ['one', [item('swap', 0)], null],
    ['all three', [item('approve', 1), item('fee_transfer', 2), item('swap', 5)], null],
    ['two approvals', [item('approve', 1), item('approve', 2), item('swap', 3)], null],
    ['one relayed before', [item(null, 1), item('swap', 2)], null],
    ['the swap before its fee', [item('swap', 1), item('fee_transfer', 2)], /order/],
    ['two swaps', [item('swap', 1), item('swap', 2)], /order/],
    ['two fees', [item('fee_transfer', 1), item('fee_transfer', 2)], /order/],
    ['one nonce twice', [item('fee_transfer', 1), item('swap', 1)], /nonce/],
    ['nonces that fall', [item('fee_transfer', 2), item('swap', 1)], /nonce/],
    ['two signers', [item('fee_transfer', 1), item('swap', 2, USDG)], /signer/],
  ])('%s', (_, items, fault) => {
    if (fault === null) expect(orderFault(items)).toBeNull()
    else expect(orderFault(items)).toMatch(fault)
  })

  it('accepts a sufficient fee in the right token to the right recipient', () => {
    const due = { token: NATIVE, recipient: MEME, amount: 10n } as Parameters<typeof paysFor>[1]
    expect(paysFor({ token: NATIVE, recipient: MEME, amount: 10n }, due)).toBe(true)
    expect(paysFor({ token: NATIVE, recipient: MEME, amount: 9n }, due)).toBe(false)
    expect(paysFor({ token: USDG, recipient: MEME, amount: 10n }, due)).toBe(false)
    expect(paysFor({ token: NATIVE, recipient: USDG, amount: 10n }, due)).toBe(false)
  })
})

it('sanitizes the sequencer’s text', () => {
  expect(cleanWords('eth_sendRawTransaction: nonce too low')).toBe('nonce too low')
  expect(cleanWords(' a\n\tb\u0000c ')).toBe('a b c')
  expect(cleanWords('see https://user:pw@host/path now')).toBe('see [url] now')
  expect(cleanWords(`bytes 0x${'ab'.repeat(200)}`)).toBe(`bytes 0x${'ab'.repeat(8)}…`)
  expect(cleanWords('x'.repeat(9_999))).toHaveLength(200)
})

it.each([
  ['already known', true],
  ['ALREADY_EXISTS: already known', true],
  ['known transaction: 0x12', true],
  ['transaction already in mempool', true],
  ['unknown account', false],
  ['nonce too low', false],
])('%s is known: %s', (words, known) => expect(saysKnown(words)).toBe(known))

it('keeps a limited number of the newest plans', () => {
  const cache = createPlanCache(2)
  const planned = { kind: 'swap' } as PlannedTx
  cache.set(planKey(1, '0x01'), planned)
  cache.set(planKey(1, '0x02'), planned)
  cache.set(planKey(1, '0x01'), planned)
  cache.set(planKey(2, '0x01'), planned)
  expect(cache.get(planKey(1, '0x02'))).toBeUndefined()
  expect([cache.get(planKey(1, '0x01')), cache.get(planKey(2, '0x01'))]).toEqual([planned, planned])
})

describe('late writes', () => {
  const logger = { warn() {} } as never
  it('are batched and retried until written', async () => {
    const written: unknown[] = []
    let failures = 1
    const db = {
      query: async (_: string, [ids]: [number[]]) => {
        if (failures-- > 0) throw new Error('gone')
        written.push(ids)
        return []
      },
    } as never
    const late = createLateWrites({ db, logger })
    late.pending(1)
    late.pending(2)
    await late.flush()
    expect(written).toEqual([])
    late.pending(3)
    await late.flush()
    expect(written).toEqual([[1, 2, 3]])
    late.pending(4)
    late.pending(5)
    late.mined([4])
    await late.flush()
    expect(written).toEqual([[1, 2, 3], [5]])
  })
})
