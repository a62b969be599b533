import {
  type Address,
  type Delegation,
  delegationTypedData,
  type Hashing,
  type Hex,
  NATIVE,
  ROOT_AUTHORITY,
  readRoot,
  rootDiffs,
  type SessionRoot,
} from '@pit/chain'
import {
  type Answer,
  type BodyInput,
  bindingHash,
  boundMarks,
  COSIGNER,
  canonicalJson,
  createBinding,
  markPrice,
  microUsdUp,
  readBinding,
  SESSION,
  type SessionBindingV3,
  worthUp,
} from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { broken, must } from '../errors.ts'
import type { OwnMarks } from '../own/marks.ts'
import { type Pins, tokenNamed } from '../pins.ts'

export type Pending = Extract<Answer<'live.session.grant'>, { status: 'pending' }>
export type GrantAsk = Omit<Extract<BodyInput<'live.session.grant'>, { executor: string }>, 'wallet'>

const hashing: Hashing = {
  keccak256: (data) => keccak256(data as Hex),
  keccakText: (text) => keccak256(stringToHex(text)),
}

/** Clocks of client and service may differ. */
const CLOCK_SLACK_S = 60

/** The binding the owner asked for, with the nonce, end and marks the service filled in; refused if another. */
export function checkBinding(
  { pins, wallet, ask, nowS }: { pins: Pins; wallet: Address; ask: GrantAsk; nowS: number },
  { sign }: Pending,
): SessionBindingV3 {
  const read = readBinding(sign.delegation.binding)
  if (!read.ok || read.binding.version !== 3) return broken('GRANT_BINDING', 'the binding is none of today’s')
  const { binding } = read
  const tokens = (ask.tokens ?? ['ETH', 'USDG']).map((name) => tokenNamed(pins, name))
  if (pins.cosigner === null) return broken('GRANT_BINDING', 'the profile pins no co-signer')
  must(!tokens.includes(null), 'GRANT_BINDING', 'a token is no core symbol and no address')
  const own = createBinding({
    wallet,
    executor: ask.executor.toLowerCase() as Address,
    cosigner: pins.cosigner,
    router: pins.router,
    tokens: tokens as Address[],
    limits: {
      max_trade_micro_usd: Number(microUsdUp(ask.max_trade_usd ?? SESSION.maxTradeUsdDefault)),
      max_day_micro_usd: Number(microUsdUp(ask.max_day_usd ?? SESSION.maxDayUsdDefault)),
      max_trades: ask.max_trades ?? SESSION.maxTradesDefault,
    },
    expires_at: binding.expires_at,
    nonce: binding.nonce,
    feeRecipient: pins.feeRecipient,
    risk: {
      accept_risks: ask.accept_risks ?? [],
      shield: ask.shield ?? false,
      policies: binding.risk.policies,
    },
    marks: boundMarks(binding),
  })
  must(
    canonicalJson(own) === canonicalJson(binding),
    'GRANT_BINDING',
    'the binding differs from what was asked',
    {
      asked: own,
      answered: binding,
    },
  )
  const lastsS = ask.expires_in_s ?? SESSION.expiresInSDefault
  const isInTime = binding.expires_at <= nowS + lastsS + CLOCK_SLACK_S && binding.expires_at > nowS
  must(isInTime, 'GRANT_BINDING', 'the session ends later than asked', { expires_at: binding.expires_at })
  // Only prices the co-signer cannot read itself come from marks.
  const stray = boundMarks(binding).find(({ token }) => pins.marks.get(token)?.kind === 'feed')
  must(stray === undefined, 'GRANT_BINDING', 'a mark is of a token that has a feed')
  return binding
}

/** The root in typed data, read by the client: its caveats must say what the binding says. */
export function checkRoot(
  { pins, binding, marks }: { pins: Pins; binding: SessionBindingV3; marks: OwnMarks },
  typedData: unknown,
): { root: SessionRoot; delegation: Delegation; typedData: ReturnType<typeof delegationTypedData> } {
  const delegation = delegationIn(typedData)
  const root = readRoot(hashing, pins.addresses, delegation)
  if (!root) return broken('GRANT_CAPS', 'the delegation is no root of a session')
  const diffs = rootDiffs(root, binding, bindingHash(hashing.keccakText, binding))
  must(!diffs.includes('salt'), 'GRANT_BINDING', 'the root does not carry the binding’s hash')
  must(diffs.length === 0, 'GRANT_CAPS', `the root differs from the binding in ${diffs.join(', ')}`, {
    diffs,
  })
  checkEther(root, binding, marks)
  return { root, delegation, typedData: delegationTypedData(pins.addresses, delegation) }
}

/** ETH caps are dollars at the price of the grant: near the client's own. */
function checkEther({ eth }: SessionRoot, { limits }: SessionBindingV3, marks: OwnMarks): void {
  if (eth === null) return
  const mark = marks.get(NATIVE)
  if (!mark) broken('GRANT_CAPS', 'the client has no price of ETH to hold the caps against')
  const price = markPrice(mark.priceE18, mark.decimals)
  const isWithin = (wei: bigint, microUsd: number): boolean =>
    worthUp(wei, price) * 10_000n <= BigInt(microUsd) * BigInt(10_000 + COSIGNER.capPriceBandBps)
  must(
    isWithin(eth.dayWei, limits.max_day_micro_usd),
    'GRANT_CAPS',
    'the day’s ETH is worth more than max_day_usd',
  )
  if ('tradeWei' in eth)
    must(
      isWithin(eth.tradeWei, limits.max_trade_micro_usd),
      'GRANT_CAPS',
      'a trade’s ETH is worth more than max_trade_usd',
    )
}

function delegationIn(typedData: unknown): Delegation {
  const { message } = typedData as {
    message: {
      delegate: string
      delegator: string
      authority: string
      caveats: { enforcer: string; terms: string }[]
      salt: string | number | bigint
    }
  }
  must(message.authority === ROOT_AUTHORITY, 'GRANT_CAPS', 'the delegation stands on another')
  return {
    delegate: message.delegate.toLowerCase() as Address,
    delegator: message.delegator.toLowerCase() as Address,
    authority: ROOT_AUTHORITY,
    caveats: message.caveats.map(({ enforcer, terms }) => ({
      enforcer: enforcer.toLowerCase() as Address,
      terms: terms.toLowerCase() as Hex,
      args: '0x',
    })),
    salt: BigInt(message.salt),
    signature: '0x',
  }
}
