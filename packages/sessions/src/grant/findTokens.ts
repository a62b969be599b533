import { type Address, feedBackedTokens, markSourcesOf, NATIVE } from '@pit/chain'
import {
  type Answer,
  type BindingMark,
  type ChainProfile,
  type CoreToken,
  fail,
  isPitError,
  lower,
  priceE18Down,
  SESSION,
} from '@pit/protocol'
import type { SessionDeps } from '../deps.ts'
import { refuseFaults } from './readGrant.ts'

type Risk = Answer<'tokens.get'>['risks'][number]

/** A token of a session, with its data at the time of the grant. */
export interface GrantToken {
  address: Address
  symbol: string
  decimals: number
  isCore: boolean
  /** Without a feed the session is limited to one day. */
  hasFeed: boolean
  /** Dollars per whole token, times 10^18. */
  priceE18: bigint
  /** The co-signer cannot price it, so the owner signs its price. */
  needsMark: boolean
  risks: readonly Risk[]
  /** Its launch curve, if sessions can trade there. */
  curve: Address | null
  /** Tradable through pools, in addition to a curve or exclusively. */
  hasPools: boolean
}

type Deps = Pick<SessionDeps, 'crypto' | 'profile' | 'tokens' | 'market'>
type ParsedToken = { address: Address; field: string; core: CoreToken | null }

/** Looks up the tokens; new ones are screened first. */
export async function findTokens(
  deps: Deps,
  names: readonly string[],
  admit: () => Promise<void>,
): Promise<GrantToken[]> {
  const parsed = names.map((name, i) => read(deps, name, `tokens.${i}`))
  const once = [...new Map(parsed.map((token) => [token.address, token])).values()]
  if (once.length < SESSION.minTokens) {
    refuseFaults([{ field: 'tokens', message: `must name at least ${SESSION.minTokens} tokens` }])
  }
  const bindsEth = once.some(({ address }) => address === NATIVE)
  const { feedBacked, priced } = pricedOf(deps.profile)
  return Promise.all(
    once.map(async (token): Promise<GrantToken> => {
      const { address, core, field } = token
      const record = await recordOf(deps, token, admit)
      if (record.tier === 'blocked') fail('NO_ROUTE', { message: `no route for \`${field}\`.` })
      const hasPools = record.venues.some(({ venue }) => venue === 'venue_pool')
      const curve = curveOf(deps, address, bindsEth)
      if (core === null && !hasPools && curve === null) refuseCurve(deps, address, field)
      return {
        address,
        symbol: core?.symbol ?? record.symbol,
        decimals: core?.decimals ?? record.decimals,
        isCore: core !== null,
        hasFeed: feedBacked.has(address),
        priceE18: priceOf(deps, address, record.reference.price_usd ?? null, field),
        needsMark: !priced.has(address),
        risks: record.risks.map((risk) => ({ ...risk, token: address })),
        curve,
        hasPools,
      }
    }),
  )
}

function read({ crypto, profile }: Deps, name: string, field: string): ParsedToken {
  if (!/^0x/i.test(name)) {
    const core = profile.core_tokens.find(({ symbol }) => symbol === name)
    return core ? { address: lower(core.address), field, core } : fail('TOKEN_NOT_ALLOWED', { field })
  }
  const address =
    crypto.parseAddress(name) ??
    fail('BAD_REQUEST', {
      field,
      message: `\`${field}\`: invalid address checksum. Send the address in lower case or with its correct checksum.`,
    })
  const core = profile.core_tokens.find((token) => lower(token.address) === address) ?? null
  return { address, field, core }
}

async function recordOf({ tokens }: Deps, { address, core, field }: ParsedToken, admit: () => Promise<void>) {
  if (core) return tokens.coreBySymbol(core.symbol) ?? fail('SESSIONS_UNAVAILABLE')
  try {
    return await tokens.get(address, admit)
  } catch (error) {
    if (!isPitError(error) || error.code !== 'NOT_A_TOKEN') throw error
    return fail('UNKNOWN_TOKEN', {
      field,
      message: `\`${field}\` is not an ERC-20 contract on this chain.`,
    })
  }
}

/** Tokens the co-signer prices itself, and those of them with an oracle feed. */
function pricedOf(profile: ChainProfile) {
  return {
    feedBacked: feedBackedTokens(profile),
    priced: new Set(markSourcesOf(profile).map(({ token }) => token)),
  }
}

/** Sessions trade on curves only for ETH, because the fee root pays in ETH. */
function curveOf({ market }: Deps, token: Address, bindsEth: boolean): Address | null {
  const curve = market.curveOf(token)
  const isLive = curve?.version === 'curve' && !curve.graduated
  return bindsEth && isLive && curve.pair === NATIVE ? curve.id : null
}

function refuseCurve({ market }: Deps, token: Address, field: string): void {
  const curve = market.curveOf(token)
  if (curve?.version !== 'curve' || curve.graduated) return
  fail('TOKEN_NOT_ALLOWED', {
    field,
    message:
      curve.pair === NATIVE
        ? `\`${field}\` trades on its curve for ETH. Add ETH to the tokens.`
        : `\`${field}\` trades only on a curve against ${curve.pair}; sessions support only curves against ETH.`,
  })
}

/** Its independent mark, else the reference price of its record. */
function priceOf({ market }: Deps, token: Address, referenceUsd: number | null, field: string): bigint {
  const mark = market.mark(token)
  if (mark && mark.priceE18 > 0n) return mark.priceE18
  const priceE18 = priceE18Down(referenceUsd ?? 0)
  if (priceE18 > 0n && priceE18 < MARK_END) return priceE18
  return fail('NO_MARK', { field, message: `\`${field}\` has no price.` })
}

/** Upper limit of a price in a binding. */
const MARK_END = 10n ** 36n

/** Owner-signed prices of tokens that the co-signer cannot price. */
export const marksOf = (tokens: readonly GrantToken[]): BindingMark[] =>
  tokens
    .filter(({ needsMark }) => needsMark)
    .map(({ address, decimals, priceE18 }) => ({ token: address, decimals, price_e18: priceE18.toString() }))
