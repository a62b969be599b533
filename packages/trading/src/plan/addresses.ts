import { type Address, NATIVE, type Permit2Domain, type RouterLayout } from '@pit/chain'
import type { describeSwap } from '@pit/plans'
import { type ChainProfile, fail, lower } from '@pit/protocol'
import type { TradeToken } from '../types.ts'

type TokenNames = Parameters<typeof describeSwap>[1]

/** The profile's contracts for building trades, lower-case. */
export interface TradeAddresses extends Permit2Domain {
  router: Address
  weth: Address
  layout: RouterLayout
  /** The contract a wallet must delegate to for batches. */
  delegator: Address
  /** Names of core assets and of these tokens. */
  namesFor(tokens: readonly TradeToken[]): TokenNames
}

/** Refuses LIVE_UNAVAILABLE on a chain without a router. */
export function tradeAddressesOf({
  chain_id,
  contracts,
  delegation,
  core_tokens,
}: ChainProfile): () => TradeAddresses {
  const { universal_router: router, weth } = contracts
  const core = new Map(
    core_tokens.map(({ address, symbol, decimals }) => [lower(address), { symbol, decimals }]),
  )
  const addresses =
    router === null || weth === null
      ? null
      : {
          chainId: chain_id,
          permit2: lower(contracts.permit2),
          router: lower(router),
          weth: lower(weth),
          layout: contracts.universal_router_layout,
          delegator: lower(delegation.stateless_delegator),
          namesFor: (tokens: readonly TradeToken[]): TokenNames => {
            const named = new Map(
              tokens.map(({ address, symbol, decimals }) => [address, { symbol, decimals }]),
            )
            return (token) => core.get(token) ?? named.get(token)
          },
        }
  return () =>
    addresses ?? fail('LIVE_UNAVAILABLE', { message: 'This chain has no router to trade through.' })
}

export const isEth = (token: Address): boolean => token === NATIVE
