import type { ClientErrorCode, ClientVerificationRule } from './clientCodes.ts'

const DISTRUST =
  'Do not sign anything from this server. Compare its address and your pins with the ones you trust ' +
  '(`pit doctor` does).'
const PLAN_AGAIN = 'The market may have moved: plan the trade again, or use a smaller size.'
const GRANT_AGAIN = 'Cancel this grant and request a new one. If it repeats, do not use this server.'

/** What to do after a refusal of the client, by code. The messages are in CLIENT_ERRORS. */
export const CLIENT_CURES: Readonly<Record<ClientErrorCode, string>> = {
  VERIFICATION_FAILED: DISTRUST,
  FAST_PAIR: 'Use the normal way for this pair: `pit trade` or live/prepare.',
  STALE: 'Try again in a few seconds; if it repeats, check that your node is synced.',
  APPROVAL: 'Trade this token once the normal way, which approves it to Permit2, then use fast mode.',
  POOL_FAR: 'Wait until the pool is back near the marks, or trade the normal way.',
  ROUTE_CAP: 'Use a smaller size, or trade the normal way.',
  MARKS_DIFFER:
    'Check that your node is synced. If it is, the server’s prices are wrong: do not trade there now.',
  COOLDOWN: 'Wait a few seconds before the next fast trade of this pair, or trade the normal way.',
  CONFIG_MISMATCH:
    'Check the server’s address, and get pins from a source you trust. Do not sign until they agree.',
  HASH_MISMATCH: 'Look for your transactions on your own node before you sign another one.',
  MINED_MISMATCH:
    'Look at the transaction on your own node. Do not use this server again until you know why.',
  TX_REVERTED: 'Only gas was spent. Plan the trade again; allow more slippage if the price moves fast.',
  CONSENT_REQUIRED: 'Allow EIP-7702 delegation (allow7702) if your wallet may take this code.',
  INSUFFICIENT_FUNDS: 'Send the missing amount to the wallet, or trade less. ETH is needed for gas as well.',
  ACCOUNT_SHAPE: 'The server and this client may be of different versions: update both, then try again.',
  ACCOUNT_WALLET: 'Sign in again with this wallet. If it repeats, do not use this server.',
  LEAGUE_STATEMENT: 'Request a new statement. If it repeats, do not use this server.',
  SIGNING_MISMATCH:
    'Request it again. If it repeats, the server asks for something you did not: do not use it.',
  REFUND_TO: 'Look where the executor’s ETH went on your own node, and tell the operator.',
}

/** Overrides the cure of VERIFICATION_FAILED where a rule has a better one. */
export const RULE_CURES: Readonly<Partial<Record<ClientVerificationRule, string>>> = {
  PRICE: PLAN_AGAIN,
  QUOTE_OWN: PLAN_AGAIN,
  IMPACT_OWN: PLAN_AGAIN,
  RISK_NOT_ACCEPTED: 'Read the token’s risks. Accept them by code if you want to trade anyway.',
  V4_HOOKS: 'Trade through another pool, or another token: this hook is not known to be safe.',
  GRANT_BINDING: GRANT_AGAIN,
  GRANT_CAPS: GRANT_AGAIN,
  EXECUTOR_ATTESTATION: 'Do not fund this executor. Compare the pinned co-signer with the server’s.',
}

/** Codes of the client that the contract’s table does not have. */
export const TRANSPORT_CURES = {
  SERVER_UNREACHABLE: 'Check that the server is running and that its address is right, then try again.',
  RPC_UNAVAILABLE: 'Check the address of your own node, or use another node.',
  NOT_CONFIRMED: 'Confirm it to go on. Nothing was signed.',
  NOT_MINED: 'Look for the transaction on your own node before you send another one.',
  NOT_RUNNABLE: 'Check that the wallet holds enough ETH for gas, then try again.',
  NOT_LIVE: 'Create a live agent instead of a paper one.',
  INTENT_NEEDED: 'Give the agent’s pairs, its maximum per trade and its maximum per day yourself.',
  RECORD_DAMAGED: 'Restore the local record from a backup, or name the session’s roots yourself.',
  REVOCATION_INCOMPLETE: 'Revoke the session again, with enough ETH for gas and a node that answers.',
  APPROVALS_LEFT: 'Take the approvals back again; read them on your own node before and after.',
  UNKNOWN_TOKEN: 'Use a core symbol exactly as written, or the token’s address.',
} as const

const FOREIGN = 'The answer has no error code, so it may come from a proxy: check the server’s address.'

/** What to do about a code that the client raised itself; null for one it does not know. */
export function clientCure(code: string, rule?: ClientVerificationRule): string | null {
  if (rule !== undefined && RULE_CURES[rule] !== undefined) return RULE_CURES[rule]
  const cures: Readonly<Record<string, string>> = { ...CLIENT_CURES, ...TRANSPORT_CURES }
  if (Object.hasOwn(cures, code)) return cures[code]!
  return /^HTTP_\d{3}$/.test(code) ? FOREIGN : null
}
