import type { Address } from '@pit/chain'
import { createVendor, rateOf, VENDOR_REFUSALS, VendorRefused } from '@pit/platform/http'
import { ProfileError } from '@pit/platform/settings'
import { QUOTE_ONLY_VENUES, TRADE, trimEnd, type VendorProfile } from '@pit/protocol'
import type { FailedRoute } from '../types.ts'
import { idOf, type QuoterDeps } from './deps.ts'
import type { Labels } from './labels.ts'
import { ATOMS_END } from './size.ts'
import type { UnpricedRoute, VenueQuotes } from './unpriced.ts'
import { AGGREGATORS, type AggregatorParams, type Offer } from './vendors/index.ts'

type Name = (typeof QUOTE_ONLY_VENUES)[number]

export interface AggregatorRequest extends AggregatorParams {
  /** Higher offers are implausible; null: no limit known. */
  maxOut: bigint | null
}

export interface Aggregators {
  /** Requests quotes from the named ones in parallel, each within the time budget. */
  quote(names: readonly Name[], request: AggregatorRequest): Promise<VenueQuotes>
  /** Whether a route id is an aggregator's for this pair. */
  isRoute(id: string, tokenIn: Address, tokenOut: Address): boolean
}

/** Used if a vendor reports no usable gas. */
const USUAL_GAS = 260_000

export const isAggregator = (venue: string): venue is Name =>
  (QUOTE_ONLY_VENUES as readonly string[]).includes(venue)

/** Aggregator quotes for comparison, never built; their data is used for their own row only. */
export function createAggregators({
  profile,
  crypto,
  clock,
  logger,
  vendorKeys,
  labels,
  budgetMs = TRADE.aggregatorBudgetMs,
}: Pick<QuoterDeps, 'profile' | 'crypto' | 'clock' | 'logger' | 'vendorKeys'> & {
  labels: Labels
  budgetMs?: number
}): Aggregators {
  const routeId = (name: string, tokenIn: Address, tokenOut: Address) =>
    idOf(crypto, `${name}:${tokenIn}:${tokenOut}`)
  const opened = new Map(
    Object.entries(profile.vendors.aggregators).map(([name, named]) => {
      const one = openAggregator(name, named, { clock, vendorKeys, budgetMs })
      if (one === 'NO_KEY') {
        logger.warn({ aggregator: name, kind: named.kind }, 'aggregator disabled: no key in VENDOR_KEYS')
      }
      return [name, one] as const
    }),
  )

  async function quoteOne(name: Name, request: AggregatorRequest): Promise<Offer> {
    const one = opened.get(name)
    if (one === undefined) throw new VendorRefused('OFF')
    if (one === 'NO_KEY') throw new VendorRefused('NO_KEY')
    const offer = await one(request)
    if (offer.amountOut >= ATOMS_END || (request.maxOut !== null && offer.amountOut > request.maxOut)) {
      throw new VendorRefused('TOO_GOOD')
    }
    return offer
  }

  return {
    async quote(names, request) {
      const { tokenIn, tokenOut } = request
      const outcome: VenueQuotes = { routes: [], failed: [] }
      await Promise.all(
        [...new Set(names)].map(async (name) => {
          const row = {
            id: routeId(name, tokenIn, tokenOut),
            venue: name,
            label: labels.ofVenue(request, name),
          }
          try {
            const { amountOut, gas } = await quoteOne(name, request)
            const rest = {
              way: null,
              quotedBy: 'vendor',
              impactBps: null,
              risks: [],
            } satisfies Partial<UnpricedRoute>
            outcome.routes.push({ ...row, ...rest, amountOut, gas: gas ?? USUAL_GAS })
          } catch (error) {
            outcome.failed.push({ ...row, why: whyOf(error) } satisfies FailedRoute)
          }
        }),
      )
      return outcome
    },
    isRoute: (id, tokenIn, tokenOut) =>
      QUOTE_ONLY_VENUES.some((name) => routeId(name, tokenIn, tokenOut) === id),
  }
}

const whyOf = (error: unknown): string =>
  error instanceof VendorRefused ? error.message : VENDOR_REFUSALS.SILENT

/** Opens one aggregator of the profile; NO_KEY if its required key is not set. */
function openAggregator(
  name: string,
  { kind, url, per_minute }: VendorProfile,
  { clock, vendorKeys, budgetMs }: Pick<QuoterDeps, 'clock' | 'vendorKeys'> & { budgetMs: number },
): ((params: AggregatorParams) => Promise<Offer>) | 'NO_KEY' {
  const at = `vendors.aggregators.${name}`
  if (!isAggregator(name)) throw new ProfileError(`${at}: use ${QUOTE_ONLY_VENUES.join(', ')}`)
  const vendor = Object.hasOwn(AGGREGATORS, kind) ? AGGREGATORS[kind] : undefined
  if (vendor === undefined) {
    throw new ProfileError(`${at}: unknown kind "${kind}"; use ${Object.keys(AGGREGATORS).join(', ')}`)
  }
  const key = vendor.key !== 'none' && Object.hasOwn(vendorKeys, kind) ? (vendorKeys[kind] ?? null) : null
  if (vendor.key === 'required' && key === null) return 'NO_KEY'
  const usual = (key !== null && vendor.ratedByKey) || vendor.rate
  const client = createVendor({ rate: rateOf(usual, per_minute), timeoutMs: budgetMs, clock })
  const baseUrl = trimEnd(url, '/')
  return (params) => client.ask(vendor.request(baseUrl, params, key), (answer) => vendor.read(answer, params))
}
