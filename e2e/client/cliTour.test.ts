import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '@pit/chain'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../package.json'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { balanceOf } from '../trading/trader.ts'
import { doctorOnBroken } from './doctorOnBroken.ts'
import { openProxy } from './proxy.ts'
import { hasTerminals, openPit, type Pit, type Ran } from './runPit.ts'

// The built `pit` as a real process: everything that people and programs do with it.

const DOMAIN = 'pit.test'
const ETH = 10n ** 18n
const OWNER_KEY = keccak256(stringToHex('cli tour owner'))
const EXECUTOR_KEY = keccak256(stringToHex('cli tour executor'))
const owner = privateKeyToAccount(OWNER_KEY).address.toLowerCase() as Hex
const executor = privateKeyToAccount(EXECUTOR_KEY).address.toLowerCase() as Hex
const AS_OWNER = { PIT_PRIVATE_KEY: OWNER_KEY }
const AS_EXECUTOR = { PIT_EXECUTOR_KEY: EXECUTOR_KEY }

const THIEF = '0x00000000000000000000000000000000000bad01'

let world: SessionWorld
let pit: Pit

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: DOMAIN, FAST_ENABLED: '1' } })
  const config = (await (await fetch(`${world.server.url}/api/v1/config`)).json()) as {
    session: { cosigner: string }
  }
  pit = openPit(world, DOMAIN, config.session.cosigner)
  await world.fund(owner, { wei: ETH, usdg: 500_000_000n })
  await world.fund(executor, { wei: ETH / 100n })
})
afterAll(async () => {
  pit?.close()
  await world?.close()
})

const asOwner = (...args: string[]) => pit(args, { env: AS_OWNER })
const asJson = async (...args: string[]) => {
  const ran = await asOwner(...args, '--json')
  expect(ran.code, ran.stdout + ran.stderr).toBe(0)
  return ran.json()
}
const usdgOf = (wallet: Hex) => balanceOf(world.devnet, world.core('USDG'), wallet)
const ended = (ran: Ran) => [ran.code, ran.json().error.code]

describe.skipIf(!hasTerminals)('in a terminal (skipped where the system has no `script`)', () => {
  const PASSWORD: [RegExp, string] = [/Password for tour: /, 'correct horse']
  const TRADE = ['trade', 'ETH', 'USDG', '--usd', '5', '--account', 'tour']
  let wallet: Hex

  it('creates a key with a typed password that is never shown', async () => {
    const made = await pit.typed(
      ['key', 'new', 'tour'],
      [
        [/New password: /, 'correct horse'],
        [/Repeat password: /, 'correct horse'],
      ],
    )
    expect(made.code, made.stdout).toBe(0)
    expect(made.stdout).not.toContain('correct horse')
    wallet = /0x[0-9a-fA-F]{40}/.exec(made.stdout)![0].toLowerCase() as Hex
    const file = join(pit.folder, 'keystores', 'tour')
    expect(statSync(file).mode & 0o077, 'open to others').toBe(0)
    await world.fund(wallet, { wei: ETH })
  })

  it('a trade is shown and asked about: no signs nothing, yes trades', async () => {
    const declined = await pit.typed(TRADE, [PASSWORD, [/Sign and send this trade\? \[y\/N\] /, 'n']])
    expect(declined.stdout).toContain('live on a devnet: tour')
    expect(declined.stdout).toMatch(/minimum received +[\d.]+ USDG/)
    expect(declined.stdout).toContain('Nothing was signed')
    expect(await usdgOf(wallet)).toBe(0n)
    const traded = await pit.typed(TRADE, [PASSWORD, [/Sign and send this trade\? \[y\/N\] /, 'y']])
    expect([declined.code, traded.code], traded.stdout).toEqual([0, 0])
    expect(traded.stdout).toMatch(/received +4\.\d+ USDG/)
    expect(await usdgOf(wallet)).toBeGreaterThan(4_900_000n)
  })

  it('ends with a usage error on a wrong password', async () => {
    const wrong = await pit.typed([...TRADE, '--yes'], [[PASSWORD[0], 'wrong horse']])
    expect(wrong.code).toBe(2)
    expect(wrong.stdout).toContain('Wrong password for "tour".')
  })
})

