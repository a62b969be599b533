/**
 * Limits that the contracts enforce even if both the co-signer's and the executor's keys are stolen, and
 * limits they do not enforce. e2e/sessionChain.test.ts proves every entry of both lists on the contracts.
 */

export const ON_CHAIN_BOUNDS = {
  executor_only:
    'Only the executor can use the session; the co-signer’s key alone moves nothing but curve fees.',
  both_keys: 'Each trade needs a signature of the co-signer and a transaction of the executor.',
  router_and_method:
    'Only the router’s execute can be called, and buy and sell of the session’s own curves; no other ' +
    'contract or method.',
  single_calls: 'Each use is one call that must succeed: no batches, no calls that may fail.',
  expiry: 'Nothing works from the session’s end on.',
  redemptions: 'Each root works at most max_trades times.',
  eth_per_day: 'ETH that leaves with calls of one root stays under its cap in each fixed window of a day.',
  eth_per_trade: 'ETH that leaves with one call stays under the per-trade cap set at the grant.',
  no_wallet_calls:
    'The wallet approves nothing and transfers no token by itself, and neither it nor the delegation ' +
    'manager can be called.',
  erc20_budget: 'Tokens leave only as far as the owner approved them, to the router or a curve.',
  curve_fee: 'Curve fees go to the fee recipient only, at most a hundredth of the day cap in each window.',
  limits_committed: 'The owner’s signature includes a hash of the limits: other limits need another root.',
  leaf_exact: 'A co-signed trade is exactly one call: no other target, value or calldata.',
  leaf_once: 'A co-signed trade works once.',
  leaf_expiry: 'A co-signed trade works for 120 seconds.',
  this_chain: 'The signatures are valid on this chain and this delegation manager only.',
  owner_ends_it: 'The owner can end a root on chain at any time, without Pit.',
} as const
export type OnChainBound = keyof typeof ON_CHAIN_BOUNDS

export const NOT_ENFORCED_ON_CHAIN = {
  dollar_caps: 'Dollar caps: the chain has only ETH and token amounts, at the price of the grant.',
  rolling_day:
    'The rolling 24 hours: the chain counts in fixed windows, so 24 hours can include parts of two.',
  token_list: 'The list of tokens: the router can buy any token.',
  command_shape: 'The router’s commands: any of them are possible, not only swaps.',
  output_recipient: 'The recipient of the bought tokens.',
  erc20_day_cap: 'A daily cap on tokens: the whole approved budget can be spent at once.',
  slippage: 'A fair price: the router enforces only the minimum set in the trade.',
  fee_schedule: 'The fee rate: the chain enforces only the amount set in a co-signed curve trade.',
  risk_terms: 'The risk terms: accepted risks, shield and policies.',
  sums_across_roots: 'Totals over several roots: each has separate caps and counts.',
  curve_fee_cosigner:
    'That curve fees belong to a trade: the co-signer’s key alone can pay them, up to their cap.',
  gas: 'The executor’s gas costs.',
} as const
export type NotEnforced = keyof typeof NOT_ENFORCED_ON_CHAIN
