import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NATIVE } from '@pit/chain'
import { createTurn, type Fate, type PitClient, PitRefusal, type SignedTrade } from '@pit/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ceilingsOf } from './ceilings.ts'
import { openJournal } from './journal.ts'
import { placeTrade, type Trading } from './placeTrade.ts'

const USDG = '0x00000000000000000000000000000000000000aa'
const signed: SignedTrade = {
  receiver: '0x01',
  tokenOut: USDG,
  leastOut: 1n,
  deadlineS: 1,
  raws: ['0x0a'],
  hashes: ['0x0b'],
}
const receipt = { hash: '0x0b', block: 7, gasUsed: 1n, gasPriceWei: 1n, logs: [] } as const
/** 2,000 USD per ETH in micro-dollars per atom: 0.005 ETH is 10 USD. */
const ETHER = { num: 2_000_000_000n, den: 10n ** 18n }
const verified = (amountIn = 5n * 10n ** 15n, paid: unknown = { bid: ETHER, ask: ETHER, atSize: ETHER }) => ({
  reading: { tokenIn: NATIVE, tokenOut: USDG, amountIn },
  own: { market: { paid, bestOut: null } },
})

/** Only the client builds a fate. */
const fateOf = (facts: object) => facts as unknown as Fate

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pit-place-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const plan = vi.fn()
const send = vi.fn()
const resume = vi.fn()
const sessionTrade = vi.fn()
function open(): Trading {
  for (const one of [plan, send, resume]) one.mockReset()
  plan.mockResolvedValue(verified())
  send.mockImplementation(async (_: unknown, { onStage }) => {
    onStage({ stage: 'signed', hashes: signed.hashes, signed })
    return { receipt, amountOut: 10_000_000n }
  })
  resume.mockResolvedValue({ receipt, amountOut: 10_000_000n })
  const recordedSessions = async () => ({
    sessions: [{ session_id: 'session', wallet: '0x03' }],
    damaged: [],
  })
  const pins = { weth: '0x02', tokens: new Map() }
  return {
    client: { plan, send, resume, sessionTrade, recordedSessions, pins } as unknown as PitClient,
    journal: openJournal(folder, () => null),
    ceilings: ceilingsOf(20, 25),
    nowMs: () => 1_000,
    answerWithinMs: 60_000,
    acceptRisks: ['CURVE'],
    attestsNonUs: false,
    allowsLiveResume: false,
    inTurn: createTurn(),
    log: () => {},
  }
}
const params = { sell: 'ETH', buy: 'USDG', usd: 10 }

it('stores the signed transaction before it is sent, and ends as mined', async () => {
  const trading = open()
  const states: unknown[] = []
  plan.mockImplementation(async () => {
    states.push(trading.journal.find('a')?.state)
    return verified()
  })
  send.mockImplementation(async (_: unknown, { onStage }) => {
    onStage({ stage: 'signed', hashes: signed.hashes, signed })
    states.push(openJournal(folder, () => null).find('a')?.state)
    return { receipt, amountOut: 1n }
  })
  const { entry } = await placeTrade(trading, 'a', params)
  expect(states).toEqual(['reserved', 'signed'])
  expect(entry).toMatchObject({ state: 'mined', txHash: '0x0b', block: 7, amountOut: 1n, tokenOut: USDG })
  expect(plan.mock.calls[0]![0]).toMatchObject({ accept_risks: ['CURVE'], approval_mode: 'exact' })
})

it('releases the reservation if nothing was signed, and accepts the same id again', async () => {
  const trading = open()
  plan.mockRejectedValueOnce(new PitRefusal('MIN_OUT', 'no'))
  await expect(placeTrade(trading, 'a', params)).rejects.toThrow('no')
  expect(trading.journal.find('a')).toMatchObject({ state: 'refused', code: 'MIN_OUT' })
  expect(trading.journal.reservedSince(0, '')).toBe(0n)
  expect((await placeTrade(trading, 'a', params)).entry?.state).toBe('mined')
})

it('keeps the reservation while the result is unknown, and never signs again', async () => {
  const trading = open()
  send.mockImplementation(async (_: unknown, { onStage }) => {
    onStage({ stage: 'signed', hashes: signed.hashes, signed })
    throw new PitRefusal('SERVER_UNREACHABLE', 'gone', { retry: 'look_first' })
  })
  const first = await placeTrade(trading, 'a', params)
  expect(first).toMatchObject({ entry: { state: 'signed', txHash: '0x0b' }, uncertain: 'SERVER_UNREACHABLE' })
  expect(trading.journal.reservedSince(0, '')).toBe(10_000_000n)
  resume.mockRejectedValueOnce(new PitRefusal('PLAN_EXPIRED', 'late'))
  expect((await placeTrade(trading, 'a', params)).uncertain).toBe('PLAN_EXPIRED')
  expect((await placeTrade(trading, 'a', params)).entry?.state).toBe('mined')
  expect(resume.mock.calls.map(([one]) => one)).toEqual([signed, signed])
  expect(send).toHaveBeenCalledTimes(1)
})

it('releases the reservation once the client proved that the transaction cannot execute', async () => {
  const trading = open()
  send.mockImplementationOnce(async (_: unknown, { onStage }) => {
    onStage({ stage: 'signed', hashes: signed.hashes, signed })
    throw new PitRefusal('NOT_MINED', 'no', { fate: fateOf({ state: 'dead', hash: '0x0b', by: 'deadline' }) })
  })
  const { entry, uncertain } = await placeTrade(trading, 'a', params)
  expect([entry?.state, uncertain]).toEqual(['refused', null])
  expect(trading.journal.reservedSince(0, '')).toBe(0n)
  expect((await placeTrade(trading, 'a', params)).entry?.state).toBe('mined')
  expect(send).toHaveBeenCalledTimes(2)
})

