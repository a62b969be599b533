import type { Address } from '@pit/chain'
import type { ChainProfile } from '@pit/protocol'
import { askChainId, askCode, readOne } from '../reads/index.ts'
import { type Rpc, RpcUnreachable } from '../rpc/index.ts'
import { StartRefused } from '../settings/startRefused.ts'

/**
 * Rejects a profile of another chain or of a previous devnet, which would send money to addresses without an
 * owner. An unreachable chain passes: no plan is built without it, and market health reports it.
 */
export async function checkChain(rpc: Rpc, profile: ChainProfile): Promise<void> {
  try {
    const chainId = await readOne(rpc, askChainId())
    if (chainId !== profile.chain_id) {
      throw new StartRefused(
        `the chain has id ${chainId}, the profile is for chain ${profile.chain_id}: set CHAIN_RPC_URL`,
      )
    }
    const pinned = {
      universal_router: profile.contracts.universal_router,
      v4_pool_manager: profile.contracts.v4_pool_manager,
      delegation_manager: profile.delegation.delegation_manager,
    }
    for (const [name, address] of Object.entries(pinned)) {
      if (address === null) continue
      const code = await readOne(rpc, askCode(address as Address))
      if (code === '0x') {
        throw new StartRefused(
          `no contract at ${name} ${address}: profile ${profile.name} is for another chain; ` +
            'set PROFILE and CHAIN_RPC_URL to the same chain',
        )
      }
    }
  } catch (error) {
    if (!(error instanceof RpcUnreachable)) throw error
    if (error.why === 'foreign') throw new StartRefused(`${error.message}: set CHAIN_RPC_URL`)
  }
}
