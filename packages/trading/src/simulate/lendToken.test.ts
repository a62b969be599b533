import { type Address, createCrypto, type Hex } from '@pit/chain'
import { type Rpc, RpcUnreachable } from '@pit/platform/rpc'
import { describe, expect, it } from 'vitest'
import { balanceSlots, namespaced } from './balanceSlots.ts'
import { createLender } from './lendToken.ts'

const crypto = await createCrypto()
const OWNER: Address = `0x${'0e'.repeat(20)}`
const WALLET: Address = `0x${'a1'.repeat(20)}`
const TOKEN: Address = `0x${'70'.repeat(20)}`
const hex = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** A token, modelled by how it reads its storage; throwing is a revert. */
type Token = (read: (slot: Hex) => bigint, owner: Address) => bigint
const mapping =
  (at: number): Token =>
  (read, owner) =>
    read(crypto.keccak256(`0x${owner.slice(2).padStart(64, '0')}${at.toString(16).padStart(64, '0')}`))

/** A node with one token: runs the model on the overridden words. */
function open(model: Token | { now: Token }) {
  const tokens = typeof model === 'function' ? { now: model } : model
  let requests = 0
  const time = { nowMs: 0 }
  const show = (words: Record<string, Hex>, owner: Address): bigint =>
    tokens.now((slot) => BigInt(words[slot] ?? '0x0'), owner)
  const rpc: Pick<Rpc, 'request'> = {
    request: async <T>(_: string, params: readonly unknown[] = []) => {
      requests += 1
      const { blockStateCalls } = params[0] as {
        blockStateCalls: { stateOverrides: Record<Address, { stateDiff: Record<string, Hex> }> }[]
      }
      return blockStateCalls.map(({ stateOverrides }) => {
        let call: object
        try {
          const returnData = hex(show(stateOverrides[TOKEN]!.stateDiff, OWNER))
          call = { status: '0x1', gasUsed: '0x1', returnData, logs: [] }
        } catch {
          call = { status: '0x0', gasUsed: '0x1', returnData: '0x', error: { message: 'reverted' } }
        }
        return { number: '0x1', baseFeePerGas: '0x0', calls: [call] }
      }) as T
    },
  }
  const lender = createLender({
    rpc,
    crypto,
    clock: { nowMs: () => time.nowMs },
    owner: OWNER,
    timeoutMs: 1_000,
  })
  return {
    lender,
    time,
    tokens,
    requests: () => requests,
    /** The wallet's resulting balance, and whether it is accepted as the loan. */
    async holds(amount: bigint) {
      const loan = await lender.lend(TOKEN, WALLET, amount)
      if (loan === null) return null
      const shown = show({ [loan.slot]: hex(loan.word) }, WALLET)
      return { shown, holds: loan.holds(shown) }
    },
  }
}

const checked = (value: bigint): bigint => {
  if (value >> 256n !== 0n) throw new Error('overflow')
  return value
}

