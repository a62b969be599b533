import type { Address } from '@pit/chain'
import { encodeLockdown } from '@pit/plans'
import { nowS } from '@pit/platform/clock'
import { NotRunnable, simulateBlocks } from '@pit/platform/reads'
import { fail, lower, type schemas } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import { refuseSymbol } from '../quote/index.ts'
import type { PlanStep, PlanTx } from '../types.ts'
import { isEth } from './addresses.ts'
import type { PlanDeps } from './deps.ts'
import { type Missing, maxWei, missingEth } from './holdings.ts'
import {
  type ApprovalRequest,
  type Approved,
  type ApprovedToken,
  approvalCalls,
  READ_GAS,
  readApprovalAnswers,
  readApprovals,
} from './readApprovals.ts'
import { approveStep, type Call, feesOf, limitFromUse } from './steps.ts'

type RevokeStep = Pick<PlanStep, 'why'> & {
  kind: 'approve' | 'lockdown'
  tx: PlanTx
  decoded: () => schemas.DecodedRevocation
}

export interface RevokeParams {
  by: Trader
  /** Core symbols or addresses, as sent. */
  tokens: readonly string[]
  /** As sent; Permit2 by default. */
  spender?: string
}

/** Allowances of one token. */
export interface TokenApproval extends Approved {
  token: Address
  symbol: string
  spender: Address
  /** Null if Permit2 was not read. */
  permitSpender: Address | null
  permitIsLive: boolean
}

export interface Revocation {
  /** Empty if nothing is approved. */
  steps: RevokeStep[]
  before: TokenApproval[]
  simulation: { ok: boolean; after: TokenApproval[] }
  /** The steps revoke everything, and the wallet can pay their gas. */
  ready: boolean
  /** Balances that are missing for that gas. */
  missing: Missing[]
}

/** Gas per revoked pair. */
const LOCKDOWN_GAS = { base: 60_000, each: 35_000 }
const SIMULATE_MS = 5_000

/** Transactions that revoke approvals, simulated on the wallet's state. */
export async function revokeApprovals(
  deps: PlanDeps,
  { by, tokens, spender: named }: RevokeParams,
): Promise<Revocation> {
  const { wallet } = by
  const { permit2, universal_router: router } = deps.profile.contracts
  const spender = named === undefined ? lower(permit2) : spenderOf(deps, named)
  const request: ApprovalRequest = {
    wallet,
    spender,
    tokens: readTokens(deps, tokens),
    throughPermit2:
      spender === lower(permit2) && router !== null ? { permit2: spender, router: lower(router) } : null,
  }
  const head = deps.market.head() ?? fail('LIVE_UNAVAILABLE', { message: 'Market data is not loaded yet.' })
  const now = Math.max(nowS(deps.clock), head.timestampS)
  const { nonce, balanceWei, approved } = await readApprovals(deps, request)
  const before = approvalsOf(request, approved, now)
  const drafts = draftsOf(request, approved, now)
  if (drafts.length === 0) {
    return { steps: [], before, simulation: { ok: true, after: before }, ready: false, missing: [] }
  }
  const fees = feesOf(head.baseFeeWei)
  const steps = drafts.map(
    ({ call, ...step }, i): RevokeStep => ({
      ...step,
      tx: { from: wallet, ...call, nonce: nonce + i, ...fees },
    }),
  )
  const [tried] = await Promise.all([
    tryOut(deps, request, steps),
    deps.storeRevocation({ ...by, txs: steps }),
  ])
  const measured = steps.map((step, i) => {
    const gasUsed = tried?.gasUsed[i]
    return gasUsed === undefined ? step : { ...step, tx: { ...step.tx, gas: limitFromUse(gasUsed) } }
  })
  const after = tried?.approved ?? approved
  const ok = tried?.ok === true && draftsOf(request, after, now).length === 0
  const missing = missingEth(balanceWei, maxWei(measured))
  return {
    steps: measured,
    before,
    simulation: { ok, after: approvalsOf(request, after, now) },
    ready: ok && missing.length === 0,
    missing,
  }
}

function spenderOf({ crypto }: Pick<PlanDeps, 'crypto'>, text: string): Address {
  return (
    crypto.parseAddress(text) ??
    fail('BAD_REQUEST', { field: 'spender', message: '`spender` has a wrong checksum.' })
  )
}

