import { type CurveSide, type Hex, launchpadOf } from '@pit/chain'
import type { Pins } from '../pins.ts'
import { askHop } from './impact.ts'
import type { StateReader } from './reading.ts'
import { ethCall, type RpcCall } from './rpc.ts'
import { reverseHop, type Venue } from './venues.ts'

export interface VenueQuote {
  venue: Venue
  /** `buy` spends the venue's payer, `sell` the token. */
  side: CurveSide
  amount: bigint
}

/** Current output of each venue, read in one batch; zero if it has none. */
export async function quoteVenues(
  node: StateReader,
  pins: Pins,
  quotes: readonly VenueQuote[],
  signal?: AbortSignal,
): Promise<bigint[]> {
  const questions = quotes.map((quote) => (quote.amount > 0n ? askVenue(pins, quote) : NOTHING))
  const calls = questions.flatMap(({ calls }) => calls)
  if (calls.length === 0) return quotes.map(() => 0n)
  const reading = await node.read(calls, signal)
  return questions.map(({ calls, read }) => {
    const own = calls.map((call) => reading.returned(call))
    if (own.includes(null)) return 0n
    try {
      return read(own as Hex[])
    } catch {
      // A contract at a pool's address may answer anything.
      return 0n
    }
  })
}

export interface AskedVenue {
  calls: readonly RpcCall[]
  read(answers: readonly Hex[]): bigint
}

const NOTHING: AskedVenue = { calls: [], read: () => 0n }

export function askVenue(pins: Pins, { venue, side, amount }: VenueQuote): AskedVenue {
  if (venue.kind === 'curve') {
    const { quoteCalls, quoteIn } = launchpadOf(venue.curve.launchpad)
    return {
      calls: quoteCalls(side, amount).map((data) => ethCall(venue.curve.id, data)),
      read: (answers) => quoteIn(answers, side, amount),
    }
  }
  const { call, read } = askHop(pins, side === 'buy' ? venue.hop : reverseHop(venue.hop), amount)
  return { calls: [call], read: ([answer]) => read(answer!) }
}
