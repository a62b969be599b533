import { AUTH, LEAGUE, SESSION } from './numbers.ts'
import { BUCKETS, type BucketId } from './rates.ts'

/** A deliberate difference from the public contract. */
export interface Difference {
  readonly about: string
  readonly contract: string
  readonly here: string
  readonly why: string
  /** The test that shows it, or the deviation of the tables that it explains. */
  readonly shownBy: string | { readonly deviation: RegExp }
}

const ruleOf = (id: BucketId): string => `${BUCKETS[id].burst}, then ${BUCKETS[id].ratePerS} a second`

/** All of them; `contract.test.ts` compares the tables with the contract and accepts no others. */
export const DIFFERENCES: readonly Difference[] = [
  {
    about: 'rate limit of `health`',
    contract: 'shares the bucket of config, stats and treasury, per client address and overall',
    here: `a separate bucket (\`health.address\`: ${ruleOf('health.address')}), per client address only`,
    why: 'Other callers must not use up a monitor’s limit.',
    shownBy: { deviation: /^health: not limited by public/ },
  },
  {
    about: 'open challenges per wallet',
    contract: `up to ${AUTH.maxOpenChallengesPerWallet}`,
    here:
      `up to ${AUTH.maxOpenChallengesPerWallet} for each client address (IPv6: /64), ` +
      `${AUTH.maxOpenChallengesInAll} in total; sign-in and revoke-all count together. Above a limit, the oldest expires ` +
      'early (CHALLENGE_EXPIRED), but never the newest one from the network of the last sign-in',
    why: 'Anyone can request a challenge for any wallet; strangers must not displace the owner’s.',
    shownBy: 'packages/auth/test/challengeCases.ts',
  },
  {
    about: '`auth/verify` and `auth/revoke-all` without a nonce',
    contract: 'try the newest challenge first',
    here: 'first those requested from the caller’s own network, newest first, then the others; at most 20',
    why: 'Strangers can open newer challenges for the same wallet.',
    shownBy: 'packages/auth/test/challengeCases.ts',
  },
  {
    about: 'overall limit of `auth/challenge`, `auth/verify`, `auth/revoke-all`',
    contract: 'one limit per client address, and overall',
    here: 'the same, but above the overall limit a wallet is still served from the network of its last sign-in',
    why: 'Clients that use up the overall limit must not lock out owners.',
    shownBy: 'e2e/signInFlood.test.ts',
  },
  {
    about: 'unknown fields of `live/*`',
    contract: 'not stated; refused on hosted and league routes only',
    here: 'BAD_REQUEST with `field` and the nearest known name',
    why: 'A misspelt limit must not become a default.',
    shownBy: { deviation: /^live\.[a-z._]+: unknown (query )?fields refused$/ },
  },
  {
    about: '`token_in` and `token_out` of `live/prepare` and `live/build`',
    contract: 'required',
    here: 'required for a trade, not with `action: "revoke"`',
    why: 'A revocation has no pair.',
    shownBy: { deviation: /^live\.(prepare|build|simulate): token_(in|out) is optional$/ },
  },
  {
    about: 'maximum gas cost in fast mode',
    contract: '0.0002 ETH',
    here: 'each chain’s profile sets it, and `fast/terms` says it in `limits.max_cost_wei`: 0.0002 ETH on the devnet, 0.001 ETH on the real chain',
    why: 'At the real chain’s base fees a pinned route may cost 0.0004 ETH.',
    shownBy: 'e2e/contractAnswers.test.ts',
  },
  {
    about: '24-hour cap of a session',
    contract: 'counts the trades co-signed in the last 24 hours',
    here: `in the last 24 hours and ${SESSION.leafTtlS} seconds`,
    why: 'A trade co-signed just before the window may be mined inside it, up to the lifetime of a leaf later.',
    shownBy: 'packages/server/src/routes/sessionSpend.db.test.ts',
  },
  {
    about: '`dropped` trades',
    contract: 'a pending trade that was never mined within an hour',
    here: 'also earlier: as soon as another transaction of the signer took its nonce, or if its bytes never left this server. A receipt found later corrects it',
    why: 'Such a trade can no longer be mined; its wallet should not wait for an hour.',
    shownBy: 'packages/relay/src/receipts/rules.test.ts',
  },
  {
    about: 'rank on the prize board',
    contract: 'highest profit wins',
    here: 'highest profit without the gains that no independent mark confirms (`beyond_marks_usd`)',
    why: 'An entrant can make such gains with its own money in its own pool.',
    shownBy: 'packages/league/src/rules/places.test.ts',
  },
  {
    about: 'entries of the practice board',
    contract: 'play from the next season',
    here: 'the same, but the operator can admit one to the running season',
    why: `Two weeks are long for a paper account; the board has no prizes, and everyone starts at ${LEAGUE.practiceBookUsdg.toLocaleString('en-US')} USDG.`,
    shownBy: 'packages/league/src/practice/practice.db.test.ts',
  },
  {
    about: '`league/standings` of a season that does not exist',
    contract: 'names only BAD_REQUEST and RATE_LIMITED',
    here: 'NO_SEASON with 404, as `league/seasons/<n>`',
    why: 'The number is valid, but there is no such season.',
    shownBy: 'e2e/contractAnswers.test.ts',
  },
  {
    about: 'age of the treasury record',
    contract: 'read again only when the record changes',
    here: 'also at most every 30 seconds for the preview of the running week and the balances',
    why: 'The preview follows the chain, not the record.',
    shownBy: 'packages/treasury/src/record.db.test.ts',
  },
  {
    about: '`hosted/<id>/update` with `live: true`',
    contract: 'passes if the attached session fits',
    here: 'BAD_SESSION with the rule `granted` if the same update changes what the agent trades or who decides it. Without `live` such an update detaches the session; `detached` names it',
    why: 'The owner signed the session for the earlier settings; a stolen key must not steer money.',
    shownBy: 'packages/server/src/routes/hostedThief.db.test.ts',
  },
  {
    about: '`rotate-webhook-secret`, and the model key of AI agents',
    contract: 'no effect on the session is stated',
    here: 'detach the session of a live agent, as any other change of what decides its answers',
    why: 'A stolen key must not choose who answers.',
    shownBy: 'packages/server/src/routes/hostedThief.db.test.ts',
  },
  {
    about: 'new hosted agents',
    contract: 'at most 20 per wallet',
    here: 'also at most 500 creations a day (RATE_LIMITED)',
    why: 'Deleted agents keep their executor and book.',
    shownBy: 'packages/server/src/routes/hostedCreate.db.test.ts',
  },
  {
    about: 'codes for orders and sessions with controls',
    contract: 'does not have them',
    here: 'NOT_ORDERS and ORDER_LIMIT, on routes that are ours',
    why: 'Signed orders are an addition.',
    shownBy: { deviation: /^(NOT_ORDERS|ORDER_LIMIT): not in the contract$/ },
  },
  {
    about: 'codes that a route can answer',
    contract: 'a list for each route',
    here: 'also those of what the route uses: the signer, the token screen, the practice board',
    why: 'The same cause has the same code on every route.',
    shownBy: { deviation: /^[a-z_.]+: also answers [A-Z_ ]+$/ },
  },
]
