import { keccak256 } from 'viem'
import { rpcFailure } from '../engine/provider.ts'
import type { Chain, Hex } from '../engine/types.ts'
import { toRpcError } from './errors.ts'
import { errorText, PARSE_ERROR, readMessage, resultText } from './message.ts'
import { type Method, rawTransaction } from './methods.ts'

/** lossy: pools the transaction and never answers. refuse: returns an error and pools nothing. */
export type SequencerMode = 'ok' | 'slow' | 'lossy' | 'refuse'
const MODES: readonly string[] = ['ok', 'slow', 'lossy', 'refuse']

export interface SequencerState {
  mode: SequencerMode
  delay_ms: number
}

export type SequencerReply = { kind: 'answer'; text: string } | { kind: 'silence' }

/** The endpoint that only accepts transactions, with scripted faults. */
export interface Sequencer {
  handle(text: string): Promise<SequencerReply>
  set(state: Partial<SequencerState>): SequencerState
  /** How often a transaction was received, whatever the outcome. */
  seen(hash: Hex): number
  /** devnet_sequencer and devnet_sequencerSeen. */
  methods: Record<string, Method>
}

const REMEMBERED = 10_000
const MAX_DELAY_MS = 600_000

export function createSequencer(chain: Pick<Chain, 'sendRaw'>): Sequencer {
  let state: SequencerState = { mode: 'ok', delay_ms: 2_000 }
  const counts = new Map<Hex, number>()
  const record = (raw: Hex) => {
    const hash = keccak256(raw)
    const count = (counts.get(hash) ?? 0) + 1
    counts.delete(hash)
    counts.set(hash, count)
    if (counts.size > REMEMBERED) counts.delete(counts.keys().next().value!)
  }
  const set = (wanted: Partial<SequencerState>) => {
    if (wanted.mode !== undefined && !MODES.includes(wanted.mode))
      throw rpcFailure(-32602, `mode must be one of ${MODES.join(', ')}`)
    const delay = wanted.delay_ms
    if (delay !== undefined && !(Number.isInteger(delay) && delay >= 0 && delay <= MAX_DELAY_MS))
      throw rpcFailure(-32602, `delay_ms must be a whole number up to ${MAX_DELAY_MS}`)
    state = { ...state, ...wanted }
    return state
  }
  const seen = (hash: Hex) => counts.get(hash.toLowerCase() as Hex) ?? 0

  const answerTo = async (value: unknown): Promise<string | undefined> => {
    const message = readMessage(value)
    if (message.kind === 'invalid') return errorText(message.id, message.error)
    const id = message.id ?? null
    if (message.method !== 'eth_sendRawTransaction')
      return errorText(id, { code: -32601, message: 'the sequencer supports eth_sendRawTransaction only' })
    // The mode at arrival applies, even if it changes while a slow request waits.
    const { mode, delay_ms } = state
    try {
      const raw = rawTransaction(message.params[0])
      record(raw)
      if (mode === 'refuse') throw rpcFailure(-32003, 'transaction rejected by the sequencer')
      if (mode === 'slow') await new Promise((resolve) => setTimeout(resolve, delay_ms))
      const hash = await chain.sendRaw(raw)
      return mode === 'lossy' ? undefined : resultText(id, hash)
    } catch (error) {
      return mode === 'lossy' ? undefined : errorText(id, toRpcError(error))
    }
  }

  return {
    async handle(text) {
      let parsed: unknown
      try {
        parsed = JSON.parse(text)
      } catch {
        return { kind: 'answer', text: errorText(null, PARSE_ERROR) }
      }
      if (!Array.isArray(parsed)) return asReply(await answerTo(parsed))
      const texts: string[] = []
      for (const item of parsed) {
        const text = await answerTo(item)
        if (text === undefined) return { kind: 'silence' }
        texts.push(text)
      }
      return { kind: 'answer', text: `[${texts.join(',')}]` }
    },
    set,
    seen,
    methods: {
      devnet_sequencer: async ([wanted]) => set((wanted ?? {}) as Partial<SequencerState>),
      devnet_sequencerSeen: async ([hash]) => {
        if (typeof hash !== 'string') throw rpcFailure(-32602, 'expected a transaction hash')
        return seen(hash as Hex)
      },
    },
  }
}

const asReply = (text: string | undefined): SequencerReply =>
  text === undefined ? { kind: 'silence' } : { kind: 'answer', text }
