import {
  type Delegation,
  decodeDelegations,
  delegationAddresses,
  delegationHash,
  type Hashing,
  type Hex,
  readCurveCall,
  readRoot,
  readSwap,
} from '@pit/chain'
import { type ChainProfile, COSIGNER, parseSiwe } from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { keyOf, type Signed } from './replay.ts'

/** Why a signature has another effect than those for an honest server; null if it does not. */
export function otherEffect(profile: ChainProfile, honest: readonly Signed[], lied: Signed): string | null {
  const others = honest
    .filter(({ kind }) => kind === lied.kind)
    .map((one) => (keyOf(one.value) === keyOf(lied.value) ? null : differs(profile, one, lied)))
  if (others.length === 0) return `a ${lied.kind} that an honest server never requested`
  return others.includes(null) ? null : others[0]!
}

function differs(profile: ChainProfile, honest: Signed, lied: Signed): string | null {
  if (lied.kind === 'transaction' && honest.kind === 'transaction')
    return otherTransaction(profile, honest.value, lied.value)
  if (lied.kind === 'message' && honest.kind === 'message') return otherMessage(honest.value, lied.value)
  if (lied.kind === 'typed data' && honest.kind === 'typed data')
    return otherRoot(profile, honest.value as never, lied.value as never)
  return `another ${lied.kind}: ${keyOf(lied.value)}`
}

type Transaction = Extract<Signed, { kind: 'transaction' }>['value']

// Tolerances of the client for a moving market (docs/reference/client.md): amounts are computed from a slightly older
// price, and pools move between two blocks.
const SIZE_BPS = 300n
const MOVED_BPS = 105n
const CAP_BAND_BPS = 2 * COSIGNER.capPriceBandBps
const SLACK_S = 700
const MOST_GAS = 6_000_000n
const notMore = (lied: bigint, honest: bigint) => lied * 10_000n <= honest * (10_000n + SIZE_BPS)
/** Minimum output per atom spent. */
const notLess = (lied: Terms, honest: Terms) =>
  lied.least * honest.spent * 10_000n >= honest.least * lied.spent * (10_000n - MOVED_BPS)

interface Terms {
  spent: bigint
  least: bigint
  /** Fields that must be identical. */
  rest: string
  /** Amount of an allowance. */
  untilS?: number
}

/** Byte for byte except gas; or a trade, an approval or a fee with amounts inside the client's tolerance. */
function otherTransaction(profile: ChainProfile, honest: Transaction, lied: Transaction): string | null {
  const plain = ({ gas, data, value, ...rest }: Transaction) => keyOf(rest)
  if (plain(honest) !== plain(lied)) return `${plain(lied)} for ${plain(honest)}`
  if ((lied.gas ?? 0n) > MOST_GAS) return `${lied.gas} gas`
  const [one, other] = [termsOf(profile, honest), termsOf(profile, lied)]
  const difference = `value ${lied.value}, ${lied.data} for value ${honest.value}, ${honest.data}`
  if (honest.data === lied.data && honest.value === lied.value) return null
  if (!one || !other || one.rest !== other.rest) return difference
  const isSooner = (other.untilS ?? 0) <= (one.untilS ?? 0) + SLACK_S
  return isSooner && notMore(other.spent, one.spent) && notLess(other, one) ? null : difference
}