describe('for programs', () => {
  it('signs in, and stores the key readable by its user only', async () => {
    expect(await asJson('login')).toMatchObject({ wallet: owner, expires_at: expect.any(Number) })
    expect(statSync(join(pit.folder, 'keys.json')).mode & 0o077).toBe(0)
  })

  it('reads', async () => {
    const [quote, config, token, portfolio] = await Promise.all([
      asJson('quote', 'ETH', 'USDG', '--usd', '20'),
      pit(['config', '--json']),
      asJson('token', 'USDG'),
      asJson('portfolio'),
    ])
    expect(quote.routes.length).toBeGreaterThan(1)
    expect(config.json().chain_id).toBe(4663)
    expect(token.symbol).toBe('USDG')
    expect(portfolio).toMatchObject({ wallet: owner, total_usd: expect.any(Number) })
  })

  it('does a dry run, a trade and a fast trade, and lists both trades', async () => {
    const before = await usdgOf(owner)
    const dry = await asJson('trade', 'ETH', 'USDG', '--usd', '10')
    expect(dry).toMatchObject({ dry_run: true, checks: expect.any(Array) })
    expect(await usdgOf(owner), 'a dry run').toBe(before)
    const traded = await asJson('trade', 'ETH', 'USDG', '--usd', '10', '--yes')
    expect(await usdgOf(owner)).toBe(before + BigInt(traded.amount_out))
    const fast = await asJson('fast', 'ETH', 'USDG', '--usd', '10', '--yes', '--no-fallback')
    expect(fast).toMatchObject({ by: 'fast', block: expect.any(Number) })
    const hashes = (await asJson('trades')).map((row: { tx_hash: string }) => row.tx_hash)
    expect(hashes).toEqual([fast.tx_hash, traded.tx_hash])
    // In whole tokens: atoms next to a symbol would look like a fortune.
    expect((await asOwner('trades')).stdout).toMatch(/ 0\.\d+ ETH +9\.\d+ USDG /)
  })

  it('sells a token, and revokes the approval', async () => {
    await asJson('trade', 'USDG', 'ETH', '--usd', '5', '--yes')
    expect((await asJson('revoke', '--yes')).transactions.length).toBeGreaterThan(0)
    expect(await asJson('revoke')).toEqual({ nothing_to_revoke: true, revoked: [], transactions: [] })
  })
})

