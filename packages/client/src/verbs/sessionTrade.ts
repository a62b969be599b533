import { type Address, decodeRedeem, type Hex, NATIVE, readLeaf, readSwap } from '@pit/chain'
import type { Answer, BodyInput } from '@pit/protocol'
import type { Transaction } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must, readingAnswer, refuse } from '../errors.ts'
import { given } from '../own/rpc.ts'
import { askTrial } from '../own/trial.ts'
import { follow, type SignedTrade } from './follow.ts'
import { type Receipt, sendSigned } from './sendSigned.ts'
import { named } from './trade.ts'

export type SessionAsk = BodyInput<'live.session.trade'>
type Traded = Answer<'live.session.trade'>

export interface SessionTraded {
  trade: Traded
  hash: Hex
  receipt: Receipt
  /** What the session's wallet received; null for ETH, which a receipt does not show. */
  amountOut: bigint | null
}

export interface SessionOptions extends VerbOptions {
  /** Told before anything is sent. Who keeps it can finish the trade with `resume`. */
  onSigned?(signed: SignedTrade): void
}

/** One trade of a session, signed by its executor: the client's account. `wallet` is whose funds trade. */
export async function sessionTrade(
  deps: ClientDeps,
  ask: SessionAsk & { wallet: Address },
  options: SessionOptions = {},
): Promise<SessionTraded> {
  await deps.checked()
  const { wallet, ...body } = ask
  const trade = await deps.api['live.session.trade']({ body }, options)
  const { transaction, deadlineS } = await readingAnswer('RECIPIENT', () =>
    verify(deps, { ...ask, wallet: wallet.toLowerCase() as Address }, trade, options),
  )
  const bound = {
    receiver: wallet.toLowerCase() as Address,
    tokenOut: named(deps.pins, ask.token_out),
    leastOut: BigInt(trade.swap.amount_out_min),
    deadlineS,
  }
  const hashes = await sendSigned(deps, [transaction], {
    deadlineS,
    signal: options.signal,
    onSigned: (bytes) => options.onSigned?.({ ...bound, ...bytes }),
  })
  const { receipt, amountOut } = await follow(deps, bound, hashes, options)
  return { trade, hash: receipt.hash, receipt, amountOut }
}