function termsOf(profile: ChainProfile, { to, value = 0n, data = '0x' }: Transaction): Terms | null {
  const approval = /^0x095ea7b3([0-9a-f]{64})([0-9a-f]{64})$/.exec(data)
  if (approval) return { spent: BigInt(`0x${approval[2]}`), least: 0n, rest: keyOf([to, value, approval[1]]) }
  const allowance = /^0x87517c45([0-9a-f]{128})([0-9a-f]{64})([0-9a-f]{64})$/.exec(data)
  if (allowance) {
    const untilS = Number(BigInt(`0x${allowance[3]}`))
    return { spent: BigInt(`0x${allowance[2]}`), least: 0n, rest: keyOf([to, value, allowance[1]]), untilS }
  }
  if (data === '0x') return { spent: value, least: 0n, rest: keyOf(to) }
  const disabled = /^0x49934047(0{62}20)(.*)$/.exec(data)
  if (disabled) {
    // A delegation is ended by its hash, which does not include its signature.
    const one = '1'.padStart(64, '0')
    const [ended] = decodeDelegations(`0x${disabled[1]}${one}${disabled[1]}${disabled[2]}`) ?? []
    return ended ? { spent: 0n, least: 0n, rest: keyOf([to, value, delegationHash(hashing, ended)]) } : null
  }
  const curve = readCurveCall(data as Hex)
  if (curve) {
    const { amountIn, amountOutMin, side, recipient } = curve
    const isPaid = value === 0n || value === amountIn
    return { spent: amountIn, least: amountOutMin, rest: keyOf([to, side, recipient, isPaid]) }
  }
  const swap = readSwap(data as Hex, {
    weth: profile.contracts.weth!.toLowerCase() as Hex,
    layout: profile.contracts.universal_router_layout,
  })
  if ('fault' in swap) return null
  const { tokenIn, tokenOut, amountIn, amountOutMin, valueWei, fee, permit } = swap
  const details = permit?.permit.details
  const rest = keyOf([
    [to, tokenIn, tokenOut, value === valueWei, valueWei === 0n],
    [fee?.side, fee?.recipient, fee?.bps],
    [details?.token, permit?.permit.spender, details && notMore(details.amount, amountIn)],
  ])
  return { spent: amountIn, least: amountOutMin, rest }
}

/** A sign-in to the same domain, whatever its nonce and time. */
function otherMessage(honest: string, lied: string): string | null {
  const [one, other] = [parseSiwe(honest), parseSiwe(lied)]
  const terms = (fields: typeof one) =>
    keyOf([fields?.domain, fields?.address.toLowerCase(), fields?.statement])
  return one && other && terms(one) === terms(other) ? null : `another text: ${lied}`
}

const hashing: Hashing = {
  keccak256: (data) => keccak256(data as Hex),
  keccakText: (text) => keccak256(stringToHex(text)),
}

/** A session's root with ETH caps inside the client's price tolerance; or a permit. */
function otherRoot(profile: ChainProfile, honest: PermitData, lied: PermitData): string | null {
  if (honest.primaryType !== 'Delegation' || lied.primaryType !== 'Delegation')
    return otherPermit(honest, lied)
  const [one, other] = [honest, lied].map(({ domain, message }) => {
    const { caveats, ...rest } = message as unknown as Delegation
    const whole = {
      ...rest,
      signature: '0x' as Hex,
      caveats: caveats.map((one) => ({ ...one, args: '0x' as Hex })),
    }
    const root = readRoot(hashing, delegationAddresses(profile), whole)
    const { eth, hash, ...terms } = root ?? { eth: null, hash: null }
    return {
      terms: keyOf([domain, terms]),
      wei: eth ? [eth.dayWei, 'tradeWei' in eth ? eth.tradeWei : 0n] : [],
    }
  })
  if (one!.terms !== other!.terms) return `${other!.terms} for ${one!.terms}`
  const isWithin = other!.wei.every((wei, i) => wei * 10_000n <= one!.wei[i]! * BigInt(10_000 + CAP_BAND_BPS))
  return isWithin ? null : 'larger caps'
}

interface PermitData {
  primaryType: string
  domain: unknown
  message: {
    details: { token: string; amount: bigint; expiration: number; nonce: number }
    spender: string
    sigDeadline: bigint
  }
}

/** A permit may expire sooner. */
function otherPermit(honest: PermitData, lied: PermitData): string | null {
  if (honest.primaryType !== 'PermitSingle' || lied.primaryType !== 'PermitSingle') return 'other typed data'
  const terms = ({ domain, message: { details, spender } }: PermitData) =>
    keyOf({ domain, token: details.token, nonce: details.nonce, spender })
  if (terms(honest) !== terms(lied)) return `${terms(lied)} for ${terms(honest)}`
  if (!notMore(lied.message.details.amount, honest.message.details.amount)) return 'a larger permit'
  const isSooner =
    lied.message.details.expiration <= honest.message.details.expiration + SLACK_S &&
    lied.message.sigDeadline <= honest.message.sigDeadline + BigInt(SLACK_S)
  return isSooner ? null : 'a permit that lasts longer'
}
