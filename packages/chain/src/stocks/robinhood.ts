import { encodeFunctionData, parseAbi } from 'viem'
import type { Hex } from '../bytes/hex.ts'
import type { StockIssuer } from './types.ts'

/** Robinhood's tokens: ERC-8056, and a beacon that is the registry of blocked addresses. */
const abi = parseAbi([
  'function paused() view returns (bool)',
  'function oraclePaused() view returns (bool)',
  'function isBlocked(address account) view returns (bool)',
  'function uiMultiplier() view returns (uint256)',
  'function newUIMultiplier() view returns (uint256)',
  'function effectiveAt() view returns (uint256)',
])
const ask = (functionName: 'paused' | 'oraclePaused' | 'uiMultiplier' | 'newUIMultiplier' | 'effectiveAt') =>
  encodeFunctionData({ abi, functionName })
const PAUSED = ask('paused')
const ORACLE_PAUSED = ask('oraclePaused')
const MULTIPLIER = [ask('uiMultiplier'), ask('newUIMultiplier'), ask('effectiveAt')]
const WORD = /^0x[0-9a-f]{64}$/i
/** Later than any clock of ours reads: a multiplier that never takes effect. */
const NEVER_S = Number.MAX_SAFE_INTEGER

export const robinhood: StockIssuer = {
  pausedCall: (token) => ({ to: token, data: PAUSED }),
  oraclePausedCall: (token) => ({ to: token, data: ORACLE_PAUSED }),
  blockedCall: (beacon, who) => ({
    to: beacon,
    data: encodeFunctionData({ abi, functionName: 'isBlocked', args: [who] }),
  }),
  multiplierCalls: (token) => MULTIPLIER.map((data) => ({ to: token, data })),
  multiplierIn(answers) {
    const [current, next, effectiveAt] = answers.map(wordOf)
    if (current == null || next == null || effectiveAt == null || current === 0n) return null
    const effectiveAtS = effectiveAt > BigInt(NEVER_S) ? NEVER_S : Number(effectiveAt)
    return next === 0n
      ? { currentE18: current, nextE18: current, effectiveAtS: 0 }
      : { currentE18: current, nextE18: next, effectiveAtS }
  },
}

const wordOf = (answer: Hex | null): bigint | null =>
  answer !== null && WORD.test(answer) ? BigInt(answer) : null
