import {
  type Address,
  delegationAddresses,
  delegationHash,
  type Hex,
  NATIVE,
  serializeSignature,
  sessionRoot,
  signAuthorization,
  signDelegation,
} from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { createLogger } from '@pit/platform/monitoring'
import { ETH } from '@pit/platform/test/scriptedChain'
import {
  atomsDown,
  bindingHash,
  FEE,
  isPitError,
  microUsdDown,
  type PitError,
  priceE18Down,
  refusal,
  type SessionBinding,
  unitPrice,
  usdOf,
  worthDown,
} from '@pit/protocol'
import type { Planned, TradeParams, TradeQuote, TradeToken, WalletState } from '@pit/trading'
import { createPlanTrade } from '@pit/trading/internal/plan/planTrade'
import type { WalletRequest } from '@pit/trading/internal/simulate/index'
import {
  MEME,
  NOW_S,
  PERMIT2,
  quoteOf,
  RECIPIENT,
  TRADE_ADDRESSES,
  USDG,
  walletState,
} from '@pit/trading/test/tradeFixtures'
import { expect } from 'vitest'
import type { HostedRecord, SessionOptions } from '../src/deps.ts'
import type { GrantParams } from '../src/grant/readGrant.ts'
import { openSessions } from '../src/openSessions.ts'
import { addPending, findSession, markActive, markRegistering } from '../src/store.ts'
import type { Session } from '../src/types.ts'
import { createScriptedSigner } from './scriptedSigner.ts'
import { openSessionChain } from './sessionChain.ts'
import { CURVE, crypto, KEYS, PRICES, PROFILE, type Role, TOKENS, WHO } from './sessionFixtures.ts'

export * from './sessionFixtures.ts'

export type SessionWorld = ReturnType<typeof openSessionWorld>

