import { type Address, NATIVE } from '@pit/chain'
import { hasStockRules, type RecordNow } from '@pit/market'
import { createCache } from '@pit/platform/cache'
import { isStoreUnavailable } from '@pit/platform/db'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { type CoreSymbol, type CoreToken, fail, isPitError } from '@pit/protocol'
import type { TradeParams, TradeToken } from '../types.ts'
import { lower, type QuoterDeps } from './deps.ts'
import { refuseSymbol } from './refuseSymbol.ts'

type Field = 'token_in' | 'token_out'

/** One end as it was named: a core asset of the profile, or an address. */
export interface NamedToken {
  address: Address
  field: Field
  core: CoreToken | null
}

/** For a token whose proxy code changed since its screen: a plan is refused, a quote discloses it. */
export type ChangedTokens = 'refuse' | 'screen again'

const CORE_RECORD_MS = 1_000

export interface Resolver {
  /** Reads the two names; refuses before anything is looked up. */
  readPair(request: Pick<TradeParams, 'tokenIn' | 'tokenOut'>): { tokenIn: NamedToken; tokenOut: NamedToken }
  /** A token's record; for core assets from memory, others are looked up and screened when they are new. */
  readRecord(token: NamedToken, admit: TradeParams['admit'], changed: ChangedTokens): Promise<RecordNow>
  /** Everything known of it now. Nothing waits, so the mark is of the moment the pools are read. */
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
          message: `\`${field}\`: its checksum is wrong; send it lower-case or as it is.`,
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
      // Heard below, unless the record itself is refused first.
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

  /** Measured anew once a second: a record adds up every tick of a core asset's pools. */
  function coreRecord(symbol: string): RecordNow {
    const known = coreRecords.get(symbol)
    if (known) return known
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
          message: `ETH and WETH change one for one: wrap or unwrap directly at ${lower(weth.address)}.`,
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
