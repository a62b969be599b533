import { grouped } from '@pit/protocol'
import type { ListedAction } from '@pit/server/operator'

/** Writes one line. */
export type Print = (line: string) => void

export const printJson = (print: Print, answer: unknown): void =>
  print(JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? value.toString() : value), 2))

const when = (atS: number): string => new Date(atS * 1000).toISOString().replace('.000Z', 'Z')

interface Status {
  profile: string
  kind: string
  store: string
  switches: Record<string, { on: boolean; reason: string | null; changed_at: number | null }>
  signer: { status: string; frozen?: boolean; cosigner?: string; why?: string } | null
  treasury: {
    integrity: {
      ok: boolean
      rows: number
      head: string | null
      broken_at: number | null
      why: string | null
    }
    recorded: string | null
    waiting: { label: string; differences: number | null }[]
    block: number | null
    owed: { symbol: string; carried: string; operations: string; buybacks: string; treasury: string }[]
  }
  /** Null without a running server. */
  jobs: { name: string; status: 'ok' | 'late' | 'failing'; why: string | null }[] | null
}

export function printStatus(
  print: Print,
  { profile, kind, store, switches, signer, treasury, jobs }: Status,
): void {
  print(`${profile} (${kind}), store ${store}`)
  for (const [name, { on, reason, changed_at }] of Object.entries(switches)) {
    const since = changed_at === null ? '' : `, since ${when(changed_at)}: ${reason ?? ''}`
    print(`${name.padEnd(9)} ${on ? 'on' : 'off'}${since}`)
  }
  if (signer === null) print('signer    none')
  else
    print(
      `signer    ${signer.status}${signer.frozen ? ', frozen' : ''}${signer.why ? `: ${signer.why}` : ''}`,
    )
  const { integrity, recorded, waiting, block } = treasury
  print(
    integrity.ok
      ? `treasury  ${integrity.rows} rows, newest week ${recorded ?? 'none'}, chain read to block ` +
          `${block ?? 'none'}`
      : `treasury  BROKEN at row ${integrity.broken_at}: ${integrity.why}`,
  )
  if (integrity.head !== null) print(`          head ${integrity.head}`)
  for (const { label, differences } of waiting) {
    const why = differences ? `, ${differences} differences: pit-admin week close --accept "<reason>"` : ''
    print(`          week ${label} has ended but is not recorded${why}`)
  }
  for (const { symbol, carried, operations, buybacks, treasury: kept } of treasury.owed) {
    print(`          ${symbol || '?'}: owed ${operations} / ${buybacks} / ${kept}, carried ${carried}`)
  }
  if (jobs === null) return
  const troubled = jobs.filter(({ status }) => status !== 'ok')
  print(`jobs      ${jobs.length - troubled.length} of ${jobs.length} ok`)
  for (const { name, status, why } of troubled) print(`          ${name}: ${status}${why ? `: ${why}` : ''}`)
}

type Closing =
  | {
      kind: 'closed'
      row: {
        seq: number
        hash: string
        week: { label: string }
        tokens: { symbol: string; pool: string; status: string; value_usd: number | null }[]
        transfers: TransferRow['transfers']
      }
    }
  | { kind: 'nothing due' }
  | { kind: 'waits'; label: string; why: string; differences: number }

export function printClosing(print: Print, closing: Closing): void {
  if (closing.kind === 'nothing due') {
    print('No ended week is left to record. On a devnet, --early ends the running week.')
    return
  }
  if (closing.kind === 'waits') {
    print(`Week ${closing.label} not recorded: ${closing.why}`)
    if (closing.differences > 0)
      print('Check the differences, then run: pit-admin week close --accept "<reason>"')
    return
  }
  const { seq, hash, week, tokens, transfers } = closing.row
  print(`Week ${week.label} recorded as row ${seq}.`)
  print(`hash ${hash}`)
  for (const { symbol, pool, status, value_usd } of tokens) {
    print(`  ${symbol || '?'}  ${pool}  ${status}${value_usd === null ? '' : `  $${grouped(value_usd)}`}`)
  }
  printSent(print, transfers)
}

interface TransferRow {
  seq: number
  hash: string
  transfers: { bucket: string; symbol: string; amount: string }[]
}

const printSent = (print: Print, transfers: TransferRow['transfers']): void => {
  for (const { bucket, symbol, amount } of transfers) print(`${amount} ${symbol} sent to ${bucket}`)
}

export function printTransfer(print: Print, { seq, hash, transfers }: TransferRow): void {
  printSent(print, transfers)
  print(`Recorded as row ${seq}, hash ${hash}.`)
}

interface OpenPayout {
  season: number
  place: number
  agent_id: string
  recipient: string
  amount: string
  tx_hash: string | null
  problem: string | null
}

export function printPayouts(print: Print, payouts: readonly OpenPayout[]): void {
  if (payouts.length === 0) print('No unpaid prizes.')
  for (const { season, place, agent_id, recipient, amount, tx_hash, problem } of payouts) {
    const state =
      problem ?? (tx_hash === null ? 'to be sent' : `sent in ${tx_hash}, not yet confirmed on chain`)
    print(`Season ${season}, place ${place}  agent ${agent_id}  ${amount} atoms to ${recipient}: ${state}`)
  }
}

interface SetDivision {
  wallet: string
  division: string
  before: string
  entered: boolean
  takes: string
}

export function printDivision(print: Print, { wallet, division, before, entered, takes }: SetDivision): void {
  print(`${wallet}: division ${division}${before === division ? ' (unchanged)' : `, was ${before}`}`)
  if (division === takes) return
  print(`The practice board accepts ${takes}${entered ? '; the account stays on it until it leaves' : ''}.`)
}

export function printActions(print: Print, actions: readonly ListedAction[]): void {
  if (actions.length === 0) print('No operator actions recorded yet.')
  for (const { id, at_s, operator, action, details, reason } of actions) {
    print(
      `${id}  ${when(at_s)}  ${operator}  ${action}  ` +
        `${JSON.stringify(details)}${reason ? `  ${reason}` : ''}`,
    )
  }
}
