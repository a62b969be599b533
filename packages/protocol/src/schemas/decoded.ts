import { type Static, Type } from '@sinclair/typebox'
import { FEE_SIDES, ROOT_NAMES, STEP_KINDS } from '../values.ts'
import {
  Answer,
  Atoms,
  Bps,
  Count,
  Decimal,
  Flag,
  Hex,
  Nullable,
  OneOf,
  Text,
  UnixS,
  Wallet,
} from './scalars.ts'

/** A transaction or signature decoded for people to check. */

const named = {
  token: Wallet('all zero for ETH'),
  symbol: Text('deployer-chosen text: escape it; the address if it could mislead'),
}
/** An amount of a token: whole in decimals, and in its smallest unit. */
export const TokenAmount = Answer(
  {
    ...named,
    amount: Nullable(Decimal('in whole tokens; null while the decimals are unknown')),
    atoms: Atoms('the same in the smallest unit'),
  },
  { title: 'TokenAmount' },
)
const amount = {
  ...TokenAmount.properties,
  unlimited: Type.Optional(Flag('true if unlimited')),
}
const spender = Wallet('address that may move it')
const recipient = Wallet('recipient')
const deadline = UnixS('sent later, it reverts')

const approve = {
  function: Type.Literal('approve(address spender, uint256 amount)'),
  spender,
  ...amount,
}
const permit2Approve = {
  function: Type.Literal('approve(address token, address spender, uint160 amount, uint48 expiration)'),
  spender,
  ...amount,
  expiration: UnixS('end of the allowance'),
}
const transfer = {
  function: OneOf(['plain transfer', 'transfer(address to, uint256 amount)']),
  recipient,
  ...amount,
}
const curveTrade = {
  function: OneOf([
    'buy(uint256 amountIn, uint256 minOut, address to, uint256 deadline)',
    'sell(uint256 amountIn, uint256 minOut, address to, uint256 deadline)',
    'buy(uint256 amountIn, uint256 minOut, address to)',
    'sell(uint256 amountIn, uint256 minOut, address to)',
  ]),
  curve: Wallet('the curve called'),
  pays: Answer(amount),
  receives_at_least: Answer(amount),
  recipient,
  deadline: Nullable(deadline, 'null: this curve has no deadline, so a signed call can be mined later'),
}
const routerTrade = {
  function: Type.Literal('execute(bytes commands, bytes[] inputs, uint256 deadline)'),
  pays: TokenAmount,
  receives_at_least: TokenAmount,
  fee: Answer({
    bps: Bps('shield included'),
    side: OneOf(FEE_SIDES),
    token: Wallet('token of the payment'),
    recipient,
    amount: Type.Optional(TokenAmount),
  }),
  legs: Type.Array(Answer({ pays: TokenAmount, hops: Type.Array(Text('one pool, in words')) })),
  commands: Type.Array(Answer({ command: Text('the router’s name of it'), does: Text('in words') })),
  value_wei: Atoms('wei sent with the call'),
  deadline,
  minimum_counts: Type.Optional(Text('for a taxed token: the contract that checks the minimum')),
}
/** Common fields of the calls of a batch. */
const batched = {
  kind: OneOf(STEP_KINDS),
  to: Type.Optional(Wallet('the contract called')),
  value_wei: Type.Optional(Atoms('wei sent with it')),
}
const batch = {
  function: Type.Literal('execute(bytes32 mode, bytes executionCalldata)'),
  calls: Type.Array(
    Type.Union([
      Answer({ ...batched, ...approve }),
      Answer({ ...batched, ...transfer }),
      Answer({ ...batched, ...curveTrade }),
    ]),
    { description: 'in order; atomic' },
  ),
}
export const PermitMessage = Answer(
  {
    details: Answer({
      token: Wallet('the input token'),
      amount: Atoms('amount the router may move'),
      expiration: UnixS('end of the allowance'),
      nonce: Count('of the wallet, token and router at Permit2'),
    }),
    spender: Wallet('the router'),
    sigDeadline: Atoms('unix seconds, as a decimal'),
  },
  { title: 'PermitMessage' },
)

const permit = {
  function: Type.Literal('PermitSingle, a signature for Permit2'),
  spender,
  ...amount,
  expiration: UnixS('end of the allowance'),
  nonce: Count('of the wallet, token and router at Permit2'),
  sig_deadline: UnixS('end of the signature'),
}

/** By `function`. */
export const Decoded = Type.Union([
  Answer(routerTrade, { title: 'DecodedRouterTrade' }),
  Answer(curveTrade, { title: 'DecodedCurveTrade' }),
  Answer(batch, { title: 'DecodedBatch' }),
  Answer(approve, { title: 'DecodedApprove' }),
  Answer(permit2Approve, { title: 'DecodedPermit2Approve' }),
  Answer(transfer, { title: 'DecodedTransfer' }),
  Answer(permit, { title: 'DecodedPermit' }),
])
export type Decoded = Static<typeof Decoded>
export const DecodedRevocation = Type.Union([
  Answer(approve, { title: 'DecodedApprove' }),
  Answer(
    {
      function: Type.Literal('lockdown((address token, address spender)[] approvals)'),
      approvals: Type.Array(Answer({ token: Wallet('the token'), spender })),
    },
    { title: 'DecodedLockdown' },
  ),
])
export type DecodedRevocation = Static<typeof DecodedRevocation>
export const DecodedDisable = Answer(
  {
    function: Type.Literal('disableDelegation(Delegation delegation)'),
    root: OneOf(ROOT_NAMES, 'which of the session’s roots'),
    delegation_hash: Hex('its hash'),
  },
  { title: 'DecodedDisable' },
)
