import { Type } from '@sinclair/typebox'
import { grouped } from '../money/decimals.ts'
import { DAY_S, SESSION } from '../numbers.ts'
import { ROOT_NAMES } from '../values.ts'
import { ControlsIn } from './controls.ts'
import { DecodedDisable } from './decoded.ts'
import { pairFields, Sized, tradeChoices } from './live.ts'
import { OrderListIn, ReceiptOut } from './orders.ts'
import {
  Answer,
  AnySignature,
  Anything,
  Atoms,
  Bps,
  ByDefault,
  ClientId,
  Code,
  Count,
  Exact,
  Flag,
  Hex,
  Id,
  MapOf,
  Nullable,
  OneOf,
  Signature,
  says,
  Text,
  TokenRef,
  TxHash,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'
import { BoundControls, RiskTerms, SessionLimits, spendFields } from './sessionSummary.ts'
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
import { AuthorizationToSign, Caveat, CodeReset, SignedDelegation, ToSign } from './typedData.ts'

/** Limits out of range are SESSION_LIMIT, so only their types are checked here. */
const GrantStart = Exact({
  wallet: Wallet('the owner, the key’s wallet'),
  executor: Wallet('signer of the session’s transactions'),
  tokens: ByDefault(
    ['ETH', 'USDG'],
    Type.Array(TokenRef('a token'), { maxItems: 32, description: 'at least two' }),
  ),
  max_trade_usd: ByDefault(
    SESSION.maxTradeUsdDefault,
    Usd(`above 0 and at most ${grouped(SESSION.maxTradeUsdMax)}`),
  ),
  max_day_usd: ByDefault(
    SESSION.maxDayUsdDefault,
    Usd(`from max_trade_usd to ${SESSION.maxDayMultipleOfMaxTrade} times it`),
  ),
  max_trades: ByDefault(
    SESSION.maxTradesDefault,
    Type.Integer({ description: `${SESSION.maxTradesMin} to ${grouped(SESSION.maxTradesMax)}` }),
  ),
  expires_in_s: ByDefault(
    SESSION.expiresInSDefault,
    Type.Integer({
      description:
        `${SESSION.expiresInSMin} s to ${SESSION.expiresInSMax / DAY_S} days; ` +
        `${SESSION.expiresInSMaxFeedless / 3_600} hours with a token that has no oracle feed`,
    }),
  ),
  setup_budget_usd: Type.Optional(Usd('ERC-20 budget for the whole session; default max_day_usd')),
  accept_risks: ByDefault([], AcceptRisks),
  shield: ByDefault(false, Flag('every trade asks the audit')),
  policies: Type.Optional(Policies),
  controls: Type.Optional(ControlsIn),
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
      'EIP-7702, by a plain wallet, of sign.authorization.digest as it is (no prefix): r, s and 27 or ' +
        '28 (27 + y_parity); an active session takes a new one',
    ),
  ),
  curve_root_signatures: Type.Optional(
    MapOf(AnySignature('of that root'), 'by delegation_hash, curve sessions'),
  ),
})
export const GrantRequest = Type.Union([GrantSwitchOn, GrantStart], { chosenBy: { field: 'session_id' } })

const Exposure = Answer(
  {
    on_chain: Answer({
      when: Text('which keys are in other hands'),
      eth: Nullable(
        Answer({
          per_trade_wei: Atoms('one call'),
          per_window_wei: Atoms('one window of a day'),
          windows: Count('until the session ends'),
          roots: Count('with separate caps'),
          curve_fees_wei: Atoms('fees of curve trades'),
          at_most_wei: Atoms('in all'),
          at_most_eth: Text('the same in ETH'),
        }),
        'null when the session does not trade ETH',
      ),
      tokens: Type.Array(
        Answer({
          token: Wallet('the token'),
          symbol: Text('display text: escape it'),
          amount: Text('atoms approved, or unlimited'),
          about_usd: Nullable(Usd('their value; null when unlimited')),
        }),
      ),
    }),
    by_cosigner: Answer({
      when: Text('which keys are in other hands'),
      ...SessionLimits.properties,
      traded_at_most_usd: Usd('in all'),
      shortfall_bps: Bps('the furthest a trade may be under the price'),
      fee_bps: Bps('the highest fee'),
      lost_at_most_usd: Usd('in all'),
    }),
    in_words: Type.Array(Text('a sentence')),
  },
  { title: 'Exposure', description: 'the most that can be lost, on chain and by the co-signer’s word' },
)

