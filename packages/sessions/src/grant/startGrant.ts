import {
  type Address,
  type Authorization,
  bytesToHex,
  curveRoots,
  delegationHash,
  NATIVE,
  type RootAsk,
  sessionRoot,
} from '@pit/chain'
import type { Caller } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import {
  type Answer,
  bindingHash,
  createBinding,
  expiryFaults,
  fail,
  type SessionBindingV3,
} from '@pit/protocol'
import { lineUp } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import { readWallet } from '../readWallet.ts'
import { addPending } from '../store.ts'
import type { CurveRoots, Session } from '../types.ts'
import { weiFor } from './amounts.ts'
import { describeGrant } from './describeGrant.ts'
import { findTokens, type GrantToken, marksOf } from './findTokens.ts'
import { judgeRisks, risksOf } from './judgeRisks.ts'
import { checkExecutor, type GrantAsk, readGrant, refuseFaults, type StartBody } from './readGrant.ts'
import { budgetsOf, setupDrafts } from './setup.ts'

export type PendingAnswer = Extract<Answer<'live.session.grant'>, { status: 'pending' }>

const KEEP_PENDING = 20

/** First call of live/session/grant: what the owner is to sign, and everything it means. */
export async function startGrant(
  deps: SessionDeps,
  { body, caller }: { body: StartBody; caller: Caller },
): Promise<PendingAnswer> {
  const place = deps.place()
  const ask = readGrant(deps, { body, caller })
  const cosigner = await deps.cosigner.address()
  await checkExecutor(deps, { ...ask, cosigner })
  const admit = () => deps.charge(caller, ['screen.caller', 'screen.overall'])
  const tokens = await findTokens(deps, body.tokens, admit)
  const feeds = tokens.every(({ hasFeed }) => hasFeed) ? 'all have a feed' : 'some have no feed'
  refuseFaults(expiryFaults(ask.expiresInS, feeds))
  judgeRisks(await risksOf(deps, tokens, ask.risk), ask.risk)

  const wallet = await readWallet(deps, { wallet: ask.wallet, tokens })
  if (wallet.code === 'other') fail('WALLET_CODE')
  const approvals = wallet.approvals.map((one, i) =>
    one === null && tokens[i]!.address !== NATIVE
      ? fail('UNKNOWN_TOKEN', {
          field: 'tokens',
          message: `${tokens[i]!.address} does not answer as a token does.`,
        })
      : (one ?? { permit2: 0n, permit: { amount: 0n, expirationS: 0 }, curve: 0n }),
  )
  const head = deps.market.head() ?? fail('SESSIONS_UNAVAILABLE', { message: 'The market is not read yet.' })
  // The chain's clock counts where it is ahead: it judges the session's end.
  const now = Math.max(nowS(deps.clock), head.timestampS)
  const binding = bindingOf(deps, { ask, cosigner, tokens, expiresAtS: now + ask.expiresInS })
  const roots = rootsOf(deps, { binding, tokens, nowS: now })
  const budgets = budgetsOf(tokens, approvals, ask.budgetMicroUsd)
  const drafts = setupDrafts(place, budgets, binding.expires_at)
  const setup = lineUp(drafts, {
    wallet: ask.wallet,
    nonce: wallet.nonce,
    gasPriceWei: head.baseFeeWei,
  })
  // The setup goes first, so that the authorization counts once it has been sent.
  const authorization: Authorization | null =
    wallet.code === 'delegator'
      ? null
      : {
          chainId: place.delegation.chainId,
          address: place.delegation.delegator,
          nonce: wallet.nonce + setup.length,
        }
  const session: Session = {
    id: `ses_${bytesToHex(deps.randomBytes(16)).slice(2)}`,
    wallet: ask.wallet,
    executor: ask.executor,
    status: 'pending',
    binding,
    root: roots.root,
    rootHash: delegationHash(deps.crypto, roots.root),
    curveRoots: roots.curveRoots,
    authorization,
    createdAtS: now,
    expiresAtS: binding.expires_at,
    revokedAtS: null,
    signerRevokedAtS: null,
  }
  const txs = setup.flatMap(({ tx }) => (tx ? [{ tx }] : []))
  await Promise.all([
    addPending(deps.db, session, KEEP_PENDING),
    deps.storeOwnerTxs({ keyId: caller.key!.keyId, wallet: ask.wallet, txs }),
  ])
  return describeGrant(deps, {
    session,
    binding,
    tokens,
    eth: roots.eth,
    code: wallet.code,
    setup,
    budgets,
    nowS: now,
  })
}

function bindingOf(
  deps: SessionDeps,
  {
    ask,
    cosigner,
    tokens,
    expiresAtS,
  }: { ask: GrantAsk; cosigner: Address; tokens: readonly GrantToken[]; expiresAtS: number },
): SessionBindingV3 {
  const { router, feeRecipient } = deps.place()
  return createBinding({
    wallet: ask.wallet,
    executor: ask.executor,
    cosigner,
    router,
    feeRecipient,
    tokens: tokens.map(({ address }) => address),
    limits: ask.limits,
    expires_at: expiresAtS,
    risk: ask.risk,
    nonce: bytesToHex(deps.randomBytes(32)),
    marks: marksOf(tokens),
  })
}

interface Roots {
  root: Session['root']
  curveRoots: CurveRoots | null
  eth: RootAsk['eth']
}

/** The caps in ETH are the dollars' at the mark of now; a mark that is stale would set caps the co-signer refuses. */
function rootsOf(
  deps: SessionDeps,
  { binding, tokens, nowS: now }: { binding: SessionBindingV3; tokens: readonly GrantToken[]; nowS: number },
): Roots {
  const { delegation } = deps.place()
  const { max_day_micro_usd, max_trade_micro_usd } = binding.limits
  let eth: RootAsk['eth'] = null
  if (binding.tokens.includes(NATIVE)) {
    const mark = deps.market.mark(NATIVE)
    if (!mark || mark.stale || mark.priceE18 <= 0n)
      return fail('NO_MARK', { message: 'ETH has no price now.' })
    eth = {
      dayWei: weiFor(max_day_micro_usd, mark.priceE18),
      tradeWei: weiFor(max_trade_micro_usd, mark.priceE18),
    }
  }
  const ask = { binding, bindingHash: bindingHash(deps.crypto.keccakText, binding), eth, nowS: now }
  const curves = tokens.flatMap(({ curve }) => curve ?? [])
  return {
    root: sessionRoot(delegation, ask),
    curveRoots: curves.length === 0 ? null : curveRoots(delegation, { ...ask, curves }),
    eth,
  }
}
