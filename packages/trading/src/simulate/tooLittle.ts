import type { Hex } from '@pit/chain'
import { toFunctionSelector } from 'viem'

/** What router and curves revert with when less comes out than they were told to insist on. */
const SIGNATURES = [
  'V2TooLittleReceived()',
  'V3TooLittleReceived()',
  'V4TooLittleReceived(uint256,uint256)',
  'InsufficientETH()',
  'InsufficientToken()',
  'TooLittle(uint256,uint256)',
]
const selectors = new Set(SIGNATURES.map((signature) => toFunctionSelector(signature)))

/** Whether a call failed for its minimum alone: the price has moved, nothing else is wrong with it. */
export const isTooLittle = (revert: Hex): boolean => selectors.has(revert.slice(0, 10) as Hex)