export const GrantPending = Answer(
  {
    session_id: Id('send it back with the signatures'),
    status: Type.Literal('pending'),
    wallet: Wallet('owner'),
    executor: Wallet('executor'),
    cosigner: Wallet('the co-signer'),
    expires: UnixS('end of the session'),
    wallet_code: OneOf(['none', 'delegator', 'other'], 'code of the wallet'),
    sign: ToSign,
    setup: Type.Array(Step, {
      description: 'transactions the main key sends first: token approvals and permits',
    }),
    risk_terms: RiskTerms,
    caveats: Type.Array(Caveat),
    limits: SessionLimits,
    controls: BoundControls,
    exposure: Exposure,
    on_chain_bounds: Type.Array(Text('limits enforced on chain')),
    not_enforced_on_chain: Type.Array(Text('limits enforced only by the co-signer')),
    curve: Nullable(
      Answer({
        tokens: Type.Array(
          Answer({ token: Wallet('address'), symbol: Text('escape it'), curve: Wallet('its curve') }),
        ),
        note: Text('in words'),
      }),
      'curve tokens and their roots',
    ),
    // biome-ignore lint/suspicious/noThenProperty: the contract's name; a string is not a thenable
    then: Text('next step'),
  },
  { title: 'SessionPending' },
)
export const GrantActive = Answer(
  {
    session_id: Id('session'),
    status: Type.Literal('active'),
    delegation_hash: TxHash('hash of the root'),
    authorization_stored: Flag('whether an EIP-7702 authorization is stored for the first trade'),
    sign: Nullable(
      Answer({ authorization: AuthorizationToSign }),
      'still to be signed, and sent with session_id as authorization_signature',
    ),
    limits: SessionLimits,
    controls: BoundControls,
    curve_roots: Nullable(
      Answer({ curve: TxHash('of trades on curves'), fee: TxHash('of their fees') }),
      'hashes of the curve roots',
    ),
  },
  { title: 'SessionActive' },
)
export const GrantAnswer = Type.Union([GrantActive, GrantPending])

