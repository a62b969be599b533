import type { Ask } from '@pit/server/operator'
import { describe, expect, it } from 'vitest'
import { type AdminDeps, createAdminProgram } from './program.ts'

const TX = `0x${'AB'.repeat(32)}`
const WALLET = `0x${'aB'.repeat(20)}`

/** Runs a command line against a world that only notes what it is asked. */
async function run(line: string[], answer: unknown = { on: true, changed: true, tokens: [], transfers: [] }) {
  const requests: Omit<Ask, never>[] = []
  const frozen: unknown[] = []
  const accepted: unknown[] = []
  const printed: string[] = []
  const deps: AdminDeps = {
    user: 'ada',
    act: async (request) => {
      requests.push(request)
      return answer
    },
    freezeSigner: async (request) => {
      frozen.push(request)
      return { frozen: request.frozen }
    },
    acceptLedger: async (request) => {
      accepted.push(request)
      return { sessions_ended: 3 }
    },
    print: (text) => printed.push(text),
  }
  const program = createAdminProgram(deps)
  const quiet = { writeErr: () => {}, writeOut: () => {} }
  const all = [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]
  for (const command of all) command.exitOverride().configureOutput(quiet)
  const failure = await program.parseAsync(line, { from: 'user' }).then(
    () => null,
    (error: { code?: string }) => error.code ?? String(error),
  )
  return { asked: requests, frozen, accepted, printed, failure }
}

describe('pit-admin', () => {
  it.each<[string[], string, object, string | null]>([
    [['status'], 'status', {}, null],
    [['kill', 'on', '--reason', 'smoke'], 'switch', { name: 'kill', on: true }, 'smoke'],
    [['live', 'off', '--reason', 'drill'], 'switch', { name: 'live', on: false }, 'drill'],
    [['week', 'close'], 'week.close', { early: false, accept: null }, null],
    [['week', 'close', '--early'], 'week.close', { early: true, accept: null }, null],
    [['week', 'close', '--accept', 'seen'], 'week.close', { early: false, accept: 'seen' }, null],
    [
      ['week', 'close', '--transfer', `operations:${TX}`, '--transfer', `treasury:${TX}`],
      'week.close',
      {
        early: false,
        accept: null,
        transfers: ['operations', 'treasury'].map((bucket) => ({ bucket, tx_hash: TX.toLowerCase() })),
      },
      null,
    ],
    [
      ['transfer', 'record', '--bucket', 'buybacks', '--tx', TX],
      'transfer.record',
      { bucket: 'buybacks', tx_hash: TX.toLowerCase() },
      null,
    ],
    [
      [
        'league',
        'review',
        '--season',
        '2',
        '--entry',
        '9',
        '--rule',
        'ACTIVE',
        '--status',
        'fail',
        '--reason',
        'x',
      ],
      'league.review',
      { season: 2, entry_id: 9, rule: 'ACTIVE', status: 'fail' },
      'x',
    ],
    [['league', 'admit', '--entry', '9', '--reason', 'x'], 'league.admit', { entry_id: 9 }, 'x'],
    [
      ['league', 'settle', '--season', '2'],
      'league.settle',
      { season: 2, gain: null, partner_price_e18: null },
      null,
    ],
    [
      ['payout', 'record', '--season', '2', '--place', '1', '--tx', TX],
      'league.payout',
      { season: 2, place: 1, tx_hash: TX.toLowerCase() },
      null,
    ],
    [
      ['payout', 'withdrawal', '--season', '2', '--amount', '5'],
      'league.withdrawal',
      { season: 2, tx_hash: null, amount: '5' },
      null,
    ],
    [['payout', 'list'], 'league.payouts', {}, null],
    [
      ['payout', 'recipient', '--season', '2', '--place', '1', '--reason', 'x'],
      'league.recipient',
      { season: 2, place: 1 },
      'x',
    ],
    [
      ['account', 'division', '--wallet', WALLET, '--division', 'stocks', '--reason', 'x'],
      'account.division',
      { wallet: WALLET.toLowerCase(), division: 'stocks' },
      'x',
    ],
    [['audit', 'list', '--limit', '3', '--before', '8'], 'audit.list', { limit: 3, before: 8 }, null],
  ])('%j asks %s', async (line, name, input, reason) => {
    const { asked, failure, printed } = await run(line, ANSWERS[name])
    expect(failure).toBeNull()
    expect(asked).toEqual([{ name, operator: 'ada', reason, input }])
    expect(printed.length).toBeGreaterThan(0)
  })

  it('says who asks, and prints JSON where asked to', async () => {
    const { asked, printed } = await run(['--operator', 'bob', '--json', 'status'], { a: 5n })
    expect(asked[0]?.operator).toBe('bob')
    expect(JSON.parse(printed.join('\n'))).toEqual({ a: '5' })
  })

  it('opens a restored ledger only if the loss is stated', async () => {
    const { accepted, printed } = await run(['signer', 'restored', '--lost', 'unknown', '--reason', 'disk'])
    expect(accepted).toEqual([{ lost: 'unknown', operator: 'ada', reason: 'disk' }])
    expect(printed).toEqual(['Signer resumed; 3 sessions ended.'])
    const line = ['signer', 'restored', '--reason', 'disk']
    expect((await run(line)).failure).toBe('commander.missingMandatoryOptionValue')
    expect((await run([...line, '--lost', 'some'])).failure).toBe('commander.invalidArgument')
  })

  it('freezes and thaws the signer, with a reason only', async () => {
    const { frozen, printed } = await run(['signer', 'freeze', '--reason', 'leak'])
    expect([frozen, printed]).toEqual([
      [{ frozen: true, operator: 'ada', reason: 'leak' }],
      ['Signer frozen.'],
    ])
    expect((await run(['signer', 'thaw', '--reason', 'over'])).printed).toEqual(['Signer resumed.'])
    expect((await run(['signer', 'thaw'])).failure).toBe('commander.missingMandatoryOptionValue')
  })

  it.each([
    [['kill', 'on']],
    [['kill', 'maybe', '--reason', 'x']],
    [['transfer', 'record', '--bucket', 'mine', '--tx', TX]],
    [['transfer', 'record', '--bucket', 'treasury', '--tx', '0x12']],
    [['league', 'settle', '--season', '-1']],
    [['league', 'settle', '--season', '1.5']],
    [['payout', 'recipient', '--season', '1', '--place', '1']],
    [['account', 'division', '--wallet', '0x12', '--division', 'crypto', '--reason', 'x']],
    [['account', 'division', '--wallet', WALLET, '--division', 'bonds', '--reason', 'x']],
    [['fire']],
  ])('asks nothing for %j', async (line) => {
    const { asked, failure } = await run(line)
    expect(failure).not.toBeNull()
    expect(asked).toEqual([])
  })

  it('says which prizes are owed, and what holds them back', async () => {
    const prize = { season: 2, place: 1, agent_id: '7', recipient: '0xa', amount: '5', tx_hash: null }
    const { printed } = await run(
      ['payout', 'list'],
      [
        { ...prize, problem: null },
        { ...prize, problem: 'listed' },
        { ...prize, tx_hash: TX, problem: null },
      ],
    )
    expect(printed.map((line) => line.split(': ')[1])).toEqual([
      'to be sent',
      'listed',
      `sent in ${TX}, not yet confirmed on chain`,
    ])
    expect((await run(['payout', 'list'], [])).printed).toEqual(['No unpaid prizes.'])
  })

  it('says what a week waits for and how to go on', async () => {
    const waits = { kind: 'waits', label: '2026-W31', why: '2 fees did not arrive', differences: 2 }
    expect((await run(['week', 'close'], waits)).printed.join('\n')).toContain('--accept')
    expect((await run(['week', 'close'], { kind: 'nothing due' })).printed[0]).toContain('--early')
  })
})

