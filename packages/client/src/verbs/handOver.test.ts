import type { Hex } from '@pit/chain'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { fromViem, type Transaction } from '../account.ts'
import type { ClientDeps } from '../deps.ts'
import { PitRefusal, serverRefusal } from '../errors.ts'
import { wordsOf } from '../serverWords.ts'
import type { HandedStage } from './handOver.ts'
import { sendSigned } from './sendSigned.ts'

// Every kind of server answer against every state of the chain: only the chain decides.

const NONCE = 7
const DEADLINE_S = 1_000
const START_S = 900
const signer = fromViem(privateKeyToAccount(`0x${'11'.repeat(32)}`))
const transaction: Transaction = {
  type: 'eip1559',
  chainId: 4663,
  nonce: NONCE,
  to: `0x${'22'.repeat(20)}`,
  gas: 100_000n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 0n,
}

type Answer = (hash: Hex) => unknown
type ChainState =
  | 'mined'
  | 'mined late'
  /** The nonce is used at once, the receipt is there a second later. */
  | 'receipt lags'
  | 'reverted'
  | 'nonce used'
  | 'deadline passes'
  | 'node down'

/** A wallet, a server that gives one answer for ever, and the wallet's own node. */
function open(answer: Answer, chain: ChainState, { undated }: { undated?: true } = {}) {
  let signatures = 0
  let nowMs = START_S * 1000
  let looks = 0
  const sent: string[] = []
  const stages: HandedStage[] = []
  let hash: Hex = '0x'
  const deps = {
    account: {
      ...signer,
      signTransaction(one: Transaction) {
        signatures++
        return signer.signTransaction(one)
      },
    },
    api: {
      'live.submit': async ({ body }: { body: { raw_tx: Hex } }) => {
        sent.push(body.raw_tx)
        return answer(hash)
      },
    },
    rpc: {
      async all(calls: { method: string }[]) {
        if (chain === 'node down') throw new PitRefusal('RPC_UNAVAILABLE', 'down')
        looks++
        return calls.map(({ method }) => {
          if (method === 'eth_getTransactionReceipt') return receipt()
          // This chain's clock is a minute ahead of the client's.
          if (method === 'eth_getBlockByNumber') return { timestamp: hex(nowMs / 1000 + 60) }
          const isUsed = chain === 'receipt lags' || (chain === 'nonce used' && looks > 3)
          return hex(isUsed ? NONCE + 1 : NONCE)
        })
      },
    },
    nowMs: () => nowMs,
    async sleep(ms: number) {
      nowMs += ms
    },
  } as unknown as ClientDeps
  const receipt = () => {
    const afterS = { mined: 0, reverted: 0, 'receipt lags': 1, 'mined late': 20 }[chain as string]
    return afterS !== undefined && nowMs >= (START_S + afterS) * 1000
      ? { status: chain === 'reverted' ? '0x0' : '0x1', blockNumber: '0x2a' }
      : null
  }
  const send = () =>
    sendSigned(deps, [transaction], {
      deadlineS: DEADLINE_S,
      undated,
      onStage: (stage) => stages.push(stage),
      onSigned: ({ hashes }) => {
        hash = hashes[0]!
      },
    }).then(
      () => 'mined' as const,
      (error: unknown) => error as PitRefusal,
    )
  return { send, sent, stages, signatures: () => signatures, atS: () => nowMs / 1000, hash: () => hash }
}
const hex = (value: number): Hex => `0x${Math.floor(value).toString(16)}`
const refusing = (status: number, error: object = {}): Answer => {
  const words = wordsOf(new Response(null, { status }), { error: { message: 'It was refused.', ...error } })
  return () => {
    throw serverRefusal(words, 'different_request')
  }
}

const REFUSALS: Record<string, { code: string; answer: Answer; isResent: boolean }> = {
  'a bare 400': { code: 'HTTP_400', answer: refusing(400), isResent: false },
  'a 409': {
    code: 'IN_FLIGHT',
    answer: refusing(409, { code: 'IN_FLIGHT', retry: 'look_first' }),
    isResent: true,
  },
  'a 422 with a code that the client uses too': {
    code: 'POOL_FAR',
    answer: refusing(422, { code: 'POOL_FAR', retry: 'different_request' }),
    isResent: false,
  },
  'a 422 that states the outcome': {
    code: 'HTTP_422',
    answer: refusing(422, {
      code: 'HASH_MISMATCH',
      retry: 'fresh_plan',
      dead: 'nonce',
      fate: { state: 'dead' },
    }),
    isResent: false,
  },
  'a 429': {
    code: 'RATE_LIMITED',
    answer: refusing(429, { code: 'RATE_LIMITED', retry: 'pause', retry_after_s: 5 }),
    isResent: true,
  },
  'a 503': {
    code: 'LIVE_UNAVAILABLE',
    answer: refusing(503, { code: 'LIVE_UNAVAILABLE', retry: 'pause' }),
    isResent: true,
  },
  'a lost answer': {
    code: 'SERVER_UNREACHABLE',
    answer: () => {
      throw new PitRefusal('SERVER_UNREACHABLE', 'lost', { retry: 'look_first' })
    },
    isResent: true,
  },
  'an unreadable answer': { code: 'SERVER_UNREACHABLE', answer: () => null, isResent: true },
}
const WRONG: Record<string, Answer> = {
  'another hash': () => ({ tx_hash: `0x${'11'.repeat(32)}` }),
  'no hash': () => ({}),
  'an object as the hash': () => ({ tx_hash: { toString: 1 } }),
  'one hash too many': (hash) => ({ tx_hashes: [hash, hash] }),
}

