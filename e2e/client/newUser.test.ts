import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Hex } from '@pit/chain'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServerDirectory } from '../../packages/platform/test/serverStore.ts'
import { cosignerOf, openSessionWorld, type SessionWorld } from '../session/world.ts'
import { balanceOf } from '../trading/trader.ts'
import { openPit, type Pit } from './runPit.ts'

// The first day of a new user: no money, no gas, a running server, a closed pipe.

const DOMAIN = 'pit.test'
const OWNER_KEY = keccak256(stringToHex('new user'))
const EXECUTOR_KEY = keccak256(stringToHex('new user executor'))
const owner = privateKeyToAccount(OWNER_KEY).address.toLowerCase() as Hex
const executor = privateKeyToAccount(EXECUTOR_KEY).address.toLowerCase() as Hex
const AS_OWNER = { PIT_PRIVATE_KEY: OWNER_KEY }

let world: SessionWorld
let dataDir: string
let pit: Pit

beforeAll(async () => {
  dataDir = await newServerDirectory()
  world = await openSessionWorld({ server: { DATA_DIR: dataDir, AUTH_DOMAIN: DOMAIN } })
  pit = openPit(world, DOMAIN, await cosignerOf(world.server.url))
})
afterAll(async () => {
  pit?.close()
  await world?.close()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

const asOwner = (...args: string[]) => pit(args, { env: AS_OWNER })

describe('money', () => {
  it('that is missing is named in whole tokens, with what to do', async () => {
    const ran = await asOwner('trade', 'ETH', 'USDG', '--usd', '10')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/^INSUFFICIENT_FUNDS: /m)
    expect(ran.stderr).toMatch(/^Fix: Send .* (to|wallet)/m)
    expect(ran.stderr).not.toContain('Retrying does not help')
  })

  it('comes from pit devnet fund, to an address or to the user’s account', async () => {
    const ran = await asOwner('devnet', 'fund', '--eth', '2', '--usdg', '250', '--json')
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.json()).toMatchObject({ wallet: owner, eth: '2', usdg: '250' })
    const wei = BigInt(await world.devnet.rpc<Hex>('eth_getBalance', [owner, 'latest']))
    expect([wei, await balanceOf(world.devnet, world.core('USDG'), owner)]).toEqual([
      2n * 10n ** 18n,
      250_000_000n,
    ])
    const other = `0x${'e1'.repeat(20)}`
    expect((await pit(['devnet', 'fund', other, '--json'])).json()).toMatchObject({ wallet: other, eth: '1' })
  })

  it('is not available on another chain, whatever the profile or the node says', async () => {
    const real = join(pit.folder, 'real.json')
    writeFileSync(real, JSON.stringify({ ...world.profile, kind: 'mainnet' }))
    const profiles = join(pit.folder, 'others')
    const home = { ...AS_OWNER, PIT_HOME: profiles }
    mkdirSync(profiles)
    const tour = { url: world.server.url, chain: real, rpc_url: world.devnet.url, domain: DOMAIN }
    writeFileSync(join(profiles, 'profiles.json'), JSON.stringify({ tour }))
    const refused = await pit(['devnet', 'fund', '--json'], { env: home })
    expect([refused.code, refused.json().error.message]).toEqual([2, expect.stringContaining('devnet only')])
    const foreign = await asOwner('devnet', 'fund', '--json', '--rpc-url', `${world.server.url}/rpc`)
    expect([foreign.code, foreign.json().error.message]).toEqual([2, expect.stringContaining('devnet only')])
  })

  it('that an executor lacks for gas is reported with its address and the amount', async () => {
    const grant = [
      'session',
      'grant',
      executor,
      '--max-trade-usd',
      '20',
      '--max-day-usd',
      '40',
      '--for',
      '1h',
    ]
    const granted = await asOwner(...grant, '--yes', '--allow-7702', '--json')
    expect(granted.code, granted.stderr).toBe(0)
    const trade = ['session', 'trade', 'ETH', 'USDG', '--usd', '5', '--yes']
    const env = { PIT_EXECUTOR_KEY: EXECUTOR_KEY, PIT_SESSION_ID: granted.json().session_id }
    const ran = await pit(trade, { env })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(new RegExp(`executor holds 0 ETH .* send 0\\.\\d+ ETH to ${executor}`))
  })
})

describe('a trade', () => {
  it('links to a dashboard page that opens', async () => {
    const ran = await asOwner('trade', 'ETH', 'USDG', '--usd', '5', '--yes')
    expect(ran.code, ran.stderr).toBe(0)
    const url = /https?:\/\/\S+\/tx\/0x[0-9a-f]{64}/.exec(ran.stdout)![0]
    expect(url.startsWith(`${world.server.url}/tx/`)).toBe(true)
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  })
})

describe('an agent', () => {
  it('is shown with its interval, params, book and profit', async () => {
    const params = '{"usd":5,"side":"buy"}'
    const { id } = (
      await asOwner('agent', 'create', 'dca', '--params', params, '--every', '60s', '--json')
    ).json()
    const { stdout } = await asOwner('agent', 'show', id)
    for (const line of [
      /^params +usd=5 side=buy/m,
      /^interval +every 60 s$/m,
      /^profit +/m,
      /^book +/m,
      /^blocked by +/m,
    ])
      expect(stdout).toMatch(line)
  })
})

describe('while the server runs', () => {
  it('pit backtest reads its prices over HTTP', async () => {
    // The store has one price per minute, from the first one on.
    const marks = `${world.server.url}/marks/ETH.json`
    await expect
      .poll(async () => ((await (await fetch(marks)).json()) as unknown[]).length, {
        timeout: 150_000,
        interval: 5_000,
      })
      .toBeGreaterThan(0)
    const env = { DATA_DIR: dataDir, PROFILE: world.devnet.profileFile }
    const ran = await pit(['backtest', 'dca', '--json'], { env })
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stderr).toContain(`Prices from the server at ${world.server.url}`)
    expect(JSON.parse(ran.stdout)).toMatchObject({ brain: 'dca', ticks: expect.any(Number) })
    const file = join(pit.folder, 'ETH.json')
    writeFileSync(file, await (await fetch(marks)).text())
    expect((await pit(['backtest', 'dca', '--marks', file])).code).toBe(0)
  })

  it('prints a message of several lines as several lines', async () => {
    const env = { DATA_DIR: dataDir, PROFILE: world.devnet.profileFile, PIT_URL: 'http://127.0.0.1:9' }
    const ran = await pit(['backtest', 'dca'], { env })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/REFUSED: A running Pit .*\n +Do one of these:\n +- stop it/)
    expect(ran.stderr).not.toContain('�')
  })
})

it('ends quietly when its output pipe closes early', async () => {
  const stderr = await new Promise<string>((done) => {
    const child = spawn(process.execPath, [resolve('dist/pit.js'), '--map=json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    // Closed before anything is written.
    child.stdout.destroy()
    child.once('close', () => done(output))
  })
  expect(stderr).toBe('')
})
