import type { PaperFill } from '@pit/agents'
import type { Sql } from '@pit/platform/db'
import { type Answer, fail, lower, usdOf } from '@pit/protocol'
import { firstSeasonOf, type LeagueDeps, type Player } from '../deps.ts'
import { activeForEntrant } from '../entries/store.ts'
import { playingNow } from './playing.ts'
import { findAnswer, type NamedRequest, storeAnswer } from './requests.ts'

const TERMS = { acceptRisks: [], shield: false, policies: null }

export interface OrderRequest {
  tokenIn: string
  tokenOut: string
  size: { microUsd: bigint } | { amountIn: bigint }
}

/** A concurrent call placed the same order: this fill is not booked. */
class OrderTaken extends Error {}

/** Trades the wallet's practice account at a real quote; a repeated request returns the stored response. */
export async function paperOrder(
  deps: LeagueDeps,
  player: Player,
  params: OrderRequest,
  request: NamedRequest | null = null,
): Promise<Answer<'paper.order'>> {
  const answered = request && (await findAnswer(deps.db, player.wallet, request))
  if (answered) return answered
  const firstSeasonS = firstSeasonOf(deps)
  const entry = await activeForEntrant(deps.db, { kind: 'account', ...player })
  if (!entry) fail('NOT_ENTERED', { message: 'This wallet’s account does not play the practice board.' })
  const playing = await playingNow(deps, firstSeasonS, entry)
  if (playing.state !== 'plays') fail('SEASON_CLOSED', { why: playing.why })
  await checkToken(deps, params.tokenIn, 'token_in')
  await checkToken(deps, params.tokenOut, 'token_out')
  const { season, bookId } = playing
  try {
    const fill = await deps.paper.fill({
      bookId,
      wallet: player.wallet,
      ...params,
      terms: TERMS,
      async commit(sql, made) {
        await refuseAfterEnd(sql, season, made)
        const answer = describeFill(deps, season, made)
        if (request && !(await storeAnswer(sql, player.wallet, request, answer))) throw new OrderTaken()
      },
    })
    return describeFill(deps, season, fill)
  } catch (error) {
    if (!(error instanceof OrderTaken) || !request) throw error
    return (await findAnswer(deps.db, player.wallet, request))!
  }
}

/** The board trades core tokens except stocks, and never entrants' own tokens. */
async function checkToken({ db, profile }: LeagueDeps, token: string, field: string): Promise<void> {
  const core = profile.core_tokens.find(
    ({ symbol, address }) => symbol === token || lower(address) === token.toLowerCase(),
  )
  if (core && core.kind !== 'stock') return
  const [entered] = await db.query(
    'select 1 from league_entries where token = $1 and left_at_s is null limit 1',
    [token.toLowerCase()],
  )
  if (entered && !core)
    fail('PARTICIPANT_TOKEN', { message: 'Entrants’ own tokens are not traded on this board.' })
  fail('TOKEN_NOT_ALLOWED', { field, message: `The practice board does not trade ${token.slice(0, 64)}.` })
}

/** A quote takes time: refuses a fill after the season's end or after it was closed. */
async function refuseAfterEnd(sql: Sql, season: number, { filledAtMs }: PaperFill): Promise<void> {
  const [row] = await sql.query<{ state: string; ends_at_s: number }>(
    'select state, ends_at_s from league_seasons where number = $1 for share',
    [season],
  )
  if (row?.state === 'open' && filledAtMs < row.ends_at_s * 1000) return
  fail('SEASON_CLOSED', { why: `season ${season} ended while the order was priced` })
}

/** A fill as its owner sees it. */
export function describeFill(
  { profile }: Pick<LeagueDeps, 'profile'>,
  season: number,
  fill: PaperFill,
): Answer<'paper.order'> {
  const named = (address: string) => profile.core_tokens.find((token) => lower(token.address) === address)
  const [tokenIn, tokenOut] = [named(fill.tokenIn), named(fill.tokenOut)]
  // The price of the token that is not USDG.
  const [asset, atoms] = tokenIn?.symbol === 'USDG' ? [tokenOut, fill.amountOut] : [tokenIn, fill.amountIn]
  const whole = asset ? Number(atoms) / 10 ** asset.decimals : 0
  return {
    order_id: fill.id,
    season,
    token_in: tokenIn?.symbol ?? fill.tokenIn,
    token_out: tokenOut?.symbol ?? fill.tokenOut,
    amount_in: String(fill.amountIn),
    amount_out: String(fill.amountOut),
    price_usd: whole > 0 ? usdOf(fill.microUsd) / whole : null,
    fee_bps: fill.fee.bps,
    gas_usd: usdOf(fill.gasMicroUsd),
    time: Math.floor(fill.filledAtMs / 1000),
  }
}
