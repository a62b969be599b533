import {
  type Address,
  bytesToHex,
  curveRoots,
  delegationHash,
  NATIVE,
  type RootRequest,
  readRoot,
  sessionRoot,
} from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import {
  atomsDown,
  type BindingControls,
  bindingHash,
  createBinding,
  expiryFaults,
  fail,
  markPrice,
  type SessionBindingV3,
} from '@pit/protocol'
import { lineUp, type PlanStep } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import { authorizationAt, readSessionNonce, readWallet, type WalletCode } from '../readWallet.ts'
import { addPending } from '../store.ts'
import type { CurveRoots, Session, UnsignedAuthorization } from '../types.ts'
import { type Exposure, exposureOf } from './exposure.ts'
import { findTokens, type GrantToken, marksOf } from './findTokens.ts'
import { judgeRisks, risksOf } from './judgeRisks.ts'
import { checkExecutor, type GrantParams, readGrant, refuseFaults } from './readGrant.ts'
import { budgetsOf, setupDrafts } from './setup.ts'

/** A session waiting for its owner's signatures, with everything to sign. */
export interface Granted {
  session: Session
  binding: SessionBindingV3
  tokens: readonly GrantToken[]
  /** The root's ETH caps; null if the session does not trade ETH. */
  eth: RootRequest['eth']
  code: WalletCode
  /** Transactions the wallet sends first. */
  setup: readonly PlanStep[]
  exposure: Exposure
}

const KEEP_PENDING = 20

/** Builds what the owner has to sign; the session stays pending until it is activated. */
export async function startGrant(deps: SessionDeps, request: GrantParams): Promise<Granted> {
  const addresses = deps.addresses()
  const { budgetMicroUsd, risk, controls } = readGrant(request)
  const { executor } = request
  const owner = request.by.wallet
  const cosigner = await deps.cosigner.address()
  await checkExecutor(deps, { wallet: owner, executor, cosigner })
  const tokens = await findTokens(deps, request.tokens, request.admit)
  const feeds = tokens.every(({ hasFeed }) => hasFeed) ? 'all have a feed' : 'some have no feed'
  refuseFaults(expiryFaults(request.expiresInS, feeds))
  judgeRisks(await risksOf(deps, tokens, risk), risk)

  const [wallet, sessionNonce] = await Promise.all([
    readWallet(deps, { wallet: owner, tokens }),
    controls && readSessionNonce(deps, owner),
  ])
  if (wallet.code === 'other') fail('WALLET_CODE')
  const approvals = wallet.approvals.map((one, i) =>
    one === null && tokens[i]!.address !== NATIVE
      ? fail('UNKNOWN_TOKEN', {
          field: 'tokens',
          message: `${tokens[i]!.address} does not behave like an ERC-20 token.`,
        })
      : (one ?? { permit2: 0n, permit: { amount: 0n, expirationS: 0 }, curve: 0n }),
  )
  const head = deps.market.head() ?? fail('SESSIONS_UNAVAILABLE', { message: 'The market is still loading.' })
  // Use the chain's clock if it is ahead, because it decides the session's end.
  const now = Math.max(nowS(deps.clock), head.timestampS)
  const binding = bindingOf(deps, {
    ...request,
    risk,
    controls,
    cosigner,
    tokens,
    expiresAtS: now + request.expiresInS,
  })
  const roots = rootsOf(deps, { binding, tokens, sessionNonce, nowS: now })
  const budgets = budgetsOf(tokens, approvals, budgetMicroUsd)
  const drafts = setupDrafts(addresses, budgets, binding.expires_at)
  const setup = lineUp(drafts, {
    wallet: owner,
    nonce: wallet.nonce,
    gasPriceWei: head.baseFeeWei,
  })
  // For the wallet's current nonce: an ETH trade needs no setup and may come first.
  const authorization: UnsignedAuthorization | null =
    wallet.code === 'delegator'
      ? null
      : {
          ...authorizationAt(addresses, wallet.nonce),
          ...(setup.length > 0 && { afterSetup: wallet.nonce + setup.length }),
        }
  const session: Session = {
    id: `ses_${bytesToHex(deps.randomBytes(16)).slice(2)}`,
    wallet: owner,
    executor,
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
  await Promise.all([addPending(deps.db, session, KEEP_PENDING), deps.storeOwnerTxs({ ...request.by, txs })])
  const read = readRoot(deps.crypto, addresses.delegation, roots.root)
  const windowStartS = (read?.kind === 'router' && read.eth?.startS) || now
  const exposure = exposureOf({
    binding,
    nowS: now,
    eth: roots.eth && { ...roots.eth, windowStartS },
    hasCurves: roots.curveRoots !== null,
    budgets,
    tokens,
  })
  return { session, binding, tokens, eth: roots.eth, code: wallet.code, setup, exposure }
}

interface BindingRequest extends Pick<GrantParams, 'by' | 'executor' | 'limits'> {
  risk: SessionBindingV3['risk']
  controls: BindingControls | null
  cosigner: Address
  tokens: readonly GrantToken[]
  expiresAtS: number
}

function bindingOf(deps: SessionDeps, request: BindingRequest): SessionBindingV3 {
  const { router, feeRecipient } = deps.addresses()
  return createBinding({
    wallet: request.by.wallet,
    executor: request.executor,
    cosigner: request.cosigner,
    router,
    feeRecipient,
    tokens: request.tokens.map(({ address }) => address),
    limits: request.limits,
    expires_at: request.expiresAtS,
    risk: request.risk,
    nonce: bytesToHex(deps.randomBytes(32)),
    marks: marksOf(request.tokens),
    ...(request.controls && { controls: request.controls }),
  })
}

interface Roots {
  root: Session['root']
  curveRoots: CurveRoots | null
  eth: RootRequest['eth']
}

interface RootsRequest {
  binding: SessionBindingV3
  tokens: readonly GrantToken[]
  /** Null without controls. */
  sessionNonce: bigint | null
  nowS: number
}

/** The dollar caps in ETH at the current mark; with a stale mark the co-signer would reject them. */
function rootsOf(deps: SessionDeps, { binding, tokens, sessionNonce, nowS: now }: RootsRequest): Roots {
  const { delegation } = deps.addresses()
  const { max_day_micro_usd, max_trade_micro_usd } = binding.limits
  let eth: RootRequest['eth'] = null
  if (binding.tokens.includes(NATIVE)) {
    const mark = deps.market.mark(NATIVE)
    if (!mark || mark.stale || mark.priceE18 <= 0n) return fail('NO_MARK', { message: 'ETH has no price.' })
    const price = markPrice(mark.priceE18, 18)
    // Rounded down: the on-chain cap never exceeds the dollars at this price.
    const weiOf = (microUsd: number) => atomsDown(BigInt(microUsd), price)
    eth = { dayWei: weiOf(max_day_micro_usd), tradeWei: weiOf(max_trade_micro_usd) }
  }
  const request = {
    binding,
    bindingHash: bindingHash(deps.crypto.keccakText, binding),
    eth,
    nonce: sessionNonce,
    nowS: now,
  }
  const curves = tokens.flatMap(({ curve }) => curve ?? [])
  const launchpads = tokens.flatMap(({ address, curve }) => {
    const launch = curve === null ? undefined : deps.market.curveOf(address)
    return launch?.version === 'curve' ? [launch.launchpad] : []
  })
  return {
    root: sessionRoot(delegation, request),
    curveRoots: curves.length === 0 ? null : curveRoots(delegation, { ...request, curves, launchpads }),
    eth,
  }
}
