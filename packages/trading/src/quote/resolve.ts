import { type Address, NATIVE } from '@pit/chain'
import { hasStockRules, type RecordNow } from '@pit/market'
import { createCache } from '@pit/platform/cache'
import { isStoreUnavailable } from '@pit/platform/db'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { type CoreSymbol, type CoreToken, fail, isPitError, lower } from '@pit/protocol'
import type { TradeParams, TradeToken } from '../types.ts'
import type { QuoterDeps } from './deps.ts'
import { refuseSymbol } from './refuseSymbol.ts'

type Field = 'token_in' | 'token_out'

/** One end of the request: a core asset of the profile, or an address. */
export interface NamedToken {
  address: Address
  field: Field
  core: CoreToken | null
}

/** If a token's proxy code changed since its screen: a plan is refused, a quote discloses it. */
export type ChangedTokens = 'refuse' | 'screen again'

const CORE_RECORD_MS = 1_000

export interface Resolver {
  /** Parses the two names; refuses before any lookup. */
  readPair(request: Pick<TradeParams, 'tokenIn' | 'tokenOut'>): { tokenIn: NamedToken; tokenOut: NamedToken }
  /** A token's record; core assets from memory, others are looked up and screened if new. */
  readRecord(token: NamedToken, admit: TradeParams['admit'], changed: ChangedTokens): Promise<RecordNow>
  /** All current data of the token. Synchronous, so that the mark matches the pools. */
  tokenOf(token: NamedToken, record: RecordNow): TradeToken
}

export function createResolver({
  market,
  tokens,
  profile,
  crypto,
  clock,
}: Pick<QuoterDeps, 'market' | 'tokens' | 'profile' | 'crypto' | 'clock'>): Resolver {
  const bySymbol = new Map(profile.core_tokens.map((token) => [token.symbol, token]))
  const byAddress = new Map(profile.core_tokens.map((token) => [lower(token.address), token]))
  const weth = bySymbol.get('WETH')
  const coreRecords = createCache<string, RecordNow>({ max: 100, ttlMs: CORE_RECORD_MS, clock })

  function read(text: string, field: Field): NamedToken {
    if (/^0x/i.test(text)) {
      const address =
        crypto.parseAddress(text) ??
        fail('BAD_REQUEST', {
          field,
          message: `\`${field}\` has a wrong checksum. Send it in lower case or with the correct checksum.`,
        })
      return { address, field, core: byAddress.get(address) ?? null }
    }
    const core = bySymbol.get(text) ?? refuseSymbol(profile.core_tokens, field, text)
    return { address: lower(core.address), field, core }
  }

  async function lookUp(
    { address, field }: NamedToken,
    admit: TradeParams['admit'],
    changed: ChangedTokens,
  ): Promise<RecordNow> {
    try {
      const unchanged = changed === 'refuse' ? tokens.assertUnchanged(address) : undefined
      // Awaited below, unless the record itself fails first.
      unchanged?.catch(() => {})
      const record = await tokens.get(address, admit)
      await unchanged
      if (record.stock_beacon === null) fail('RPC_UNAVAILABLE')
      return record
    } catch (error) {
      if (isPitError(error) && error.code === 'NOT_A_TOKEN') {
        fail('TOKEN_UNKNOWN', { field, message: `\`${field}\` is not an ERC-20 contract on this chain.` })
      }
      if (error instanceof RpcError || error instanceof RpcUnreachable) fail('RPC_UNAVAILABLE')
      if (isStoreUnavailable(error)) fail('REGISTRY_UNAVAILABLE')
      throw error
    }
  }

  /** Recomputed at most once a second: a record sums up every tick of a core asset's pools. */
  function coreRecord(symbol: string): RecordNow {
    const cached = coreRecords.get(symbol)
    if (cached) return cached
    const record = tokens.coreBySymbol(symbol) ?? fail('REGISTRY_UNAVAILABLE')
    coreRecords.set(symbol, record)
    return record
  }

  return {
    readPair(request) {
      const tokenIn = read(request.tokenIn, 'token_in')
      const tokenOut = read(request.tokenOut, 'token_out')
      if (tokenIn.address === tokenOut.address) fail('SAME_TOKEN', { field: 'token_out' })
      const ends = [tokenIn.address, tokenOut.address]
      if (weth && ends.includes(NATIVE) && ends.includes(lower(weth.address))) {
        fail('NO_ROUTE', {
          message: `ETH and WETH convert 1:1. Wrap or unwrap at ${lower(weth.address)}.`,
        })
      }
      return { tokenIn, tokenOut }
    },
    async readRecord(token, admit, changed) {
      if (token.core === null) return lookUp(token, admit, changed)
      return coreRecord(token.core.symbol)
    },
    tokenOf({ address, core }, record) {
      return {
        address,
        symbol: core?.symbol ?? record.symbol,
        decimals: core?.decimals ?? record.decimals,
        core: (core?.symbol ?? null) as CoreSymbol | null,
        stock: core?.kind === 'stock' || hasStockRules(record),
        record,
        mark: market.mark(address),
      }
    },
  }
}