const CLOSED = {
  kind: 'closed',
  row: {
    seq: 1,
    hash: 'ab',
    week: { label: '2026-W31' },
    tokens: [{ symbol: 'ETH', pool: '5', status: 'dust', value_usd: 0 }],
    transfers: [{ bucket: 'treasury', symbol: 'ETH', amount: '3' }],
  },
}
const STATUS = {
  profile: 'devnet',
  kind: 'devnet',
  store: 'pglite',
  switches: {
    kill: { on: true, reason: 'x', changed_at: 5 },
    live: { on: true, reason: null, changed_at: null },
  },
  signer: { status: 'unreachable', why: 'refused' },
  treasury: {
    integrity: { ok: true, rows: 1, head: 'ab', broken_at: null, why: null },
    recorded: '2026-W31',
    waiting: [{ label: '2026-W32', differences: 2 }],
    block: 7,
    owed: [{ symbol: 'ETH', carried: '1', operations: '2', buybacks: '3', treasury: '4' }],
  },
  jobs: [
    { name: 'follow pools', status: 'ok', why: null },
    { name: 'league', status: 'failing', why: 'the store is away' },
  ],
}
const ANSWERS: Record<string, unknown> = {
  'audit.list': [],
  'league.payouts': [],
  'league.recipient': { from: '0xa', to: '0xb' },
  'account.division': {
    wallet: WALLET,
    division: 'stocks',
    before: 'crypto',
    entered: true,
    takes: 'crypto',
  },
  status: STATUS,
  'week.close': CLOSED,
}