/** Sessions on a real store with the real planner; chain, market, quotes and co-signer are scripted. */
export function openSessionWorld(db: Db, { withSigner = true } = {}) {
  const addresses = delegationAddresses(PROFILE)
  const clock = { aheadS: 0, nowMs: () => (NOW_S + clock.aheadS) * 1_000 }
  const nowS = () => NOW_S + clock.aheadS
  const chain = openSessionChain()
  for (const funded of [WHO.executor, WHO.owner]) chain.setBalance(ETH, funded, 10n ** 18n)
  const signer = createScriptedSigner({ crypto, addresses, key: KEYS.cosigner, nowS })
  const seen = {
    trades: [] as TradeParams[],
    plans: [] as Parameters<SessionOptions['storePlan']>[0][],
    ownerTxs: [] as Parameters<SessionOptions['storeOwnerTxs']>[0][],
    refusals: [] as Parameters<SessionOptions['recordRefusal']>[0][],
    simulated: [] as Parameters<SessionOptions['trade']['simulator']['simulatePlan']>[0][],
  }
  const audit = { verdict: 'unverified' }
  const state = {
    tierBps: FEE.majorMaxBps as number,
    sanctioned: new Set<string>(),
    simulationOk: true,
    onCurve: true,
    /** Fee recipient of plans. */
    feeRecipient: RECIPIENT,
    /** Factor on the price of ETH. */
    etherTimes: 1,
    curve: CURVE,
  }
  const priceOf = (token: Address): number => PRICES[token]! * (token === NATIVE ? state.etherTimes : 1)
  const atomsOf = (token: TradeToken, usd: number): bigint =>
    atomsDown(microUsdDown(usd), unitPrice(priceOf(token.address), token.decimals)!)
  const microOf = (token: TradeToken, atoms: bigint): bigint =>
    worthDown(atoms, unitPrice(priceOf(token.address), token.decimals)!)
  const world = { bends: (planned: Planned): Planned => planned }

  /** A quote at the world's prices. */
  async function quoteTrade(trade: TradeParams): Promise<TradeQuote> {
    seen.trades.push(trade)
    const marked = (token: TradeToken): TradeToken => ({ ...token, mark: market.mark(token.address) })
    const tokenIn = marked(TOKENS[trade.tokenIn]!)
    const tokenOut = marked(TOKENS[trade.tokenOut]!)
    const amountIn = trade.amountIn ?? atomsOf(tokenIn, trade.notionalUsd!)
    const microUsd =
      trade.notionalUsd === undefined ? microOf(tokenIn, amountIn) : microUsdDown(trade.notionalUsd)
    const feeClass = tokenIn.core && tokenOut.core ? 'major' : 'other'
    const isCurve = feeClass === 'other' && trade.venues.includes('venue_curve') && state.onCurve
    const { quote } = quoteOf({
      tokenIn,
      tokenOut,
      amountIn,
      amountOut: atomsOf(tokenOut, usdOf(microUsd)),
      feeBps: trade.feeBps!(feeClass),
      feeSide: tokenIn.core === 'ETH' || (tokenIn.core && tokenOut.core !== 'ETH') ? 'input' : 'output',
      ...(isCurve && { way: state.curve }),
    })
    const fee = { ...quote.fee, class: feeClass, recipient: state.feeRecipient } as const
    return { ...quote, fee, notionalMicroUsd: microUsd, request: trade, blockTimeS: nowS() }
  }

  async function readWallet({ wallet, tokenIn }: WalletRequest): Promise<WalletState> {
    const code = chain.code.get(wallet)
    return walletState({
      wallet,
      nonce: chain.nonceAt(wallet, 0),
      balanceWei: chain.balance(ETH, wallet),
      balanceIn: 10n ** 24n,
      allowance: chain.allowance.get(`${tokenIn.address} ${PERMIT2}`) ?? 0n,
      curveAllowance: chain.allowance.get(`${tokenIn.address} ${CURVE.id}`) ?? 0n,
      permit: { ...(chain.permit.get(tokenIn.address) ?? { amount: 0n, expirationS: 0 }), nonce: 0 },
      delegatedTo: code?.startsWith('0xef0100') ? (`0x${code.slice(8)}` as Address) : null,
      hasOtherCode: code !== undefined && !code.startsWith('0xef0100'),
    })
  }

  const market: SessionOptions['market'] = {
    head: () => ({ number: 1, timestampS: nowS(), baseFeeWei: 10_000_000n }) as never,
    mark: (token) =>
      token === MEME.address || PRICES[token] === undefined
        ? undefined
        : ({ token, priceE18: priceE18Down(priceOf(token)), stale: false } as never),
    curveOf: (token) => (token === MEME.address && state.onCurve ? state.curve : undefined),
  }
  const planTrade = createPlanTrade({
    crypto,
    clock,
    rpc: chain.rpc,
    profile: PROFILE,
    market,
    tokens: { find: async () => undefined },
    quoter: { quoteTrade },
    simulator: { readWallet },
    addresses: () => TRADE_ADDRESSES,
  } as unknown as Parameters<typeof createPlanTrade>[0])

  const options: SessionOptions = {
    db,
    rpc: chain.rpc,
    clock,
    crypto,
    logger: createLogger({ level: 'silent' }),
    profile: PROFILE,
    market,
    tokens: {
      coreBySymbol: (symbol) =>
        ({ ...TOKENS[symbol]?.record, risks: [], venues: [POOL], reference: {} }) as never,
      get: async (token) => {
        const record = TOKENS[token]?.record
        if (!record) throw refusal('NOT_A_TOKEN')
        return {
          ...record,
          venues: [POOL],
          reference: { source: 'median', price_usd: PRICES[token] },
        } as never
      },
      readAudit: async () => ({ audit, findings: [] }) as never,
    },
    trade: {
      planTrade: async (request) => world.bends(await planTrade(request)),
      simulator: {
        gasCeiling: 6_000_000,
        simulatePlan: async (request: (typeof seen.simulated)[number]) => {
          seen.simulated.push(request)
          const ok = state.simulationOk
          return {
            ok,
            block: 1,
            amountOut: ok ? 2n ** 120n : null,
            feeTransfer: 1n,
            gasTotal: 400_000,
            fundedByOverrides: request.fund === true,
            transactions: request.transactions.map(({ kind }) => ({
              kind,
              ok,
              gasUsed: 400_000,
              error: ok ? null : 'reverted',
              logs: [],
            })),
            error: ok ? null : 'reverted',
          }
        },
      } as never,
    },
    tierBps: async () => state.tierBps,
    isSanctioned: (who) => state.sanctioned.has(who),
    storePlan: async (request) => void seen.plans.push(request),
    storeOwnerTxs: async (request) => void seen.ownerTxs.push(request),
    recordRefusal: (one) => void seen.refusals.push(one),
    randomBytes: (size) => globalThis.crypto.getRandomValues(new Uint8Array(size)),
    hosted: hostedRecord,
  }
  const sessions = openSessions({ ...options, signer: withSigner ? signer : null })

  const traderOf = (role: Role) => ({ keyId: 1 + Object.keys(KEYS).indexOf(role), wallet: WHO[role] })

  const api = Object.assign(world, {
    db,
    addresses,
    clock,
    nowS,
    chain,
    signer,
    seen,
    state,
    audit,
    options,
    sessions,
    traderOf,
    /** The owner's signatures for a stored session. */
    async signatures(id: string, by: Role = 'owner', { curves = true } = {}) {
      const { root, curveRoots, authorization, rootHash } = (await findSession(db, id))!
      const signed = (delegation: Session['root']) =>
        signDelegation(crypto, addresses, delegation, KEYS[by]).signature
      return {
        session_id: id,
        rootHash,
        delegation_signature: signed(root),
        ...(authorization && {
          authorization_signature: serializeSignature(signAuthorization(crypto, authorization, KEYS[by])),
        }),
        ...(curveRoots &&
          curves && {
            curve_root_signatures: Object.fromEntries(
              Object.entries((await grantOf(id)).curve).map(([hash, root]) => [hash, signed(root)]),
            ),
          }),
      }
    },
    /** Authorizes the delegator's code at one nonce. */
    authorize: (nonce: number, by: Role = 'owner'): Hex => {
      const { chainId, delegator: address } = addresses
      return serializeSignature(signAuthorization(crypto, { chainId, address, nonce }, KEYS[by]))
    },
    /** An active session with default terms. */
    async granted(change: Partial<GrantParams> = {}): Promise<Session> {
      const { session } = await sessions.startGrant({
        by: traderOf('owner'),
        executor: WHO.executor,
        tokens: GRANT.tokens,
        limits: { max_trade_micro_usd: 25e6, max_day_micro_usd: 100e6, max_trades: 50 },
        expiresInS: GRANT.expires_in_s,
        risk: { accept_risks: [], shield: false, policies: null },
        admit: async () => {},
        ...change,
      })
      const signed = await api.signatures(session.id)
      const { delegation_signature: delegation, authorization_signature: authorization } = signed
      return sessions.switchOn({
        sessionId: session.id,
        wallet: WHO.owner,
        delegation,
        ...(authorization !== undefined && { authorization }),
      })
    },
    /** A session stored by an older version: signed, registered, active. */
    async adopt(
      binding: SessionBinding,
      eth = { dayWei: 4n * 10n ** 16n, tradeWei: 10n ** 16n },
    ): Promise<Session> {
      const hash = bindingHash(crypto.keccakText, binding)
      const root = sessionRoot(addresses, { binding, bindingHash: hash, eth, nowS: nowS() })
      const session: Session = {
        id: `ses_${binding.nonce.slice(2, 34)}`,
        wallet: WHO.owner,
        executor: WHO.executor,
        status: 'active',
        binding,
        root: signDelegation(crypto, addresses, root, KEYS.owner),
        rootHash: delegationHash(crypto, root),
        curveRoots: null,
        authorization: null,
        createdAtS: nowS(),
        expiresAtS: binding.expires_at,
        revokedAtS: null,
        signerRevokedAtS: null,
      }
      await addPending(db, session, 20)
      await markRegistering(db, session, nowS())
      await markActive(db, session.id)
      await signer.registerRoot({ session_id: session.id, binding, root: session.root, curve_roots: [] })
      return session
    },
    /** Makes the executor a hosted agent's. */
    async host({ agentId = 'agt_1', owner = WHO.owner, retiredAtS = null as number | null } = {}) {
      await db.query(
        `insert into hosted_agents (id, wallet, key_id, brain, params, interval_s, pairs, tokens, max_trade_micro_usd,
           max_day_micro_usd, max_position_micro_usd, mode, status, created_at_s)
         values ($1, $2, 1, 'dca', '{}', 300, '{ETH/USDG}', '[]', 1, 1, 1, 'live', 'active', 1)`,
        [agentId, owner],
      )
      await db.query(
        `insert into hosted_executors (executor, agent_id, owner, attestation, created_at_s, retired_at_s)
         values ($1, $2, $3, '{}', 1, $4)`,
        [WHO.executor, agentId, owner, retiredAtS],
      )
      return agentId
    },
    /** State after the setup and the first trade. */
    settleWallet() {
      chain.code.set(WHO.owner, `0xef0100${TRADE_ADDRESSES.delegator.slice(2)}`)
      chain.allowance.set(`${USDG.address} ${PERMIT2}`, 10n ** 12n)
      chain.permit.set(USDG.address, { amount: 10n ** 12n, expirationS: NOW_S + 10 ** 8 })
      chain.allowance.set(`${MEME.address} ${CURVE.id}`, 10n ** 30n)
    },
  })
  async function grantOf(id: string) {
    const { curveRoots } = (await findSession(db, id))!
    return {
      curve: Object.fromEntries(
        [curveRoots!.curve, curveRoots!.fee].map((root) => [delegationHash(crypto, root), root]),
      ),
    }
  }
  return api
}

