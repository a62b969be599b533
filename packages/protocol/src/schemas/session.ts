import { Type } from '@sinclair/typebox'
import { SESSION_STATUSES } from '../values.ts'
import { pairFields, Sized, tradeChoices } from './live.ts'
import {
  Answer,
  AnySignature,
  Anything,
  ByDefault,
  ClientId,
  Count,
  Exact,
  Flag,
  Id,
  Nullable,
  OneOf,
  Open,
  Text,
  TokenRef,
  TxHash,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'
import {
  AcceptRisks,
  Checks,
  disclosureFields,
  Policies,
  RouteRow,
  Simulation,
  Step,
  Timings,
  Tx,
} from './trade.ts'

export const SessionLimits = Answer(
  {
    max_trade_usd: Usd('most for one trade'),
    max_day_usd: Usd('most in any 24 hours'),
    max_trades: Count('trades in all'),
  },
  { title: 'SessionLimits' },
)
export const RiskTerms = Answer(
  {
    accept_risks: Type.Array(Text('risk code')),
    shield: Flag('whether every trade asks the audit'),
    policies: Type.Optional(Type.Array(Text('policy name'))),
  },
  { title: 'RiskTerms', description: 'bound in the root: no trade can widen them' },
)

/** Limits out of range are SESSION_LIMIT, so only their types are checked here. */
const GrantStart = Exact({
  wallet: Wallet('the owner, the key’s wallet'),
  executor: Wallet('who will sign the session’s transactions'),
  tokens: ByDefault(
    ['ETH', 'USDG'],
    Type.Array(TokenRef('a token'), { maxItems: 32, description: 'at least two' }),
  ),
  max_trade_usd: ByDefault(25, Usd('above 0 and at most 1,000')),
  max_day_usd: ByDefault(100, Usd('from max_trade_usd to 100 times it')),
  max_trades: ByDefault(50, Type.Integer({ description: '1 to 10,000' })),
  expires_in_s: ByDefault(
    86_400,
    Type.Integer({ description: '60 s to 30 days; 24 hours with a token that has no oracle feed' }),
  ),
  setup_budget_usd: Type.Optional(Usd('ERC-20 budget for the whole session; default max_day_usd')),
  accept_risks: ByDefault([], AcceptRisks),
  shield: ByDefault(false, Flag('every trade asks the audit')),
  policies: Type.Optional(Policies),
})
const GrantSwitchOn = Exact({
  session_id: Id('of the first call'),
  delegation_signature: Type.Optional(
    AnySignature(
      'EIP-712, by the main key, of sign.delegation.typed_data; needed until the session is active',
    ),
  ),
  authorization_signature: Type.Optional(
    AnySignature(
      'EIP-7702, by a plain wallet, of sign.authorization.digest as it is (no prefix): r, s and 27 or 28 (27 + y_parity); an active session takes a new one',
    ),
  ),
  curve_root_signatures: Type.Optional(
    Type.Record(Type.String(), AnySignature('of that root'), {
      description: 'by delegation_hash, curve sessions',
    }),
  ),
})
export const GrantRequest = Type.Union([GrantSwitchOn, GrantStart], { chosenBy: { field: 'session_id' } })

export const GrantPending = Answer(
  {
    session_id: Id('send it back with the signatures'),
    status: Type.Literal('pending'),
    wallet: Wallet('owner'),
    executor: Wallet('executor'),
    cosigner: Wallet('the co-signer'),
    expires: UnixS('end of the session'),
    wallet_code: Text('none, delegator or other: what the wallet runs'),
    sign: Answer({
      delegation: Answer({
        typed_data: Open('EIP-712 typed data of the root delegation'),
        digest: TxHash('what is signed'),
        delegation_hash: TxHash('hash of the root'),
        binding: Open('what the root’s salt is the hash of: tokens, limits, expiry, fees, risk terms, nonce'),
      }),
      authorization: Nullable(
        Open(
          'EIP-7702 authorization to sign, for the wallet’s next nonce; `after_setup` has the nonce and digest to sign instead where the setup is sent before the first trade; null when the code is in place',
        ),
      ),
      curve_roots: Nullable(Anything('typed data of the curve roots to sign, by delegation_hash')),
    }),
    setup: Type.Array(Step, { description: 'what the main key sends first: token approvals and permits' }),
    risk_terms: RiskTerms,
    caveats: Type.Array(Open('enforcer, terms and what it bounds')),
    limits: SessionLimits,
    exposure: Open('the most that can be lost, on chain and by the co-signer’s word'),
    on_chain_bounds: Type.Array(Text('what the chain enforces')),
    not_enforced_on_chain: Type.Array(Text('what only the co-signer enforces')),
    curve: Nullable(Open('curve tokens and their roots')),
    // biome-ignore lint/suspicious/noThenProperty: the contract's name; a string is no thenable
    then: Text('what to do next'),
  },
  { title: 'SessionPending' },
)
export const GrantActive = Answer(
  {
    session_id: Id('session'),
    status: Type.Literal('active'),
    delegation_hash: TxHash('hash of the root'),
    authorization_stored: Flag('whether an EIP-7702 authorization is kept for the first trade'),
    sign: Nullable(
      Open('`authorization` is still to be signed, and sent with session_id as authorization_signature'),
    ),
    limits: SessionLimits,
    curve_roots: Nullable(Anything('hashes of the signed curve roots')),
  },
  { title: 'SessionActive' },
)
export const GrantAnswer = Type.Union([GrantActive, GrantPending])

export const SessionTradeRequest = Sized({
  session_id: Id('session'),
  client_id: ClientId,
  ...pairFields,
  ...tradeChoices,
  accept_risks: Type.Optional(Anything('bound by the session: other terms are SESSION_TERMS')),
  shield: Type.Optional(Anything('bound by the session: other terms are SESSION_TERMS')),
  policies: Type.Optional(Anything('bound by the session: other terms are SESSION_TERMS')),
})
export const SessionTrade = Answer(
  {
    session_id: Id('session'),
    ready: Flag('tx can be signed by the executor and submitted'),
    simulated_ok: Flag('whether the simulation delivered'),
    tx: Nullable(Tx, 'the executor’s redeemDelegations transaction'),
    executor: Wallet('who signs it'),
    wallet: Wallet('whose funds trade'),
    leaf: Nullable(Open('the co-signed leaf: delegation, hash, signature, expiry, sequence')),
    execution: Text('router or curve'),
    swap: Answer({
      route: RouteRow,
      amount_in: Text('atoms'),
      amount_out_min: Text('atoms'),
      amount_out_expected: Text('atoms'),
      notional_usd: Nullable(Usd('its value')),
      deadline: UnixS('of the router call'),
    }),
    simulation: Nullable(Simulation),
    checks: Checks,
    spend: Open('trades and dollars used and left, this trade counted'),
    risk_terms: RiskTerms,
    timings: Timings,
    ...disclosureFields,
  },
  { title: 'SessionTrade' },
)

export const SessionRevokeRequest = Exact({
  session_id: Id('session'),
  reset_code: ByDefault(false, Flag('adds the authorization that resets the wallet’s code')),
})
export const SessionRevoked = Answer(
  {
    session_id: Id('session'),
    status: Type.Literal('revoked'),
    revoked_at: UnixS('when the service stopped co-signing'),
    effective: Text('what ended already, and what the chain still allows until on_chain is sent'),
    signer_revoked: Flag('whether the signing service confirmed'),
    on_chain: Type.Array(Open('a transaction for the main key: kind, why, tx'), {
      description: 'ends the session on chain',
    }),
    simulation: Nullable(Open('of on_chain: ok and what it disables')),
    approvals: Type.Array(Open('token allowances the session leaves behind')),
    reset_code: Nullable(Open('EIP-7702 authorization that clears the code; null unless asked for')),
  },
  { title: 'SessionRevoked' },
)

export const SessionSummary = Answer(
  {
    session_id: Id('session'),
    status: OneOf(SESSION_STATUSES),
    executor: Wallet('executor'),
    created: UnixS('granted'),
    expires: UnixS('ends'),
    tokens: Type.Array(Text('symbol or address')),
    limits: SessionLimits,
    used: Answer({
      trades: Count('co-signed'),
      trades_left: Count('left'),
      last_24h_usd: Usd('co-signed in the last 24 hours'),
      remaining_24h_usd: Usd('left of the day cap'),
    }),
    risk_terms: RiskTerms,
    wallet: Wallet('whose funds trade'),
    role: OneOf(['owner', 'executor'], 'what the key’s wallet is in it'),
  },
  { title: 'SessionSummary' },
)
