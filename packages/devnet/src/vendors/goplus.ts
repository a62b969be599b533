import { createHash } from 'node:crypto'
import { type AuditDeps, verdictOf } from './audit.ts'
import type { VendorState } from './modes.ts'
import { json, type Reply } from './reply.ts'

/** A token without defects. */
const CLEAN = {
  is_honeypot: '0',
  cannot_sell_all: '0',
  cannot_buy: '0',
  honeypot_with_same_creator: '0',
  owner_change_balance: '0',
  selfdestruct: '0',
  hidden_owner: '0',
  can_take_back_ownership: '0',
  slippage_modifiable: '0',
  personal_slippage_modifiable: '0',
  transfer_pausable: '0',
  is_blacklisted: '0',
  external_call: '0',
  is_proxy: '0',
  is_mintable: '0',
  is_open_source: '1',
  buy_tax: '0',
  sell_tax: '0',
  holder_count: '1234',
  token_symbol: 'TKN',
}

const BAD: object[] = [
  { is_honeypot: '1' },
  { cannot_sell_all: '1' },
  { sell_tax: '0.25', slippage_modifiable: '1' },
  { owner_change_balance: '1', hidden_owner: '1' },
]
/** Not audited, or not for the relevant fields. */
const UNKNOWN: (object | null)[] = [
  null,
  { is_honeypot: '', buy_tax: '', sell_tax: '', cannot_sell_all: '' },
  { is_open_source: '0', is_honeypot: '' },
]

/** GET /goplus/api/v1/token_security/4663?contract_addresses=: strings "0" and "1", "" for unknown. */
export function readGoplus(
  deps: AuditDeps,
  chain: string,
  query: URLSearchParams,
  { mode }: VendorState,
): Reply {
  const address = query.get('contract_addresses') ?? ''
  if (chain !== '4663') return json(200, { code: 4_012, message: 'chain not supported', result: {} })
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    return json(200, { code: 4_022, message: 'wrong address', result: {} })
  if (mode === 'too_many') return json(200, { code: 4_029, message: 'Request limit reached', result: {} })
  const token = address.toLowerCase()
  const draw = createHash('sha256').update(`${token}:goplus`).digest()
  const forced = mode === 'verified' || mode === 'flagged' || mode === 'unknown' ? mode : undefined
  const verdict = forced ?? verdictOf(token, deps.fixtures)
  const pick = <T>(rows: readonly T[]) => rows[draw.readUInt8(0) % rows.length]
  const flags = { verified: {}, flagged: pick(BAD), unknown: pick(UNKNOWN) }[verdict]
  if (mode === 'missing_fields') return json(200, { code: 2, message: 'partial', result: { [token]: {} } })
  const fields = mode === 'wrong_schema' ? { is_honeypot: 'maybe' } : flags
  return json(200, {
    code: 1,
    message: 'OK',
    result: fields === null ? {} : { [token]: { ...CLEAN, ...fields } },
  })
}