const POOL = {
  venue: 'venue_pool',
  protocol: 'v3',
  address: null,
  pair: USDG.address,
  fee: 500,
  liquidity_usd: 1,
}
/** A request with its defaults. */
export const GRANT = {
  tokens: ['ETH', 'USDG'],
  max_trade_usd: 25,
  max_day_usd: 100,
  max_trades: 50,
  expires_in_s: 86_400,
  accept_risks: [],
  shield: false,
}

/** The hosted agents' record. */
export const hostedRecord: HostedRecord = {
  async executorOwner(sql, executor) {
    const [row] = await sql.query<{ owner: Address }>(
      'select owner from hosted_executors where executor = $1',
      [executor],
    )
    return row?.owner ?? null
  },
  async isExecutorOf(sql, { executor, agentId }) {
    const rows = await sql.query(
      `select 1 from hosted_executors
       where executor = $1 and agent_id = $2 and retired_at_s is null and closed_at_s is null`,
      [executor, agentId],
    )
    return rows.length > 0
  },
  async sessionsInUse(sql, ids) {
    const rows = await sql.query<{ session_id: string }>(
      'select session_id from hosted_agents where session_id = any($1::text[])',
      [ids],
    )
    return new Set(rows.map(({ session_id }) => session_id))
  },
}

export async function emptySessions(db: Db): Promise<void> {
  await db.query('delete from hosted_executors')
  await db.query('delete from hosted_agents')
  await db.query('delete from session_trades')
  await db.query('delete from sessions')
}

/** The refusal a promise rejects with. */
export async function refused(work: Promise<unknown>): Promise<PitError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!isPitError(error)) {
    expect.unreachable(`not refused: ${error instanceof Error ? error.stack : JSON.stringify(error)}`)
  }
  return error
}
export const codeOf = async (work: Promise<unknown>): Promise<string> => (await refused(work)).code