/** The executor signs a redemption of its own session for the trade that was asked, and nothing else. */
async function verify(
  { pins, account, rpc }: ClientDeps,
  ask: SessionAsk & { wallet: Address },
  trade: Traded,
  { signal }: VerbOptions,
): Promise<{ transaction: Transaction; deadlineS: number }> {
  const { tx } = trade
  if (!trade.ready || !tx) return refuse('VERIFICATION_FAILED', 'the trade is not ready')
  must(
    tx.to.toLowerCase() === pins.addresses.manager,
    'RECIPIENT',
    'it calls another contract than the manager',
  )
  must(tx.from.toLowerCase() === account.address, 'RECIPIENT', 'it is from another account than the executor')
  must(tx.value === '0', 'RECIPIENT', 'the executor pays nothing itself')
  must(tx.chain_id === pins.profile.chain_id, 'RECIPIENT', 'it is for another chain')
  const redeem = decodeRedeem(tx.data)
  if (!redeem.ok) return broken('RECIPIENT', `the redemption cannot be read: ${redeem.why}`)
  const [redemption, ...more] = redeem.redemptions
  must(redemption !== undefined && more.length === 0, 'RECIPIENT', 'it redeems more than one trade')
  const [leaf] = redemption.delegations
  const read = leaf && readLeaf(pins.addresses, leaf)
  if (!read || read.kind === 'fee') return broken('RECIPIENT', 'the leaf is none of a trade')
  must(read.cosigner === pins.cosigner, 'RECIPIENT', 'another than the pinned co-signer signed')
  must(read.executor === account.address, 'RECIPIENT', 'the leaf is another executor’s')
  const root = redemption.delegations.at(-1)!
  must(root.delegator === ask.wallet, 'RECIPIENT', 'the session is another wallet’s')
  const deadlineS = checkExecution({ pins }, ask, trade, redemption.execution)
  const watched = [{ holder: ask.wallet, token: named(pins, ask.token_out) }]
  const call = { to: pins.addresses.manager, value: 0n, data: tx.data as Hex }
  const trial = askTrial(account.address, [call], watched, pins.multicall3)
  const hasList = (tx.authorization_list?.length ?? 0) > 0
  const [nonce, block, tried] = await rpc.all(
    [
      { method: 'eth_getTransactionCount', params: [account.address, 'pending'] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      // Before the wallet has its code, a call cannot show the trade.
      ...(hasList ? [] : [trial.call]),
    ],
    signal,
  )
  if (!hasList) {
    const result = trial.read(tried)
    if (!result.ok && !result.unsupported)
      return broken('QUOTE_OWN', `on the client’s own node it fails: ${result.why}`)
    if (result.ok)
      must(
        result.changes[0]! >= BigInt(trade.swap.amount_out_min),
        'QUOTE_OWN',
        'less than the minimum arrives',
      )
  }
  const baseFeeWei = BigInt(given<{ baseFeePerGas?: Hex }>(block).baseFeePerGas ?? '0x0')
  const common = {
    chainId: tx.chain_id,
    nonce: Number(BigInt(given(nonce))),
    to: pins.addresses.manager,
    value: 0n,
    data: tx.data as Hex,
    gas: BigInt(tx.gas),
    maxPriorityFeePerGas: 0n,
    maxFeePerGas: 2n * baseFeeWei,
  }
  if (!hasList) return { transaction: { ...common, type: 'eip1559' }, deadlineS }
  const authorizationList = tx.authorization_list!.map(({ chain_id, address, nonce: at, y_parity, r, s }) => {
    must(address.toLowerCase() === pins.addresses.delegator, 'RECIPIENT', 'the wallet would take other code')
    return {
      chainId: chain_id,
      address: address as Address,
      nonce: at,
      yParity: y_parity,
      r: r as Hex,
      s: s as Hex,
    }
  })
  return { transaction: { ...common, type: 'eip7702', authorizationList }, deadlineS }
}

/** The call inside the leaf is the trade that was asked for, and its minimum the one answered. */
function checkExecution(
  { pins }: Pick<ClientDeps, 'pins'>,
  ask: SessionAsk,
  trade: Traded,
  execution: { target: Address; valueWei: bigint; data: Hex },
): number {
  const [tokenIn, tokenOut] = [named(pins, ask.token_in), named(pins, ask.token_out)]
  if (execution.target !== pins.router) {
    must(trade.execution === 'curve', 'RECIPIENT', 'it calls another contract than the router')
    return trade.swap.deadline
  }
  const swap = readSwap(execution.data, { weth: pins.weth, layout: pins.layout })
  if ('fault' in swap) return broken('RECIPIENT', `the router call cannot be read: ${swap.fault}`)
  must(
    swap.tokenIn === tokenIn && swap.tokenOut === tokenOut,
    'RECIPIENT',
    'it trades other tokens than asked',
  )
  must(execution.valueWei === swap.valueWei, 'RECIPIENT', 'it carries another value than it spends')
  must(
    swap.fee === null || swap.fee.recipient === pins.feeRecipient,
    'RECIPIENT',
    'the fee goes to somebody else',
  )
  must(swap.amountIn === BigInt(trade.swap.amount_in), 'MIN_OUT', 'amount_in is not what the calldata spends')
  if (ask.amount_in !== undefined)
    must(swap.amountIn === BigInt(ask.amount_in), 'RECIPIENT', 'it spends another amount than asked')
  must(swap.amountOutMin >= BigInt(trade.swap.amount_out_min), 'MIN_OUT', 'the minimum is not the calldata’s')
  must(swap.amountOutMin > 0n && tokenOut !== tokenIn, 'MIN_OUT', 'there is no minimum')
  if (ask.min_amount_out !== undefined)
    must(swap.amountOutMin >= BigInt(ask.min_amount_out), 'MIN_OUT', 'it is under the minimum asked for')
  const unknown = swap.legs
    .flatMap(({ hops }) => hops)
    .find((hop) => hop.version === 'v4' && hop.key.hooks !== NATIVE && !pins.knownHooks.has(hop.key.hooks))
  must(unknown === undefined, 'V4_HOOKS', 'a pool on the way runs a hook nobody has read')
  return Number(swap.deadlineS)
}
