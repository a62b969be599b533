import type { Address, Hex, Order } from '@pit/chain'
import { etherText, groupedText } from '@pit/protocol'
import { describeOrder } from '../orders/describe.ts'
import { pinnedTokens } from '../orders/tokens.ts'
import type { Pins } from '../pins.ts'

/** Recipient of what leaves the wallet. */
export type Payee = 'exchange' | 'curve' | 'fee' | 'return'
/** Spender of an approval. */
export type Spender = 'permit2' | 'router' | 'curve' | 'stranger'

/**
 * One thing that a signature does, computed from the signed bytes. Native ETH is the all-zero address.
 * @public
 */
export type Effect =
  | { kind: 'leaves'; token: Address; atMost: bigint; to: Address; payee: Payee }
  | {
      kind: 'arrives'
      token: Address
      atLeast: bigint
      /** `before_tax`: a token may tax its own transfer. `pro_rata`: a curve that sells out refunds the rest. */
      bound: 'strict' | 'before_tax' | 'pro_rata'
    }
  | {
      kind: 'allows'
      token: Address
      spender: Address
      role: Spender
      atMost: bigint
      /** Null: it has no end. */
      untilS: number | null
    }
  | { kind: 'ends_allowance'; token: Address; spender: Address }
  | { kind: 'ends_sessions'; which: 'one' | 'all' }
  | { kind: 'ends_order'; id: Hex; spentIn: bigint }
  | { kind: 'network_fee'; atMost: bigint }
  | {
      kind: 'session'
      /** Null: it can only pay fees. */
      executor: Address | null
      targets: readonly Address[]
      eth: { dayWei: bigint; tradeWei: bigint | null } | null
      maxTrades: number
      untilS: number
      endsWithAll: boolean
    }
  | { kind: 'order'; number: number; order: Order }
  | { kind: 'code'; contract: Address }
  /** One field of a message. */
  | { kind: 'states'; name: string; value: string }
  | {
      kind: 'unknown_call'
      callee: Address
      valueWei: bigint
      selector: Hex | null
      dataBytes: number
      why: string
    }

/** Sums of what leaves and arrives; other effects as they are, in their order. */
export function sumEffects(effects: readonly Effect[]): Effect[] {
  const sums: Effect[] = []
  for (const effect of effects) {
    const same = sums.findIndex((one) => isSameAsset(one, effect))
    const sum = sums[same]
    if (sum?.kind === 'leaves' && effect.kind === 'leaves')
      sums[same] = { ...sum, atMost: sum.atMost + effect.atMost }
    else if (sum?.kind === 'arrives' && effect.kind === 'arrives')
      sums[same] = { ...sum, atLeast: sum.atLeast + effect.atLeast }
    else sums.push(effect)
  }
  return sums
}

const isSameAsset = (one: Effect, other: Effect): boolean =>
  (one.kind === 'leaves' && other.kind === 'leaves' && one.token === other.token && one.to === other.to) ||
  (one.kind === 'arrives' &&
    other.kind === 'arrives' &&
    one.token === other.token &&
    one.bound === other.bound)

/** Only takes access back, or pays the return address. */
export const isOfReturn = (effect: Effect): boolean =>
  effect.kind === 'ends_allowance' ||
  effect.kind === 'ends_sessions' ||
  (effect.kind === 'leaves' && effect.payee === 'return')

/** The line a person reads. */
export function effectText(pins: Pins, effect: Effect): string {
  switch (effect.kind) {
    case 'leaves': {
      const amount = amountText(pins, effect.token, effect.atMost)
      return `Leaves this wallet: up to ${amount} to ${PAYEES[effect.payee]} ${effect.to}`
    }
    case 'arrives':
      return `Arrives: at least ${amountText(pins, effect.token, effect.atLeast)} in this wallet${BOUNDS[effect.bound]}`
    case 'allows': {
      const until = effect.untilS === null ? 'until you take it back' : `until ${timeText(effect.untilS)}`
      const amount = amountText(pins, effect.token, effect.atMost)
      return `Approval: ${SPENDERS[effect.role]} ${effect.spender} may take up to ${amount}, ${until}`
    }
    case 'ends_allowance':
      return `Taken back: ${effect.spender} may take no more ${nameOf(pins, effect.token)}`
    case 'ends_sessions':
      return effect.which === 'all'
        ? 'Ended: every session with controls, on chain'
        : 'Ended: one session, its delegation is disabled on chain'
    case 'ends_order':
      return `Ended first: order ${effect.id}, of which ${effect.spentIn} atoms are spent or reserved`
    case 'network_fee':
      return `Network fee: at most ${etherText(effect.atMost)}`
    case 'session':
      return sessionText(effect)
    case 'order':
      return `${effect.number}. ${describeOrder(pinnedTokens(pins), effect.order)}`
    case 'code':
      return `This wallet runs the pinned contract ${effect.contract}. Sessions need it.`
    case 'states':
      return `${effect.name}: ${effect.value}`
    case 'unknown_call': {
      const { callee, valueWei, selector, dataBytes, why } = effect
      return (
        `Unknown call: ${etherText(valueWei)} to ${callee}, ` +
        `${selector === null ? 'no selector' : `selector ${selector}`}, ${dataBytes} bytes of data (${why})`
      )
    }
  }
}

const PAYEES: Record<Payee, string> = {
  exchange: 'the pinned exchange',
  curve: 'the launchpad curve',
  fee: 'the pinned fee recipient',
  return: 'your return address',
}
const SPENDERS: Record<Spender, string> = {
  permit2: 'the pinned Permit2 contract',
  router: 'the pinned exchange',
  curve: 'the launchpad curve',
  stranger: 'the unpinned address',
}
const BOUNDS = {
  strict: '',
  before_tax: ', before a tax that the token itself may take',
  pro_rata: ', or in proportion if the curve sells out and refunds a part',
}

function sessionText(session: Extract<Effect, { kind: 'session' }>): string {
  const { executor, targets, eth, maxTrades, untilS, endsWithAll } = session
  const perTrade = eth?.tradeWei == null ? '' : ` and ${etherText(eth.tradeWei)} a trade`
  const sends =
    eth === null ? 'It may send no ETH' : `It may send up to ${etherText(eth.dayWei)} a day${perTrade}`
  const who =
    executor === null
      ? `Session: only fees to the pinned recipient ${targets.join(', ')}`
      : `Session: executor ${executor} may call ${targets.join(', ')} for this wallet, each trade co-signed`
  const ends = endsWithAll ? 'revoking it or all sessions at once' : 'revoking it'
  return `${who}. ${sends}. Until ${timeText(untilS)}, at most ${maxTrades} uses. Ended early by ${ends}.`
}

const nameOf = ({ tokens }: Pins, token: Address): string =>
  tokens.get(token)?.symbol ?? `of the unpinned token ${token}`

/** Whole tokens of a pinned token; atoms of any other, whose decimals and symbol its own contract could invent. */
export function amountText(pins: Pins, token: Address, atoms: bigint): string {
  const info = pins.tokens.get(token)
  if (atoms >= 2n ** 159n) return `all your ${info ? info.symbol : `tokens of ${token} (not pinned)`}`
  if (!info) return `${atoms} atoms of the unpinned token ${token}`
  return `${groupedText(atoms, info.decimals)} ${info.symbol}`
}

export const timeText = (unixS: number): string =>
  unixS > 253_402_300_799
    ? 'no end'
    : `${new Date(unixS * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
