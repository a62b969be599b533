import type { League, Player } from '@pit/league'
import { type Body, fail, microUsdDown, type RouteId } from '@pit/protocol'
import type { Caller, Handlers } from '../http/types.ts'
import { namedRequest } from './caller.ts'

type LeagueRoutes = Extract<RouteId, 'league' | `league.${string}` | `paper.${string}`>

export const leagueRoutes = (league: League): Pick<Handlers, LeagueRoutes> => ({
  league: async () => ({ serialised: await league.overview() }),
  'league.standings': async ({ query }) => ({ serialised: await league.standings(query) }),
  'league.seasons': async () => ({ serialised: await league.seasons() }),
  'league.season': async ({ params }) => ({ serialised: await league.season(Number(params.n)) }),
  'league.reserve': async () => ({ serialised: await league.reserve() }),
  'league.me': async ({ caller }) => {
    const { wallet } = playerOf(caller)
    return { wallet, entries: await league.entriesOf(wallet) }
  },
  'league.statement': ({ caller, body }) => league.statement(playerOf(caller), namedBy(body)),
  'league.enter': ({ caller, body: { signature, nonce, ...body } }) =>
    league.enter(playerOf(caller), { ...namedBy(body), signature, nonce }),
  'league.confirm': ({ caller, body: { agent_id, signature, nonce } }) =>
    league.confirm(playerOf(caller), { agentId: agentIdOf(agent_id), signature, nonce }),
  'league.leave': ({ caller, body: { agent_id, board, hosted_id } }) =>
    league.leave(playerOf(caller), {
      agentId: agent_id === undefined ? undefined : agentIdOf(agent_id),
      board,
      hostedId: hosted_id,
    }),
  'paper.order': ({ caller, body }) =>
    league.paperOrder(
      playerOf(caller),
      {
        tokenIn: body.token_in,
        tokenOut: body.token_out,
        size:
          body.amount_in === undefined
            ? { microUsd: microUsdDown(body.notional_usd!) }
            : { amountIn: BigInt(body.amount_in) },
      },
      namedRequest(body),
    ),
  'paper.book': ({ caller }) => league.paperBook(playerOf(caller)),
})

function playerOf({ key }: Caller): Player {
  if (!key?.wallet) return fail('WALLET_NOT_BOUND')
  return { wallet: key.wallet, accountId: key.accountId }
}

/** An id may come as a number or with leading zeros. */
const agentIdOf = (id: string | number): string => BigInt(id).toString()

const namedBy = ({ agent_id, board, hosted_id }: Body<'league.statement'>) => ({
  agentId: agentIdOf(agent_id),
  board,
  hostedId: hosted_id,
})
