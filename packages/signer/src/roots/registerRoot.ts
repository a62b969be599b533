import type { Address, Crypto, Delegation, Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import { nowS } from '@pit/platform/clock'
import { type Rpc, RpcError } from '@pit/platform/rpc'
import { boundControls, boundMarks, fail, readBinding, refusal, type SessionBinding } from '@pit/protocol'
import { failuresOf, rootRefusal } from '../checks.ts'
import type { Ledger } from '../ledger/openLedger.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import { offerRules } from './offerRules.ts'
import { type LaunchedCurve, readCurves } from './readCurves.ts'
import { type MarkedToken, readMarked } from './readMarked.ts'
import { readNonce } from './readNonce.ts'
import { readOffers } from './readOffers.ts'
import { readRoots } from './readRoots.ts'
import { readUses } from './readUses.ts'
import { rootRules } from './rules.ts'

export interface RegisterDeps {
  crypto: Crypto
  clock: Clock
  rpc: Rpc
  pins: Pins
  prices: Prices
  ledger: Ledger
  isSanctioned(address: string): boolean
}

export interface RegisterRequest {
  sessionId: string
  /** As received: the co-signer parses it. */
  binding: unknown
  root: Delegation
  curveRoots: readonly Delegation[]
}

/** Registers a root that an owner signed, if it matches its binding exactly. Throws the refusal. */
export async function registerRoot(deps: RegisterDeps, request: RegisterRequest): Promise<Hex> {
  const { crypto, clock, pins, prices, ledger, isSanctioned } = deps
  if (await ledger.isFrozen()) fail('SIGNER_FROZEN')
  const { root, curveRoots } = request
  const binding = readBinding(request.binding)
  const roots = binding.ok ? readRoots(crypto, pins, { binding: binding.binding, root, curveRoots }) : null
  const hosted = binding.ok ? await ledger.hostedExecutor(binding.binding.executor) : null
  const launched = roots?.curve ? await curvesOf(deps, roots.curve.root.curves) : null
  const marked = binding.ok ? await markedOf(deps, binding.binding, launched ?? {}) : null
  const controlled = binding.ok && boundControls(binding.binding) !== undefined
  const walletNonce = controlled ? await readNonce(deps.rpc, pins, binding.binding.wallet) : undefined
  const facts = {
    nowS: nowS(clock),
    pins,
    binding,
    roots,
    hosted: hosted && { owner: hosted.owner, closed: hosted.closedAtMs !== null },
    delegations: [root, ...curveRoots],
    launched,
    marked,
    ...(walletNonce !== undefined && { walletNonce }),
    isChainRead: prices.isChainRead(),
    whyUnread: prices.whyUnread?.() ?? null,
    ownPrice: prices.own,
    isSanctioned,
  }
  const failures = failuresOf(rootRules, facts)
  if (failures.length > 0) throw rootRefusal(failures)
  if (!binding.ok || !roots?.root) throw new Error('a root passed that was not read')
  // Dozens of reads: only for a root that passed the other rules.
  const marks = boundMarks(binding.binding)
  const offers = await readOffers(deps.rpc, pins, marks).catch(() => null)
  const whyUnread = prices.whyUnread?.() ?? null
  const late = failuresOf(offerRules, { pins, ownPrice: prices.own, marks, offers, whyUnread })
  if (late.length > 0) throw rootRefusal(late)
  await refuseUsed(deps, [roots.root, roots.curve?.root, roots.curve?.fee])

  const outcome = await ledger.register({
    hash: roots.root.hash,
    sessionId: request.sessionId,
    binding: binding.binding,
    root,
    curveRoots,
    curveTokens: tokensOf(launched ?? {}),
  })
  if (outcome === 'registered') return roots.root.hash
  throw {
    frozen: () => refusal('SIGNER_FROZEN'),
    closed: () => refusal('EXECUTOR_CLOSED'),
    reused: () => refusal('ROOT_REUSED'),
    revoked: () => refusal('SESSION_REVOKED'),
    'nonce used': () =>
      refusal('BINDING_NONCE', { message: 'Another root of this wallet has the same nonce.' }),
  }[outcome]()
}

/** The ledger may have lost a root that was used before: the chain shows it. */
async function refuseUsed(
  { rpc, pins }: RegisterDeps,
  roots: readonly ({ hash: Hex } | undefined)[],
): Promise<void> {
  const hashes = roots.flatMap((root) => root?.hash ?? [])
  const uses = await readUses(rpc, pins, hashes).catch(() => null)
  if (uses === null) fail('CHAIN_UNAVAILABLE', { message: 'The co-signer could not read the chain.' })
  if (uses === 'disabled')
    fail('SESSION_REVOKED', { message: 'The owner has disabled this session on chain.' })
  if (uses === 'used') fail('ROOT_REUSED', { message: 'This session has already traded on chain.' })
}

const tokensOf = (launched: Readonly<Record<Address, LaunchedCurve>>): Record<Address, Address> =>
  Object.fromEntries(Object.entries(launched).map(([curve, { token }]) => [curve, token]))

/** Null if the chain does not answer. */
async function markedOf(
  { rpc }: RegisterDeps,
  binding: SessionBinding,
  launched: Record<Address, LaunchedCurve>,
): Promise<Map<Address, MarkedToken> | null> {
  const tokens = boundMarks(binding).map(({ token }) => token)
  return readMarked(rpc, tokens, launched).catch(() => null)
}

/** Null if the chain does not answer. */
async function curvesOf(
  { rpc, pins: { launchpads } }: RegisterDeps,
  curves: readonly Address[],
): Promise<Record<Address, LaunchedCurve> | undefined | null> {
  try {
    return await readCurves({ rpc, launchpads }, curves)
  } catch (error) {
    if (error instanceof RpcError) return undefined
    return null
  }
}
