import type { Address } from '@pit/chain'
import {
  boundControls,
  boundFeeBps,
  boundRiskTerms,
  COSIGNER,
  countedMicroUsd,
  FEE_SIDE_RANK,
  type FeeClass,
  markPrice,
  type PriceWitness,
  priceBandBps,
  type SessionBinding,
  shortfallBpsUp,
  slippageCapBps,
} from '@pit/protocol'
import { bounded, type Failure, type Rules, unreadMessage } from '../checks.ts'
import type { Pins } from '../pins.ts'
import type { Price, Priced } from '../prices/priceOf.ts'
import type { Session } from '../roots/readRoots.ts'
import type { CosignRequest, Trade, Unread } from './types.ts'

/** Facts that a trade is judged by before the ledger; none is accepted from the server unchecked. */
export interface LeafFacts {
  nowS: number
  pins: Pins
  session: Session
  request: CosignRequest
  trade: Trade | Unread
  /** Undefined if it could not be read. */
  feeClass: FeeClass | undefined
  /** The wallet's at the NonceEnforcer, of a session with controls; null if it could not be read. */
  walletNonce?: bigint | null
  isChainRead: boolean
  /** The reason it cannot be read, if known. */
  whyUnread?: string | null
  priceOf(token: Address): Priced
  isSanctioned(address: Address): boolean
}

type ReadFacts = LeafFacts & { binding: SessionBinding; swap: Trade }

/** For rules about a call that could be read. */
const ofTrade =
  <Verdict extends Failure>(check: (facts: ReadFacts) => Verdict | null) =>
  (facts: LeafFacts): Verdict | null => {
    const read = readFacts(facts)
    return read && check(read)
  }

const readFacts = (facts: LeafFacts): ReadFacts | null =>
  'rule' in facts.trade ? null : { ...facts, binding: facts.session.binding, swap: facts.trade }

/** For a rule that fails if the call could not be read. */
const unread =
  (rule: Unread['rule']) =>
  ({ trade }: LeafFacts): Failure | null =>
    'rule' in trade && trade.rule === rule ? { message: trade.fault } : null

/** Prices of both ends, if both are known. */
function pricesOf({ swap, isChainRead, priceOf }: ReadFacts): { paid: Price; out: Price } | null {
  if (!isChainRead) return null
  const [paid, out] = [priceOf(swap.tokenIn), priceOf(swap.tokenOut)]
  return 'why' in paid || 'why' in out ? null : { paid, out }
}

const atomPrice = ({ priceE18, decimals }: Price) => markPrice(priceE18, decimals)

/** The value a trade spends, rounded up; null if it cannot be valued. */
export function spentMicroUsd(facts: LeafFacts): bigint | null {
  if ('rule' in facts.trade || !facts.isChainRead) return null
  const price = facts.priceOf(facts.trade.tokenIn)
  return 'why' in price ? null : countedMicroUsd(facts.trade.amountIn, atomPrice(price))
}

/** The rates the binding allows a trade of this class. */
const allowedBps = ({ binding, feeClass }: { binding: SessionBinding; feeClass: FeeClass | undefined }) =>
  feeClass === undefined ? [] : boundFeeBps(binding, feeClass)

/** The rate a trade pays, if it is allowed. */
function paidBps(facts: ReadFacts): number | undefined {
  return allowedBps(facts).find((bps) => facts.swap.fee?.isOf(bps))
}

/** The token that ranks higher pays the fee; if neither is core, the input does. */
function feeSideOf({ tokens }: Pins, { tokenIn, tokenOut }: Trade): 'input' | 'output' {
  const rank = (token: Address): number => {
    const core = tokens.get(token)?.core
    return core ? FEE_SIDE_RANK.indexOf(core) : FEE_SIDE_RANK.length
  }
  return rank(tokenOut) < rank(tokenIn) ? 'output' : 'input'
}