describe('a session', () => {
  const TERMS = ['--max-trade-usd', '20', '--max-day-usd', '40', '--for', '1h']
  let sessionId: string
  const sessions = async () => (await asJson('session', 'list')) as { session_id: string; status: string }[]
  const statusOf = async (id: string) =>
    (await sessions()).find(({ session_id }) => session_id === id)?.status

  it('needs a confirmation, and a second one for EIP-7702 delegation', async () => {
    const grant = (...more: string[]) => asOwner('session', 'grant', executor, ...TERMS, '--json', ...more)
    expect(ended(await grant())).toEqual([4, 'INPUT_NEEDED'])
    expect(ended(await grant('--yes'))).toEqual([4, 'CONSENT_REQUIRED'])
    const granted = await grant('--yes', '--allow-7702')
    expect(granted.code, granted.stderr).toBe(0)
    expect(granted.json()).toMatchObject({ status: 'active', executor, wallet: owner })
    sessionId = granted.json().session_id
  })

  it.each<[string, (data: string) => string]>([
    ['for another spender', (data) => data.replace(/(?<=^0x095ea7b30{24}).{40}/, THIEF.slice(2))],
    ['above its budget', (data) => data.replace(/.{16}$/, 'f'.repeat(16))],
  ])('sends no approval %s', async (_, change) => {
    const lying = await openProxy(world.server.url, {
      change({ path }, answer) {
        if (path !== 'live/session/grant') return
        for (const { tx } of answer.body.setup ?? []) tx.data = change(tx.data)
        return answer
      },
    })
    const sent = await world.devnet.rpc<Hex>('eth_getTransactionCount', [owner, 'pending'])
    const terms = ['--max-trade-usd', '50', '--max-day-usd', '90', '--allow-7702', '--yes', '--json']
    const refused = await asOwner('session', 'grant', executor, ...terms, '--url', lying.url)
    await lying.close()
    expect(ended(refused), refused.stderr).toEqual([1, 'VERIFICATION_FAILED'])
    expect(refused.json().error.message).toContain('GRANT_CAPS')
    expect(await world.devnet.rpc<Hex>('eth_getTransactionCount', [owner, 'pending'])).toBe(sent)
  })

  it('is traded in both directions with the executor’s key alone', async () => {
    const trade = (...args: string[]) =>
      pit(['session', 'trade', ...args, '--yes', '--json'], {
        env: { ...AS_EXECUTOR, PIT_SESSION_ID: sessionId },
      })
    const before = await usdgOf(owner)
    const sold = await trade('ETH', 'USDG', '--usd', '10')
    expect(sold.code, sold.stderr).toBe(0)
    expect(await usdgOf(owner)).toBe(before + BigInt(sold.json().amount_out))
    const bought = await trade('USDG', 'ETH', '--usd', '10')
    expect(bought.json(), bought.stderr).toMatchObject({ wallet: owner, trades_left: 48 })
    expect(ended(await trade('ETH', 'USDG', '--usd', '30'))).toEqual([1, 'SESSION_MAX_TRADE'])
  })

  it('is listed, and ends when revoked', async () => {
    expect(await statusOf(sessionId)).toBe('active')
    const revoked = await asJson('session', 'revoke', sessionId, '--yes')
    expect(revoked).toMatchObject({ status: 'revoked', signer_revoked: true })
    expect(revoked.transactions.length).toBe(1)
    const trade = ['session', 'trade', 'ETH', 'USDG', '--usd', '5', '--session', sessionId, '--yes', '--json']
    expect(ended(await pit(trade, { env: AS_EXECUTOR }))).toEqual([1, 'SESSION_REVOKED'])
  })

  const RUN = ['session', 'run', '--max-usd', '30', '--yes', '--json', '--']

  it('lasts as long as a command, which never sees the owner’s key', async () => {
    const script = [
      'env | sed "s/^/ENV /"',
      `"${process.execPath}" dist/pit.js session trade ETH USDG --usd 5 --yes --json | sed "s/^/TRADED /"`,
      'exit 7',
    ].join('; ')
    const env = { ...AS_OWNER, COPY_OF_KEY: `key=${OWNER_KEY.slice(2).toUpperCase()}`, KEPT: 'yes' }
    const ran = await pit([...RUN, 'sh', '-c', script], { env })
    expect(ran.code, ran.stdout + ran.stderr).toBe(7)
    expect(ran.stdout.toLowerCase()).not.toContain(OWNER_KEY.slice(2))
    expect(ran.stdout).toContain('ENV KEPT=yes')
    expect(ran.stdout).toMatch(/TRADED .*"tx_hash":"0x/)
    const { session_id, executor: fresh, exit_code } = ran.json()
    expect(exit_code).toBe(7)
    expect(await statusOf(session_id)).toBe('revoked')
    const key = /PIT_EXECUTOR_KEY=(0x[0-9a-f]{64})/.exec(ran.stdout)![1] as Hex
    expect(privateKeyToAccount(key).address.toLowerCase()).toBe(fresh)
    const left = BigInt(await world.devnet.rpc<Hex>('eth_getBalance', [fresh, 'latest']))
    expect(left, 'what is left of its gas').toBeLessThan(10n ** 14n)
  })

  it('ends on Ctrl-C', async () => {
    const child =
      'process.on("SIGINT", () => process.exit(130)); setInterval(() => {}, 1e6); console.log("READY")'
    let isSent = false
    const ran = await pit([...RUN, process.execPath, '-e', child], {
      env: AS_OWNER,
      onOutput(output, signal) {
        if (isSent || !output.includes('READY')) return
        isSent = true
        signal('SIGINT')
      },
    })
    expect(ran.code, ran.stderr).toBe(130)
    expect(await statusOf(ran.json().session_id)).toBe('revoked')
  })

  it('ends when the command does not exist', async () => {
    const ran = await asOwner(...RUN, '/no/such/program')
    expect(ran.code).toBe(127)
    expect(await statusOf(ran.json().session_id)).toBe('revoked')
  })
})

describe('an agent', () => {
  it('on paper is created, followed, paused, resumed and stopped', async () => {
    const { id } = await asJson('agent', 'create', 'dca', '--params', '{"usd":5}', '--every', '60s')
    const followed = await pit(['agent', 'logs', id, '--follow'], {
      env: AS_OWNER,
      onOutput: (output, signal) => {
        if (output.includes('Bought on paper')) signal('SIGTERM')
      },
    })
    expect(followed.stderr).toContain('paper: tour')
    expect(followed.stdout.split('\n')[0]).toContain('CREATED')
    expect(await asJson('agent', 'pause', id)).toMatchObject({ status: 'paused' })
    expect(await asJson('agent', 'resume', id)).toMatchObject({ status: 'active' })
    expect(ended(await asOwner('agent', 'stop', id, '--json'))).toEqual([4, 'INPUT_NEEDED'])
    expect(await asJson('agent', 'stop', id, '--yes')).toMatchObject({ status: 'stopped' })
    expect(await asJson('agent', 'list')).toMatchObject([{ id, status: 'stopped' }])
  })

  it('goes live in one command and refunds its gas when it stops', async () => {
    const { id, executor: hosted } = await asJson('agent', 'create', 'dca', '--live', '--every', '1h')
    const live = await asJson('agent', 'live', id, '--yes', '--for', '2h')
    expect(live).toMatchObject({ live: true, status: 'active', executor: hosted })
    expect((await asOwner('agent', 'stop', id, '--yes')).stdout).toContain('gas refund')
    expect(await asJson('agent', 'show', id)).toMatchObject({ status: 'stopped', mode: 'live' })
  })

  it('is created once when the answer is lost and the command is repeated (exit 5)', async () => {
    let isLost = false
    const proxy = await openProxy(world.server.url, {
      change({ path }) {
        if (path !== 'hosted' || isLost) return
        isLost = true
        return 'close'
      },
    })
    const create = ['agent', 'create', 'dca', '--name', 'lost', '--client-id', 'tour-lost', '--json']
    const lost = await asOwner('--url', proxy.url, ...create)
    await proxy.close()
    expect(ended(lost)).toEqual([5, 'SERVER_UNREACHABLE'])
    expect(lost.json().error.fix).toContain('--client-id tour-lost')
    await asJson(...create)
    const all = (await asJson('agent', 'list')) as { name: string | null }[]
    expect(all.filter(({ name }) => name === 'lost')).toHaveLength(1)
  })
})

describe('the league', () => {
  it('shows its season and its boards, without an account', async () => {
    const [status, standings] = await Promise.all([
      pit(['league', 'status', '--json']),
      pit(['league', 'standings', '--board', 'practice']),
    ])
    expect(status.json()).toMatchObject({ rules: { split_pct: [50, 30, 20] } })
    expect(standings.stderr).toContain('paper: tour')
  })
  it('refuses an entry for another owner’s agent', async () => {
    expect(ended(await asOwner('league', 'enter', '999999', '--yes', '--json'))).toEqual([1, 'NOT_AN_AGENT'])
  })
})

describe('self checks', () => {
  it('doctor: everything is fine, or what to do', async () => {
    const well = await asJson('doctor')
    expect(well.checks.filter(({ verdict }: { verdict: string }) => verdict !== 'ok')).toEqual([])
    const sick = await pit(['doctor', '--json', '--rpc-url', world.server.url, '--url', 'http://127.0.0.1:9'])
    expect(sick.code).toBe(1)
    const failed = sick.json().checks.filter(({ verdict }: { verdict: string }) => verdict === 'fail')
    const names = failed.map(({ check }: { check: string }) => check)
    expect(names).toEqual(expect.arrayContaining(['account', 'server', 'pins', 'your node']))
    for (const { remedy } of failed) expect(remedy).toMatch(/\w/)
  })

  doctorOnBroken(() => ({ world, pit }))

  it('prove: every hostile request is refused, and a server that accepts them is reported', async () => {
    const proven = await pit(['prove', '--json'])
    expect(proven.json(), proven.stderr).toMatchObject({ ok: true, accepted: 0, unclear: 0 })
    expect(proven.json().refused).toBeGreaterThan(40)
    const codes = new Map(
      (proven.json().intents as { area: string; intent: string; code: string }[])
        .filter(({ area }) => area === 'order')
        .map(({ intent, code }) => [intent, code]),
    )
    expect(Object.fromEntries(codes)).toMatchObject({
      'trade without a signed order': 'SIGNATURE_REQUIRED',
      'more than the signed amount': 'ORDER_AMOUNT',
      'trade of a cancelled order': 'ORDER_ENDED',
      'trade of a stop that is not met': 'ORDER_TRIGGER',
    })
    expect(proven.code).toBe(0)
    const accepted = { tx_hash: `0x${'1'.repeat(64)}`, as_built: true, timings: {} }
    const careless = await openProxy(world.server.url, {
      intercept: ({ path }) => (path === 'live/submit' ? { status: 200, body: accepted } : undefined),
    })
    const disproved = await pit(['prove', '--json', '--url', careless.url])
    await careless.close()
    expect(disproved.json()).toMatchObject({ ok: false, accepted: 12 })
    expect(disproved.code).toBe(1)
  })

  it('map: every command, with its arguments and options', async () => {
    const { commands, options } = (await pit(['--map=json'])).json() as Mapped & { options: object[] }
    const paths = (of: Mapped, path = ''): string[] =>
      of.commands.flatMap((one) => [`${path}${one.name}`, ...paths(one, `${path}${one.name} `)])
    const all = paths({ name: 'pit', commands })
    expect(all).toEqual(
      expect.arrayContaining(['trade', 'session run', 'agent logs', 'league verify', 'key import', 'prove']),
    )
    expect(options).toContainEqual(expect.objectContaining({ name: '--json', value: false }))
    expect(await pit(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('completion: bash completes commands and options', async () => {
    const { stdout } = await pit(['completion', 'bash'])
    const complete = (...words: string[]) => {
      const line = `COMP_WORDS=(pit ${words.join(' ')} ''); COMP_CWORD=${words.length + 1}; _pit`
      const ran = spawnSync('bash', ['-c', `${stdout}\n${line}; printf '%s\\n' "\${COMPREPLY[@]}"`])
      return ran.stdout.toString().trim().split('\n')
    }
    expect(complete()).toEqual(expect.arrayContaining(['trade', 'session', '--json']))
    expect(complete('--json', 'session')).toEqual(expect.arrayContaining(['grant', 'run', '--profile']))
    expect(complete('session', 'run')).toEqual(expect.arrayContaining(['--max-usd', '--allow-7702']))
    expect(complete('completion')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  })
})

interface Mapped {
  name: string
  commands: Mapped[]
}

describe('a refusal has an exit code and an error code', () => {
  it.each<[number, string, string[]]>([
    [1, 'NOT_FOUND', ['agent', 'show', 'agt_none']],
    [2, 'USAGE', ['trade', 'ETH', 'USDG', '--usd', 'much']],
    [2, 'USAGE', ['trade', 'ETH', 'USDG']],
    [2, 'USAGE', ['quote', '--no-such-option']],
    [3, 'SERVER_UNREACHABLE', ['config', '--url', 'http://127.0.0.1:9']],
    [4, 'INPUT_NEEDED', ['fast', 'ETH', 'USDG', '--usd', '5']],
    [4, 'INPUT_NEEDED', ['session', 'trade', 'ETH', 'USDG', '--usd', '5', '--session', 'x', '--yes']],
  ])('exit %d, %s', async (code, error, args) => {
    const ran = await asOwner(...args, '--json')
    expect(ended(ran), ran.stderr).toEqual([code, error])
    expect(ran.json().error).toMatchObject({
      message: expect.any(String),
      docs: expect.stringMatching(/^docs\//),
    })
    expect(ran.stderr, 'a secret').not.toContain(OWNER_KEY.slice(2))
  })

  it('leaves no file readable by other users', () => {
    for (const name of readdirSync(pit.folder).filter(
      (one) => one !== 'chain.json' && one !== 'profiles.json',
    ))
      expect(statSync(join(pit.folder, name)).mode & 0o077, name).toBe(0)
  })
})
