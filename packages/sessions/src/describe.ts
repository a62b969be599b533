import { type Address, type Authorization, authorizationHash, bytesToHex, type Crypto } from '@pit/chain'
import {
  boundRiskTerms,
  CHAIN_ID,
  controlsJson,
  type Extras,
  maxOf,
  type SessionBinding,
  usdOf,
} from '@pit/protocol'
import type { ControlLevels } from '@pit/signer-wire'
import type { ListedSession } from './listSessions.ts'
import type { Session, UnsignedAuthorization, Used } from './types.ts'

/** Session fields shown by several routes. */

export const limitsJson = ({ limits }: SessionBinding) => ({
  max_trade_usd: usdOf(BigInt(limits.max_trade_micro_usd)),
  max_day_usd: usdOf(BigInt(limits.max_day_micro_usd)),
  max_trades: limits.max_trades,
})

/** A listed session's controls with their levels; null without any. */
export function listedControls({ session, levels }: Pick<ListedSession, 'session' | 'levels'>) {
  const controls = controlsJson(session.binding)
  return controls && { ...controls, levels: levels && levelsJson(levels) }
}

const levelsJson = ({ unsigned_micro_usd, breakers }: ControlLevels) => ({
  unsigned_usd: usdOf(BigInt(unsigned_micro_usd)),
  breakers: breakers.map(({ max_fall_micro_usd, best_micro_usd, now_micro_usd, tripped_until }) => ({
    max_fall_usd: usdOf(BigInt(max_fall_micro_usd)),
    best_usd: best_micro_usd === null ? null : usdOf(BigInt(best_micro_usd)),
    now_usd: now_micro_usd === null ? null : usdOf(BigInt(now_micro_usd)),
    tripped_until,
  })),
})

export function riskTermsJson(binding: SessionBinding) {
  const { accept_risks, shield, policies } = boundRiskTerms(binding)
  return { accept_risks, shield, policies }
}

/** An EIP-7702 authorization to be signed. */
export function authorizationJson(
  crypto: Crypto,
  wallet: Address,
  { afterSetup, ...authorization }: UnsignedAuthorization,
): NonNullable<Extras['sign']>['authorization'] {
  const digestOf = (one: Authorization) => bytesToHex(authorizationHash(crypto, one))
  const { address, nonce } = authorization
  return {
    chain_id: CHAIN_ID,
    address,
    nonce,
    wallet,
    digest: digestOf(authorization),
    after_setup:
      afterSetup === undefined
        ? null
        : { nonce: afterSetup, digest: digestOf({ ...authorization, nonce: afterSetup }) },
  }
}

export function spendOf({ binding: { limits } }: Pick<Session, 'binding'>, { trades, dayMicroUsd }: Used) {
  return {
    trades,
    trades_left: Math.max(0, limits.max_trades - trades),
    last_24h_usd: usdOf(dayMicroUsd),
    remaining_24h_usd: usdOf(maxOf(0n, BigInt(limits.max_day_micro_usd) - dayMicroUsd)),
  }
}