/** In order; every rule that can run runs. */
export const leafRules: Rules<LeafFacts> = [
  {
    code: 'SANCTIONED',
    check({ session: { binding }, isSanctioned }) {
      if (isSanctioned(binding.wallet))
        return { message: 'The session’s wallet is sanctioned.', value: 'session_wallet' }
      return isSanctioned(binding.executor)
        ? { message: 'The session’s executor is sanctioned.', value: 'executor' }
        : null
    },
  },
  bounded('SESSION_EXPIRED', ({ session: { binding }, nowS }) => ({
    ok: nowS < binding.expires_at,
    message: 'The session has expired.',
    value: nowS,
    limit: binding.expires_at,
  })),
  {
    code: 'SESSION_NONCE',
    check: ({ session: { root }, walletNonce }) =>
      root.nonce === null || walletNonce == null || walletNonce === root.nonce
        ? null
        : {
            message: 'The wallet has ended its sessions: grant again.',
            value: root.nonce.toString(),
            limit: walletNonce.toString(),
          },
  },
  {
    code: 'ORDER_SESSION',
    check: ({ request: { order }, session: { binding } }) =>
      order === undefined || boundControls(binding)
        ? null
        : { message: 'The session has no controls, so it has no signed orders.', value: order.id },
  },
  { code: 'SESSION_TARGET', check: unread('SESSION_TARGET') },
  {
    code: 'SESSION_EXECUTION',
    check: (facts) => unread('SESSION_EXECUTION')(facts) ?? executionFailure(facts),
  },
  { code: 'SESSION_CURVE_STEPS', check: unread('SESSION_CURVE_STEPS') },
  {
    code: 'SESSION_RECIPIENTS',
    check: ofTrade(({ swap: { recipient, fee }, binding: { wallet }, pins }) => {
      if (recipient !== 'wallet' && recipient !== wallet)
        return {
          message: 'The trade pays another recipient than the wallet.',
          value: recipient,
          limit: wallet,
        }
      if (fee && fee.recipient !== pins.feeRecipient)
        return {
          message: 'The fee goes to another recipient.',
          value: fee.recipient,
          limit: pins.feeRecipient,
        }
      return null
    }),
  },
  {
    code: 'SESSION_TOKENS',
    check: ofTrade(({ swap: { tokenIn, tokenOut, between }, binding: { tokens }, pins }) => {
      const value = [tokenIn, tokenOut].find((token) => !tokens.includes(token))
      if (value !== undefined) return { message: 'A token is not in the session.', value }
      // A token between the ends runs its own code in the middle of the owner's trade.
      const strange = between.find((token) => !tokens.includes(token) && !pins.tokens.get(token)?.core)
      return strange === undefined
        ? null
        : { message: 'An intermediate token is neither in the session nor a core token.', value: strange }
    }),
  },
  {
    code: 'UNKNOWN_HOOK',
    check: ofTrade(({ swap: { hooks }, binding, pins }) => {
      const value = hooks.find((hook) => !pins.knownHooks.has(hook))
      if (value === undefined || boundRiskTerms(binding).accept_risks.includes('UNKNOWN_HOOK')) return null
      return { message: 'A pool has an unreviewed hook, which the owner did not accept.', value }
    }),
  },
  bounded('SESSION_ROOT_ALLOWS', ({ request: { execution }, session: { root } }) => {
    const limit = root.eth?.tradeWei ?? 0n
    return {
      ok: execution.valueWei <= limit,
      message: 'The ETH amount exceeds the root’s maximum per call.',
      value: execution.valueWei.toString(),
      limit: limit.toString(),
    }
  }),
  {
    code: 'DEADLINE',
    check: ofTrade(({ swap: { deadlineS }, nowS }) => {
      // Some curves have no deadline; the leaf that allows the call expires within the same time.
      if (deadlineS === null) return null
      const limit = nowS + COSIGNER.maxDeadlineS
      if (deadlineS > BigInt(nowS) && deadlineS <= BigInt(limit)) return null
      return { message: 'The deadline has passed or is too far ahead.', value: deadlineS.toString(), limit }
    }),
  },
  {
    code: 'CHAIN_UNAVAILABLE',
    check: ({ isChainRead, whyUnread, walletNonce }) =>
      isChainRead && walletNonce !== null ? null : { message: unreadMessage(whyUnread) },
  },
  {
    code: 'PRICE_UNAVAILABLE',
    check: ofTrade(({ swap, isChainRead, priceOf }) => {
      if (!isChainRead) return null
      for (const token of [swap.tokenIn, swap.tokenOut]) {
        const price = priceOf(token)
        if ('why' in price)
          return { message: `The co-signer has no fresh price for ${token}: ${price.why}.`, value: token }
      }
      return null
    }),
  },
  {
    code: 'FEE_CLASS',
    check: ofTrade(({ feeClass }) =>
      feeClass === undefined
        ? { message: 'The co-signer could not read the fee class from the two tokens.' }
        : null,
    ),
  },
  {
    code: 'SESSION_FEE',
    check: ofTrade((facts) =>
      facts.feeClass === undefined || allowedBps(facts).length > 0
        ? null
        : { message: 'The binding has no fee for this class of trade.' },
    ),
  },
  {
    code: 'FEE_DECLARED',
    check: ofTrade((facts) => {
      const { feeBps: value } = facts.request
      if (value === undefined || facts.feeClass === undefined) return null
      const allowed = allowedBps(facts)
      if (allowed.includes(value) && (facts.swap.fee?.isOf(value) ?? false)) return null
      const limit = allowed.join(', ')
      return { message: 'The declared fee differs from the binding or from the call.', value, limit }
    }),
  },
  {
    code: 'FEE_REQUIRED',
    check: ofTrade((facts) => {
      const { swap, pins, feeClass } = facts
      if (feeClass === undefined) return null
      const limit = allowedBps(facts).join(', ')
      if (!swap.fee) return { message: 'The trade pays no fee.', value: 0, limit }
      const side = feeSideOf(pins, swap)
      if (swap.fee.side !== side)
        return { message: 'The fee is taken from the wrong token.', value: swap.fee.side, limit: side }
      if (paidBps(facts) === undefined)
        return { message: `The fee is not allowed for class ${feeClass}.`, limit }
      return null
    }),
  },
  bounded(
    'SLIPPAGE',
    ofTrade((facts) => {
      if (facts.swap.amountOutMin <= 0n) {
        const limit = COSIGNER.maxSlippageBps
        return { ok: false, message: 'The minimum output is missing.', value: 10_000, limit }
      }
      const { slippageBps: value } = facts.request
      const spent = spentMicroUsd(facts)
      if (value === undefined || facts.feeClass === undefined || spent === null) return null
      const limit = slippageCapBps(facts.feeClass, spent)
      return { ok: value <= limit, message: 'The slippage exceeds the co-signer’s maximum.', value, limit }
    }),
  ),
  bounded(
    'PRICE',
    ofTrade((facts) => judgePrice(facts, 'co-signer')),
  ),
  bounded(
    'SIGNED_MARK_PRICE',
    ofTrade((facts) => judgePrice(facts, 'owner')),
  ),
  bounded('SESSION_MAX_TRADE', (facts) => {
    const spent = spentMicroUsd(facts)
    const limit = facts.session.binding.limits.max_trade_micro_usd
    return spent === null
      ? null
      : {
          ok: spent <= BigInt(limit),
          message: 'The trade exceeds the session’s limit per trade, in micro-dollars.',
          value: spent.toString(),
          limit,
        }
  }),
]

