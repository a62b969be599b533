import type { Address } from '@pit/chain'
import { NATIVE } from '@pit/chain'
import { hasStockRules } from '@pit/market'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { type CoreToken, fail, isPitError, lower } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import type { AgentToken, HostedAgent } from '../types.ts'

export interface AgentPairs {
  /** BASE/QUOTE in canonical spelling: core symbols, else lower-case addresses. */
  pairs: readonly string[]
  /** Each token once. */
  tokens: readonly AgentToken[]
}

type Deps = Pick<HostedDeps, 'crypto' | 'profile' | 'tokens'>
interface NamedToken {
  address: Address
  core: CoreToken | null
  field: string
}
interface NamedPair {
  base: NamedToken
  quote: NamedToken
  field: string
}

/**
 * Parses and looks up an agent's pairs. New tokens by address are screened first, after `admit`. The quote
 * must be a core asset that is not a stock, and differ from the base.
 */
export async function readPairs(
  deps: Deps,
  { pairs, mode, admit }: { pairs: readonly string[]; mode: HostedAgent['mode']; admit(): Promise<void> },
): Promise<AgentPairs> {
  const parsed = pairs.map((pair, i) => readPair(deps, pair, `pairs.${i}`))
  const seen = new Set<string>()
  for (const { base, quote, field } of parsed) {
    const ends = [base.address, quote.address].sort().join('/')
    if (seen.has(ends)) fail('BAD_REQUEST', { field, message: `\`${field}\` is a duplicate.` })
    seen.add(ends)
  }
  const ends = new Map(parsed.flatMap(({ base, quote }) => [base, quote]).map((end) => [end.address, end]))
  const tokens = await Promise.all([...ends.values()].map((end) => lookUp(deps, end, admit)))
  const stock = mode === 'paper' && tokens.find((token) => token.stock)
  if (stock) {
    const { field } = ends.get(stock.address)!
    fail('TOKEN_STOCK', {
      field,
      message: `${stock.symbol} is a stock token. Paper agents cannot trade stock tokens.`,
    })
  }
  return { pairs: parsed.map(({ base, quote }) => `${nameOf(base)}/${nameOf(quote)}`), tokens }
}

const nameOf = ({ address, core }: NamedToken): string => core?.symbol ?? address

function readPair(deps: Deps, text: string, field: string): NamedPair {
  const [base, quote] = text.split('/').map((name) => readName(deps, name, field)) as [NamedToken, NamedToken]
  const say = (message: string): never => fail('BAD_REQUEST', { field, message: `\`${field}\`: ${message}` })
  if (base.address === quote.address) say('base and quote must differ.')
  const weth = deps.profile.core_tokens.find(({ symbol }) => symbol === 'WETH')
  const isEther = ({ address }: NamedToken) => address === NATIVE || (weth && address === lower(weth.address))
  if (isEther(base) && isEther(quote)) say('ETH and WETH are the same asset.')
  if (quote.core === null || quote.core.kind === 'stock') {
    say('the quote must be a core asset and not a stock, such as USDG or ETH.')
  }
  if (base.core?.symbol === 'USDG') say(`USDG must be the quote. Use ${nameOf(quote)}/USDG.`)
  return { base, quote, field }
}

function readName({ crypto, profile }: Deps, text: string, field: string): NamedToken {
  if (!/^0x/i.test(text)) {
    const core = profile.core_tokens.find(({ symbol }) => symbol === text)
    if (core) return { address: lower(core.address), core, field }
    const message = `\`${field}\`: unknown core symbol. Use the address for other tokens.`
    return fail('TOKEN_NOT_ALLOWED', { field, message })
  }
  const address =
    crypto.parseAddress(text) ??
    fail('BAD_REQUEST', {
      field,
      message: `\`${field}\`: an address is 0x and 40 hex digits, in lower case or with a valid checksum.`,
    })
  const core = profile.core_tokens.find((token) => lower(token.address) === address) ?? null
  return { address, core, field }
}

async function lookUp(
  { tokens }: Deps,
  { address, core, field }: NamedToken,
  admit: () => Promise<void>,
): Promise<AgentToken> {
  if (core) {
    const { symbol, decimals, kind } = core
    return { token: symbol, symbol, address, decimals, stock: kind === 'stock' }
  }
  try {
    const record = await tokens.get(address, admit)
    if (record.tier === 'blocked') {
      fail('NO_ROUTE', { message: `\`${field}\`: no route for ${address}.` })
    }
    if (record.stock_beacon === null) fail('RPC_UNAVAILABLE')
    return {
      token: address,
      symbol: record.symbol,
      address,
      decimals: record.decimals,
      stock: hasStockRules(record),
    }
  } catch (error) {
    if (isPitError(error) && error.code === 'NOT_A_TOKEN') {
      fail('TOKEN_UNKNOWN', {
        field,
        message: `\`${field}\`: ${address} is not an ERC-20 contract on this chain.`,
      })
    }
    if (error instanceof RpcError || error instanceof RpcUnreachable) fail('RPC_UNAVAILABLE')
    throw error
  }
}
