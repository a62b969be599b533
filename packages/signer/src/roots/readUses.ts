import { delegationManagerAbi, type Hex } from '@pit/chain'
import { askCall, flagIn, needAll, wordIn } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { encodeFunctionData, parseAbi } from 'viem'
import type { Pins } from '../pins.ts'

const limitedCallsAbi = parseAbi([
  'function callCounts(address delegationManager, bytes32 delegationHash) view returns (uint256)',
])

/**
 * Whether any of these roots was redeemed on chain or disabled by its owner. A root to be registered is
 * neither, unless the ledger that contained it was lost: its limits would start again from zero.
 */
export async function readUses(
  rpc: Pick<Rpc, 'batch'>,
  { addresses: { manager, enforcers } }: Pick<Pins, 'addresses'>,
  hashes: readonly Hex[],
): Promise<'unused' | 'used' | 'disabled'> {
  const counts = hashes.map((hash) =>
    askCall({
      to: enforcers.LimitedCalls,
      data: encodeFunctionData({ abi: limitedCallsAbi, functionName: 'callCounts', args: [manager, hash] }),
    }),
  )
  const flags = hashes.map((hash) =>
    askCall({
      to: manager,
      data: encodeFunctionData({
        abi: delegationManagerAbi,
        functionName: 'disabledDelegations',
        args: [hash],
      }),
    }),
  )
  const answers = await needAll(rpc, [...counts, ...flags])
  const used = answers.slice(0, hashes.length).map((answer) => wordIn(answer))
  const disabled = answers.slice(hashes.length).map(flagIn)
  if ([...used, ...disabled].includes(null)) throw new Error('the chain’s answer about a root cannot be read')
  if (disabled.includes(true)) return 'disabled'
  return used.some((count) => count !== 0n) ? 'used' : 'unused'
}