describe.each(Object.entries(REFUSALS))('%s', (_, { answer, code, isResent }) => {
  it.each<ChainState>(['mined', 'mined late', 'reverted'])('is overruled by the chain: %s', async (chain) => {
    const { send, sent, signatures } = open(answer, chain)
    expect(await send()).toBe('mined')
    expect(signatures()).toBe(1)
    expect(new Set(sent).size).toBe(1)
  })

  it.each([
    ['nonce used', 'nonce'],
    ['deadline passes', 'deadline'],
  ] as const)('is reported once the bytes are dead: %s', async (chain, by) => {
    const { send, sent, stages, signatures, hash, atS } = open(answer, chain)
    const error = (await send()) as PitRefusal
    expect([error.code, error.retry]).toEqual(['NOT_MINED', 'fresh_plan'])
    expect(error.fate).toEqual({ state: 'dead', hash: hash(), by })
    expect(error.details).toEqual({ tx_hash: hash() })
    expect(error.message).toContain('Nothing was traded')
    expect(stages).toEqual([{ stage: 'following', code, untilS: DEADLINE_S }])
    // The chain's clock decides: it is a minute ahead.
    if (by === 'deadline') expect(atS()).toBeGreaterThan(DEADLINE_S - 60)
    expect(atS()).toBeLessThan(DEADLINE_S)
    expect(signatures()).toBe(1)
    if (by === 'deadline') expect(sent.length > 1).toBe(isResent)
    expect(new Set(sent).size).toBe(1)
  })

  it('stays open when the own node cannot decide', async () => {
    const { send, signatures, hash, atS } = open(answer, 'node down')
    const error = (await send()) as PitRefusal
    expect([error.code, error.retry]).toEqual(['NOT_MINED', 'look_first'])
    expect(error.fate).toEqual({ state: 'unknown', hash: hash() })
    expect(error.message).toContain(`did not confirm it (${code})`)
    expect(error.hint).toContain('Look for it')
    expect(atS()).toBeGreaterThan(DEADLINE_S)
    expect(signatures()).toBe(1)
  })
})

describe.each(Object.entries(WRONG))('%s', (_, answer) => {
  it.each([
    ['mined', { state: 'mined', block: 42, reverted: false }, 'look_first'],
    ['mined late', { state: 'mined', block: 42, reverted: false }, 'look_first'],
    ['reverted', { state: 'mined', block: 42, reverted: true }, 'look_first'],
    ['nonce used', { state: 'dead', by: 'nonce' }, 'fresh_plan'],
    ['deadline passes', { state: 'dead', by: 'deadline' }, 'fresh_plan'],
    ['node down', { state: 'unknown' }, 'look_first'],
  ] as const)('is HASH_MISMATCH with what the chain shows: %s', async (chain, fate, retry) => {
    const { send, sent, hash } = open(answer, chain)
    const error = (await send()) as PitRefusal
    expect([error.code, error.retry]).toEqual(['HASH_MISMATCH', retry])
    expect(error.fate).toEqual({ ...fate, hash: hash() })
    expect(sent).toHaveLength(1)
  })
})

describe('the right hash', () => {
  const accepted: Answer = (hash) => ({ tx_hash: hash.toUpperCase().replace('0X', '0x') })

  it.each<ChainState>(['mined', 'mined late', 'reverted'])(
    'is followed until it is mined: %s',
    async (chain) => {
      const { send, sent, stages, hash } = open(accepted, chain)
      expect(await send()).toBe('mined')
      expect(stages).toEqual([{ stage: 'relayed', hashes: [hash()] }])
      expect(sent).toHaveLength(1)
    },
  )

  it.each([
    ['nonce used', 'fresh_plan', { state: 'dead', by: 'nonce' }],
    ['deadline passes', 'fresh_plan', { state: 'dead', by: 'deadline' }],
    ['node down', 'look_first', { state: 'unknown' }],
  ] as const)('does not prove that it will be mined: %s', async (chain, retry, fate) => {
    const { send, hash } = open(accepted, chain)
    const error = (await send()) as PitRefusal
    expect([error.code, error.retry]).toEqual(['NOT_MINED', retry])
    expect(error.fate).toEqual({ ...fate, hash: hash() })
  })
})

it('never takes a call without a deadline for dead by time', async () => {
  const { answer } = REFUSALS['a bare 400']!
  const error = (await open(answer, 'deadline passes', { undated: true }).send()) as PitRefusal
  expect([error.code, error.retry]).toEqual(['NOT_MINED', 'look_first'])
  expect(error.hint).toContain('with its nonce')
})

it('stops resending once the server confirms the hash', async () => {
  let calls = 0
  const answer: Answer = (hash) => {
    if (++calls < 3) throw new PitRefusal('SERVER_UNREACHABLE', 'lost', { retry: 'look_first' })
    return { tx_hash: hash }
  }
  const { send, sent } = open(answer, 'mined late')
  expect(await send()).toBe('mined')
  expect(sent).toHaveLength(3)
})

it('waits for a receipt that its node shows later than the used nonce', async () => {
  const { answer } = REFUSALS['a bare 400']!
  expect(await open(answer, 'receipt lags').send()).toBe('mined')
})