describe('a balance is lent', () => {
  it.each([0, 2, 3, 9, 51, 63, 101, 301])('from a mapping in slot %i, to the atom', async (at) => {
    const world = open(mapping(at))
    for (const amount of [1n, 10n ** 18n, 1n << 200n])
      expect(await world.holds(amount)).toEqual({ shown: amount, holds: true })
    expect(world.requests()).toBe(1)
  })

  it('from every other known location', async () => {
    const vyper: Token = (read, owner) =>
      read(crypto.keccak256(`0x${'7'.padStart(64, '0')}${owner.slice(2).padStart(64, '0')}`))
    const root = '52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00'
    const openZeppelin: Token = (read, owner) =>
      read(crypto.keccak256(`0x${owner.slice(2).padStart(64, '0')}${root}`))
    const solady: Token = (read, owner) =>
      read(crypto.keccak256(`0x${owner.slice(2)}${'87a211a2'.padStart(24, '0')}`))
    for (const token of [vyper, openZeppelin, solady])
      expect(await open(token).holds(12_345n)).toEqual({ shown: 12_345n, holds: true })
    expect(namespaced(crypto, 'openzeppelin.storage.ERC20')).toBe(`0x${root}`)
  })

  it('if a balance is packed with other values', async () => {
    const low = (bits: bigint) => (read: (slot: Hex) => bigint, owner: Address) =>
      mapping(9)(read, owner) & ((1n << bits) - 1n)
    for (const bits of [255n, 128n, 96n, 64n])
      expect(await open(low(bits)).holds(10n ** 15n)).toEqual({ shown: 10n ** 15n, holds: true })
  })

  it('of a token that multiplies shares or divides reflections: never less than requested', async () => {
    const amounts = [1n, 999n, 10n ** 18n, 123_456_789_123_456_789_123_456n]
    for (const index of [10n ** 18n / 3n, 1_100_000_000_000_000_001n, 7n * 10n ** 18n]) {
      const rebasing: Token = (read, owner) => checked(mapping(3)(read, owner) * index) / 10n ** 18n
      for (const amount of amounts) {
        const { shown, holds } = (await open(rebasing).holds(amount))!
        expect(holds).toBe(true)
        expect(shown).toBeGreaterThanOrEqual(amount)
        expect(shown).toBeLessThanOrEqual(amount + amount / 500n + 2n * (index / 10n ** 18n + 1n))
      }
    }
    const total = 1n << 255n
    const reflecting: Token = (read, owner) => {
      // An excluded holder's plain balance is stored elsewhere: a flag set by accident would lead there.
      if ((mapping(5)(read, owner) & 0xffn) !== 0n) return mapping(4)(read, owner)
      const reflections = mapping(3)(read, owner)
      if (reflections > total) throw new Error('more than all')
      return reflections / (total / 10n ** 24n)
    }
    const { shown, holds } = (await open(reflecting).holds(10n ** 18n))!
    expect(holds).toBe(true)
    expect(Number(shown)).toBeCloseTo(1e18, -16)
  })

  it('never from a slot that only looks like a balance', async () => {
    const lying: Token = () => 10n ** 24n
    const mute: Token = () => {
      throw new Error('no')
    }
    const elsewhere = mapping(77)
    const sumOfAll: Token = (read, owner) => mapping(3)(read, owner) * mapping(4)(read, owner)
    for (const token of [lying, mute, elsewhere, () => 0n]) expect(await open(token).holds(5n)).toBeNull()
    // Even if found by chance: the shown balance is not the lent one, which is detected.
    expect((await open(sumOfAll).holds(5n))?.holds ?? false).toBe(false)
  })
})

describe('the balance slot of a token', () => {
  it('is searched once for concurrent callers', async () => {
    const world = open(mapping(3))
    await Promise.all(Array.from({ length: 20 }, () => world.lender.lend(TOKEN, WALLET, 5n)))
    expect(world.requests()).toBe(1)
  })

  it('is searched again once it proved wrong, or after a while if none was found', async () => {
    const world = open({ now: mapping(3) })
    expect((await world.holds(5n))!.holds).toBe(true)
    world.tokens.now = mapping(4)
    expect((await world.holds(5n))!.holds).toBe(false)
    world.lender.forget(TOKEN)
    expect((await world.holds(5n))!.holds).toBe(true)
    expect(world.requests()).toBe(2)

    world.lender.forget(TOKEN)
    world.tokens.now = () => 7n
    expect(await world.holds(5n)).toBeNull()
    world.tokens.now = mapping(3)
    expect(await world.holds(5n)).toBeNull()
    expect(world.requests()).toBe(3)
    world.time.nowMs += 61_000
    expect((await world.holds(5n))!.holds).toBe(true)
    expect(world.requests()).toBe(4)
  })

  it('is not cached after a node failure', async () => {
    let down = true
    const world = open(mapping(3))
    const rpc: Pick<Rpc, 'request'> = {
      request: async <T>() => {
        if (down) throw new RpcUnreachable('no')
        return [] as T
      },
    }
    const lender = createLender({ rpc, crypto, clock: { nowMs: () => 0 }, owner: OWNER, timeoutMs: 10 })
    await expect(lender.lend(TOKEN, WALLET, 1n)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
    down = false
    // Searched again: this time the node returns garbage.
    await expect(lender.lend(TOKEN, WALLET, 1n)).rejects.toThrow(/other blocks/)
    expect((await world.holds(1n))!.holds).toBe(true)
  })

  it('is one of a hundred different candidates', () => {
    const slots = balanceSlots(crypto).map((slotOf) => slotOf(WALLET))
    expect(new Set(slots).size).toBe(slots.length)
    expect(slots.length).toBeGreaterThan(90)
  })
})
