import type { ClientErrorCode, ClientVerificationRule } from './clientCodes.ts'

const DISTRUST =
  'Do not sign anything from this server. Compare its address and your pins with the ones you trust ' +
  '(`pit doctor` does this).'
const PLAN_AGAIN = 'The market may have moved: plan the trade again, or use a smaller size.'
const GRANT_AGAIN = 'Cancel this grant and request a new one. If it happens again, do not use this server.'

/** What to do about a client error, by code. The messages are in CLIENT_ERRORS. */
export const CLIENT_CURES: Readonly<Record<ClientErrorCode, string>> = {
  VERIFICATION_FAILED: DISTRUST,
  FAST_PAIR: 'Trade this pair in normal mode: `pit trade` or live/prepare.',
  STALE: 'Try again in a few seconds. If it happens again, check that your node is synced.',
  APPROVAL: 'Trade this token once in normal mode, which approves it to Permit2. Then use fast mode.',
  POOL_FAR: 'Wait until the pool’s price is close to the marks again, or use normal mode.',
  ROUTE_CAP: 'Use a smaller size, or normal mode.',
  MARKS_DIFFER:
    'Check that your node is synced. If it is, the server’s prices are wrong: do not trade there now.',
  COOLDOWN: 'Wait a few seconds before the next fast trade of this pair, or use normal mode.',
  CONFIG_MISMATCH:
    'Check the server’s address, and get pins from a source you trust. Do not sign until they match.',
  HASH_MISMATCH: 'Look for your transactions on your own node before you sign another one.',
  MINED_MISMATCH:
    'Check the transaction on your own node. Do not use this server again until you know the reason.',
  TX_REVERTED: 'Plan the trade again. Allow more slippage if the price moves fast.',
  CONSENT_REQUIRED:
    'Pass allow7702 to let your wallet delegate to this contract (EIP-7702), which sessions require.',
  INSUFFICIENT_FUNDS: 'Send the missing amount to the wallet, or trade less. Gas is paid in ETH.',
  ACCOUNT_SHAPE: 'Update the server and this client to the same version, then try again.',
  ACCOUNT_WALLET: 'Sign in again with this wallet. If it happens again, do not use this server.',
  LEAGUE_STATEMENT: 'Request a new statement. If it happens again, do not use this server.',
  SIGNING_MISMATCH:
    'Request it again. If it happens again, do not use this server: it asks you to sign something else.',
  REFUND_TO: 'Check on your own node where the executor’s ETH went, and report it to the operator.',
}

/** Rules with a better cure than VERIFICATION_FAILED’s own. */
export const RULE_CURES: Readonly<Partial<Record<ClientVerificationRule, string>>> = {
  PRICE: PLAN_AGAIN,
  QUOTE_OWN: PLAN_AGAIN,
  IMPACT_OWN: PLAN_AGAIN,
  RISK_NOT_ACCEPTED: 'Read the token’s risks. Accept them by code if you want to trade anyway.',
  V4_HOOKS: 'Use another pool or another token: this hook is not known to be safe.',
  GRANT_BINDING: GRANT_AGAIN,
  GRANT_CAPS: GRANT_AGAIN,
  EXECUTOR_ATTESTATION: 'Do not fund this executor. Compare the server’s co-signer with the pinned one.',
}

/** Client codes that are not in the contract. */
export const TRANSPORT_CURES = {
  MALFORMED_RESPONSE:
    'Update the server and this client to the same version. If it happens again, do not use this server.',
  SERVER_UNREACHABLE: 'Check that the server is running and that its address is right, then try again.',
  RPC_UNAVAILABLE: 'Check the address of your own node, or use another node.',
  NODE_BEHIND:
    'Wait until your node follows the chain again, or use another node, and check this computer’s clock.',
  WRONG_CHAIN: 'Set your RPC address to a node of the pinned chain, then try again.',
  NOT_CONFIRMED: 'Nothing was signed. Confirm it to continue.',
  NOT_MINED: 'Look for the transaction on your own node before you send another.',
  NOT_RUNNABLE: 'Check that the wallet holds enough ETH for gas, then try again.',
  NOT_LIVE: 'Create a live agent instead of a paper one.',
  INTENT_NEEDED: 'Enter the agent’s pairs, its maximum per trade and its maximum per day.',
  RECEIPT_MISSING: 'Look for its effect, or end it, before you sign another one.',
  RECORD_DAMAGED: 'Restore the local record from a backup, or enter the session’s roots.',
  REVOCATION_INCOMPLETE: 'Revoke the session again, with enough ETH for gas and a working node.',
  APPROVALS_LEFT: 'Revoke the approvals again, then check them on your own node.',
  REPORT_METHOD: 'Use the method of the earlier report, or choose a period without that year.',
  REPORT_PERIOD: 'Choose a start before the end.',
  UNKNOWN_TOKEN: 'Use a core symbol exactly as written, or the token’s address.',
} as const

const UNCODED_RESPONSE =
  'The response has no error code, so it may come from a proxy. Check the server’s address.'

/** What to do about an error raised by the client; null for an unknown code. */
export function clientCure(code: string, rule?: ClientVerificationRule): string | null {
  if (rule !== undefined && RULE_CURES[rule] !== undefined) return RULE_CURES[rule]
  const cures: Readonly<Record<string, string>> = { ...CLIENT_CURES, ...TRANSPORT_CURES }
  if (Object.hasOwn(cures, code)) return cures[code]!
  return /^HTTP_\d{3}$/.test(code) ? UNCODED_RESPONSE : null
}
