import type { CountrySettings } from '@pit/doctor'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile, PoolPin } from '@pit/protocol'

const NOBODY = '0x00000000000000000000000000000000000A11cE'

export interface BrokenProfile {
  name: string
  break(profile: ChainProfile): void
  /** Node answers that differ, for faults of the chain and not of its profile. */
  answers?: Record<string, unknown>
  /** Hours since the sanctions list was taken. */
  listAgeH?: number
  /** Country of the server's callers. */
  country?: CountrySettings
  /** Name of the check that finds it. */
  finds: string
  /** Whether the fault could lose money, so that the server does not start. */
  refused: boolean
}

const token = ({ core_tokens }: ChainProfile, symbol: string) =>
  core_tokens.find((one) => one.symbol === symbol)!
const reference = ({ pins }: ChainProfile, symbol: string): PoolPin[] => pins.reference_pools[symbol]!

/** Every known way in which a profile can be wrong. */
export const BROKEN: readonly BrokenProfile[] = [
  {
    name: 'other decimals of a token',
    break(it) {
      token(it, 'USDG').decimals = 18
    },
    finds: 'token USDG decimals',
    refused: true,
  },
  {
    name: 'another token under a symbol',
    break(it) {
      token(it, 'NVDA').address = token(it, 'SPY').address
    },
    finds: 'token NVDA symbol',
    refused: true,
  },
  {
    name: 'a token twice',
    break(it) {
      it.core_tokens.push({ ...token(it, 'USDG'), symbol: 'USDG2' })
    },
    finds: 'token USDG2 twice',
    refused: true,
  },
  {
    name: 'a token without code',
    break(it) {
      token(it, 'cbBTC').address = NOBODY
    },
    finds: 'token cbBTC code',
    refused: true,
  },
  {
    name: 'WETH that is not the WETH of the exchanges',
    break(it) {
      token(it, 'WETH').address = token(it, 'PARTNER').address
    },
    finds: 'token WETH',
    refused: true,
  },
  {
    name: 'swapped feeds',
    break(it) {
      const [eth, nvda] = [token(it, 'ETH'), token(it, 'NVDA')]
      ;[eth.feed, nvda.feed] = [nvda.feed, eth.feed]
    },
    finds: 'feed ETH description',
    refused: true,
  },
  {
    name: 'a feed with other decimals',
    break(it) {
      token(it, 'ETH').feed!.decimals = 18
    },
    finds: 'feed ETH decimals',
    refused: true,
  },
  {
    name: 'a feed address that is not a feed',
    break(it) {
      token(it, 'SPY').feed!.address = it.contracts.permit2
    },
    finds: 'feed SPY decimals',
    refused: true,
  },
  {
    name: 'a feed that has been silent for longer than its heartbeat',
    break(it) {
      token(it, 'ETH').feed!.heartbeat_s = -1_000_000
    },
    finds: 'feed ETH age',
    refused: false,
  },
  {
    name: 'another router layout',
    break(it) {
      it.contracts.universal_router_layout = '2.1.1'
    },
    finds: 'router layout',
    refused: true,
  },
  {
    name: 'a router without code',
    break(it) {
      it.contracts.universal_router = NOBODY
    },
    finds: 'contract universal_router',
    refused: true,
  },
  {
    name: 'a pool manager that is not the router’s',
    break(it) {
      it.contracts.v4_pool_manager = it.contracts.v3_factory
    },
    finds: 'contract universal_router poolManager()',
    refused: true,
  },
  {
    name: 'a quoter of another factory',
    break(it) {
      it.contracts.v3_factory = it.contracts.v2_factory
    },
    finds: 'contract v3_quoter factory()',
    refused: true,
  },
  {
    name: 'another init code hash',
    break(it) {
      it.contracts.v3_pool_init_code_hash = `0x${'1'.repeat(64)}`
    },
    finds: 'pool partner_usdg',
    refused: true,
  },
  {
    name: 'Permit2 without code',
    break(it) {
      it.contracts.permit2 = NOBODY
    },
    finds: 'contract permit2',
    refused: true,
  },
  {
    name: 'Multicall3 without code',
    break(it) {
      it.contracts.multicall3 = NOBODY
    },
    finds: 'contract multicall3',
    refused: true,
  },
  {
    name: 'an enforcer without code',
    break(it) {
      it.delegation.enforcers['ValueLteEnforcer'] = NOBODY
    },
    finds: 'enforcer ValueLteEnforcer',
    refused: true,
  },
  {
    name: 'an enforcer that is missing',
    break(it) {
      delete it.delegation.enforcers['RedeemerEnforcer']
    },
    finds: 'enforcer Redeemer',
    refused: true,
  },
  {
    name: 'a delegation manager that is something else',
    break(it) {
      it.delegation.delegation_manager = it.contracts.permit2
    },
    finds: 'delegation_manager version',
    refused: true,
  },
  {
    name: 'a pin of other tokens',
    break(it) {
      it.pins.reference_pools['cbBTC'] = [reference(it, 'NVDA')[0]!]
    },
    finds: 'pool reference cbBTC 1',
    refused: true,
  },
  {
    name: 'a pin with another fee',
    break(it) {
      ;(reference(it, 'NVDA')[0] as PoolPin & { fee: number }).fee = 1
    },
    finds: 'pool reference NVDA 1',
    refused: true,
  },
  {
    name: 'a fast pool that does not exist',
    break(it) {
      it.pins.fast_pools['WETH/USDG'] = { version: 'v3', address: NOBODY, fee: 500 }
    },
    finds: 'pool fast WETH/USDG',
    refused: true,
  },
  {
    name: 'a fee recipient that is a contract of the profile',
    break(it) {
      it.fee_recipient = it.contracts.universal_router
    },
    finds: 'fee_recipient',
    refused: true,
  },
  {
    name: 'a stock beacon without isBlocked',
    break(it) {
      it.stocks.beacon = it.contracts.multicall3
    },
    finds: 'stock registry',
    refused: false,
  },
  {
    name: 'a first block ahead of the chain',
    break(it) {
      it.first_block = 1_000_000_000
    },
    finds: 'first_block',
    refused: false,
  },
  {
    name: 'another chain',
    break: () => {},
    answers: { eth_chainId: '0x1' },
    finds: 'chain id',
    refused: true,
  },
  {
    name: 'a sanctions list of three days ago',
    break(it) {
      it.kind = 'mainnet'
    },
    listAgeH: 72,
    finds: 'sanctions list',
    refused: false,
  },
  {
    name: 'a sanctions list past the limit',
    break(it) {
      it.kind = 'mainnet'
    },
    listAgeH: 200,
    finds: 'sanctions list',
    refused: true,
  },
  {
    name: 'no country source',
    break(it) {
      it.kind = 'mainnet'
    },
    country: { geoDb: null, geoHeader: null, hasTrustedProxy: true, isWaived: true },
    finds: 'country source',
    refused: false,
  },
]

/** A node with other answers to some methods. */
export const answering = (rpc: Rpc, answers: Record<string, unknown> = {}): Rpc => ({
  ...rpc,
  request: <T>(method: string, ...rest: [(readonly unknown[])?]) =>
    method in answers ? Promise.resolve(answers[method] as T) : rpc.request<T>(method, ...rest),
})