function executionFailure(facts: LeafFacts): Failure | null {
  if ('rule' in facts.trade) return null
  const { trade, request } = facts
  if (trade.hasPermit) return { message: 'A session call must not contain a permit.' }
  if (trade.amountIn <= 0n) return { message: 'The call spends nothing.' }
  if (trade.countsWallet)
    return {
      message:
        'A v2 pool pays the wallet directly: its minimum would also count other transfers to the wallet.',
    }
  const value = request.execution.valueWei
  return value === trade.valueWei
    ? null
    : {
        message: 'The call’s value differs from the amount it spends.',
        value: value.toString(),
        limit: trade.valueWei.toString(),
      }
}

/** The largest loss of a trade against its input, by the weaker source of its two prices, and its fee. */
export function lossOf(facts: LeafFacts): { lossBps: bigint; witness: PriceWitness; feeBps: number } | null {
  const read = readFacts(facts)
  const prices = read && pricesOf(read)
  if (!prices) return null
  const { paid, out } = prices
  const { amountIn, amountOutMin } = read.swap
  const lossBps = shortfallBpsUp(
    { atoms: amountIn, price: atomPrice(paid) },
    { atoms: amountOutMin, price: atomPrice(out) },
  )
  const witness = WITNESSES.find((one) => paid.by === one || out.by === one)!
  return { lossBps, witness, feeBps: paidBps(read) ?? 0 }
}

/**
 * Compares the call's own minimum with its input, by the co-signer's prices or partly the owner's marks,
 * whatever slippage was declared.
 */
function judgePrice(facts: ReadFacts, by: 'co-signer' | 'owner'): (Failure & { ok: boolean }) | null {
  const loss = lossOf(facts)
  const spent = spentMicroUsd(facts)
  if (!loss || spent === null || facts.feeClass === undefined) return null
  if ((loss.witness === 'owner') !== (by === 'owner')) return null
  const band = priceBandBps(loss.witness, { feeClass: facts.feeClass, microUsd: spent })
  const limit = band + loss.feeBps
  const whose = by === 'owner' ? 'by the mark its owner signed' : 'at the co-signer’s own price'
  return {
    ok: loss.lossBps <= BigInt(limit),
    message: `The minimum output is too far below the input ${whose}, in basis points.`,
    value: Number(loss.lossBps),
    limit,
  }
}

/** A trade's price is only as good as the weaker of its two sources. */
const WITNESSES: readonly PriceWitness[] = ['owner', 'mean', 'feed']