/** Any token: approvals of unscreened tokens are the most important to revoke. */
function readTokens({ crypto, profile }: Pick<PlanDeps, 'crypto' | 'profile'>, texts: readonly string[]) {
  const tokens = texts.map((text, i): ApprovedToken => {
    const field = `tokens.${i}`
    const core = profile.core_tokens.find(({ symbol }) => symbol === text)
    if (!core && !/^0x/i.test(text)) refuseSymbol(profile.core_tokens, field, text)
    const address =
      (core ? lower(core.address) : crypto.parseAddress(text)) ??
      fail('BAD_REQUEST', { field, message: `\`${field}\` has a wrong checksum.` })
    if (isEth(address)) fail('TOKEN_NOT_ALLOWED', { field, message: 'ETH has no approvals.' })
    const coreToken = core ?? profile.core_tokens.find((one) => lower(one.address) === address)
    return { address, symbol: coreToken?.symbol ?? address, decimals: coreToken?.decimals ?? null, field }
  })
  return [...new Map(tokens.map((token) => [token.address, token])).values()]
}

type RevokeDraft = Omit<RevokeStep, 'tx'> & { call: Call }

function draftsOf(request: ApprovalRequest, approved: readonly Approved[], now: number): RevokeDraft[] {
  const drafts: RevokeDraft[] = []
  for (const [i, token] of request.tokens.entries()) {
    if (approved[i]!.allowance === 0n) continue
    const { call, why, decoded } = approveStep(token, request.spender, 0n, 'Revokes the token’s approval.')
    drafts.push({ kind: 'approve', why, decoded, call })
  }
  const { throughPermit2 } = request
  const live = request.tokens.filter((_, i) => isLive(approved[i]!, now))
  if (throughPermit2 && live.length > 0) {
    const { permit2, router } = throughPermit2
    const pairs = live.map(({ address }) => ({ token: address, spender: router }))
    drafts.push({
      kind: 'lockdown',
      why: 'Revokes the router’s allowance at Permit2.',
      decoded: () => ({
        function: 'lockdown((address token, address spender)[] approvals)',
        approvals: pairs,
      }),
      call: {
        to: permit2,
        valueWei: 0n,
        data: encodeLockdown(pairs),
        gas: LOCKDOWN_GAS.base + LOCKDOWN_GAS.each * pairs.length,
      },
    })
  }
  return drafts
}

const isLive = ({ permit }: Approved, now: number): boolean =>
  permit !== null && permit.amount > 0n && permit.expirationS >= now

interface Tried {
  ok: boolean
  gasUsed: number[]
  approved: Approved[]
}

/** Simulates the steps in one block and reads the approvals in the next; null when it cannot run. */
async function tryOut(
  { rpc }: PlanDeps,
  request: ApprovalRequest,
  steps: readonly RevokeStep[],
): Promise<Tried | null> {
  const reads = approvalCalls(request).map((call) => ({ ...call, gas: READ_GAS }))
  const calls = steps.map(({ tx: { from, to, data, gas } }) => ({ from, to, data, gas: gas * 2 }))
  try {
    const [sent, read] = await simulateBlocks(rpc, [{ calls }, { calls: reads }], { timeoutMs: SIMULATE_MS })
    const answers = read!.calls.map(({ ok, data }) => (ok ? data : null))
    const approved = readApprovalAnswers(request, answers)
    if (approved.some((one) => one === null)) return null
    return {
      ok: sent!.calls.every(({ ok }) => ok),
      gasUsed: sent!.calls.map(({ gasUsed }) => gasUsed),
      approved: approved as Approved[],
    }
  } catch (error) {
    if (error instanceof NotRunnable) return null
    throw error
  }
}

const approvalsOf = (
  { tokens, spender, throughPermit2 }: ApprovalRequest,
  approved: readonly Approved[],
  now: number,
): TokenApproval[] =>
  tokens.map(({ address: token, symbol }, i) => ({
    token,
    symbol,
    spender,
    ...approved[i]!,
    permitSpender: throughPermit2?.router ?? null,
    permitIsLive: isLive(approved[i]!, now),
  }))