const OrderUse = Exact(
  {
    id: TxHash('the signed order'),
    part: Type.Integer({ minimum: 1, description: 'which of the order’s trades this is' }),
    rounds: Type.Array(Type.String({ pattern: '^[1-9][0-9]{0,25}$' }), {
      maxItems: 2,
      description: 'rounds of the trigger’s feed that show it met; empty without a trigger',
    }),
    list: Type.Optional(says(OrderListIn, 'the order’s list: registered first, with `signature`')),
    signature: Type.Optional(Signature('of the list, by the session’s wallet')),
  },
  { title: 'OrderUse' },
)
export const SessionTradeRequest = Sized({
  session_id: Id('session'),
  client_id: ClientId,
  ...pairFields,
  ...tradeChoices,
  accept_risks: Type.Optional(Anything('bound by the session: other terms are SESSION_TERMS')),
  shield: Type.Optional(Anything('bound by the session: other terms are SESSION_TERMS')),
  policies: Type.Optional(Anything('bound by the session: other terms are SESSION_TERMS')),
  order: Type.Optional(OrderUse),
  check_only: Type.Optional(
    Flag('rehearse: run every rule here and at the co-signer; nothing is signed, counted or stored'),
  ),
})
const SignerVerdict = Answer(
  {
    rule: Code('the co-signer’s rule'),
    ok: Flag('whether it passed'),
    message: Text('in words'),
    value: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: 'actual value' })),
    limit: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: 'limit' })),
  },
  { title: 'SignerVerdict' },
)
export const SessionTrade = Answer(
  {
    session_id: Id('session'),
    ready: Flag('tx can be signed by the executor and submitted'),
    simulated_ok: Flag('whether the simulation delivered'),
    tx: Nullable(Tx, 'the executor’s redeemDelegations transaction'),
    executor: Wallet('signer'),
    wallet: Wallet('owner of the traded funds'),
    leaf: Nullable(
      Answer({
        delegation: SignedDelegation,
        hash: TxHash('of the leaf'),
        signature: Hex('the co-signer’s'),
        expires: UnixS('end of the leaf'),
        sequence: Count('which of the session’s trades it is'),
      }),
      'the co-signed leaf',
    ),
    execution: OneOf(['router', 'curve']),
    swap: Answer({
      route: RouteRow,
      amount_in: Atoms('input'),
      amount_out_min: Atoms('least output'),
      amount_out_expected: Atoms('expected output'),
      notional_usd: Nullable(Usd('its value')),
      deadline: UnixS('of the router call'),
    }),
    simulation: Nullable(Simulation),
    checks: Checks,
    spend: Answer(
      { ...spendFields, this_usd: Usd('this trade') },
      { description: 'used and left, this trade counted' },
    ),
    risk_terms: RiskTerms,
    timings: Timings,
    ...disclosureFields,
    check_only: Type.Optional(Type.Literal(true, { description: 'a rehearsal' })),
    ok: Type.Optional(Flag('of a rehearsal: whether every rule passed')),
    signer_checks: Type.Optional(
      Type.Array(SignerVerdict, { description: 'of a rehearsal: every rule of the co-signer' }),
    ),
  },
  { title: 'SessionTrade' },
)

export const SessionRevokeRequest = Exact({
  session_id: Id('session'),
  reset_code: ByDefault(false, Flag('adds the authorization that resets the wallet’s code')),
  challenge: Type.Optional(TxHash('32 random bytes that the receipt repeats')),
})
/** A transaction of the main key that ends a root. */
export const EndStep = Answer(
  {
    kind: Type.Literal('disable_delegation'),
    why: Text('why it is needed'),
    tx: Answer({ ...Tx.properties, nonce: Nullable(Count('null while the chain cannot be read')) }),
    decoded: DecodedDisable,
  },
  { title: 'EndStep' },
)
export const ApprovalLeft = Answer(
  {
    token: Wallet('the token'),
    symbol: Text('display text: escape it'),
    spender: Wallet('address that may still move it'),
    amount: Atoms('how much'),
    through: Type.Optional(Wallet('the token permit contract')),
    expiration: Type.Optional(UnixS('until when')),
    ends_with: Text('the route that revokes it'),
  },
  { title: 'ApprovalLeft' },
)
export const endedFields = {
  session_id: Id('session'),
  revoked_at: UnixS('when the service stopped co-signing'),
  effective: Text('effect so far, and what the chain still allows until on_chain is sent'),
  signer_revoked: Flag('whether the signing service confirmed'),
  approvals: Type.Array(ApprovalLeft, { description: 'token allowances the session leaves behind' }),
}
export const SessionRevoked = Answer(
  {
    ...endedFields,
    status: Type.Literal('revoked'),
    on_chain: Type.Array(EndStep, { description: 'ends the session on chain' }),
    simulation: Nullable(
      Answer({
        ok: Flag('whether it disables everything'),
        error: Nullable(Text('why not')),
        disables: Type.Array(
          Answer({
            root: OneOf(ROOT_NAMES),
            delegation_hash: TxHash('its hash'),
            disabled: Flag('afterwards'),
          }),
        ),
      }),
      'of on_chain; null when it could not be run',
    ),
    reset_code: Nullable(CodeReset, 'EIP-7702 authorization that clears the code; null unless requested'),
    receipt: Nullable(ReceiptOut, 'by the co-signer; null without a challenge, or until it confirms'),
  },
  { title: 'SessionRevoked' },
)