it.each([
  ['says that its nonce was used', { details: { dead: 'nonce' } }],
  ['is mined', { fate: fateOf({ state: 'mined', hash: '0x0b', block: 7, reverted: false }) }],
  ['is not known', { fate: fateOf({ state: 'unknown', hash: '0x0b' }) }],
])('keeps the reservation of a trade that %s, and finds it mined', async (_, about) => {
  const trading = open()
  send.mockImplementation(async (_: unknown, { onStage }) => {
    onStage({ stage: 'signed', hashes: signed.hashes, signed })
    throw new PitRefusal('HASH_MISMATCH', 'another hash', about)
  })
  expect((await placeTrade(trading, 'a', params)).uncertain).toBe('HASH_MISMATCH')
  expect((await placeTrade(trading, 'b', params)).uncertain).toBe('HASH_MISMATCH')
  await expect(placeTrade(trading, 'c', params)).rejects.toMatchObject({ code: 'OVER_DAY_CEILING' })
  expect((await placeTrade(trading, 'a', params)).entry?.state).toBe('mined')
})

it('records a revert', async () => {
  const trading = open()
  send.mockImplementation(async (_: unknown, { onStage }) => {
    onStage({ stage: 'signed', hashes: signed.hashes, signed })
    throw new PitRefusal('TX_REVERTED', 'reverted', {
      fate: fateOf({ state: 'mined', hash: '0x0b', block: 7, reverted: true }),
    })
  })
  expect((await placeTrade(trading, 'a', params)).entry?.state).toBe('reverted')
  expect((await placeTrade(trading, 'a', params)).entry?.state).toBe('reverted')
  expect(send).toHaveBeenCalledTimes(1)
})

it('returns in time and continues to follow the trade', async () => {
  const trading = { ...open(), answerWithinMs: 5 }
  let finish = () => {}
  const mined = new Promise<void>((resolve) => {
    finish = resolve
  })
  send.mockImplementation(async (_: unknown, { onStage }) => {
    onStage({ stage: 'signed', hashes: signed.hashes, signed })
    await mined
    return { receipt, amountOut: 1n }
  })
  expect(await placeTrade(trading, 'a', params)).toMatchObject({ entry: { state: 'signed' } })
  finish()
  await expect.poll(() => trading.journal.find('a')?.state).toBe('mined')
})

it('checks the size at its own prices', async () => {
  const trading = open()
  // The server claims that 1 ETH is 10 USD.
  plan.mockResolvedValueOnce(verified(10n ** 18n))
  await expect(placeTrade(trading, 'a', params)).rejects.toMatchObject({ code: 'OVER_ASKED_SIZE' })
  plan.mockResolvedValueOnce(verified(1n, null))
  await expect(placeTrade(trading, 'b', params)).rejects.toMatchObject({ code: 'NO_OWN_PRICE' })
  expect(send).not.toHaveBeenCalled()
})

it('values a token without a mark at the higher pool price', async () => {
  const trading = open()
  // A manipulated pool sells the token for 1 USD; another pays 9 USD.
  const [low, high] = [1n, 9n].map((usd) => ({ num: usd * 1_000_000n, den: 10n ** 18n, bandBps: 1_000n }))
  const paid = { bid: high, ask: low, atSize: low }
  plan.mockResolvedValueOnce(verified(10n * 10n ** 18n, paid))
  await expect(placeTrade(trading, 'a', params)).rejects.toMatchObject({ code: 'OVER_ASKED_SIZE' })
  plan.mockResolvedValueOnce(verified(10n ** 18n, paid))
  expect((await placeTrade(trading, 'b', params)).entry?.state).toBe('mined')
})

it.each([undefined, 'session'])(
  'reports NO_OWN_PRICE if the client could not price a token (%s)',
  async (session_id) => {
    const trading = open()
    const refusal = new PitRefusal('VERIFICATION_FAILED', 'no price', {
      rule: 'PRICE',
      details: { own_price: null },
    })
    plan.mockRejectedValueOnce(refusal)
    sessionTrade.mockRejectedValueOnce(refusal)
    const request = session_id === undefined ? params : { ...params, session_id }
    await expect(placeTrade(trading, 'a', request)).rejects.toMatchObject({ code: 'NO_OWN_PRICE' })
    expect(trading.journal.find('a')?.state).toBe('refused')
  },
)

it('trades in the session of the wallet that the caller names, or that its own record has', async () => {
  const trading = open()
  sessionTrade.mockReset().mockRejectedValue(new PitRefusal('SESSION_REVOKED', 'over'))
  const walletIn = async (id: string, intent: object) => {
    const error = await placeTrade(trading, id, { ...params, ...intent }).catch((one: unknown) => one)
    return [(error as { code: string }).code, sessionTrade.mock.lastCall?.[0].wallet]
  }
  expect(await walletIn('a', { session_id: 'other' })).toEqual(['WALLET_NEEDED', undefined])
  expect(await walletIn('b', { session_id: 'session' })).toEqual(['SESSION_REVOKED', '0x03'])
  expect(await walletIn('c', { session_id: 'other', wallet: '0x0A' })).toEqual(['SESSION_REVOKED', '0x0a'])
})

it('runs one trade at a time, so that the daily limit holds', async () => {
  const trading = open()
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((id) => placeTrade(trading, id, params)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(send).toHaveBeenCalledTimes(2)
})
