import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Hex } from '@pit/chain'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { type McpHome, openMcpHome, openSubmitGate, type SubmitGate } from './mcpWorld.ts'

// `pit serve` as a real process: the Python client, hostile callers, and kills between signing and sending.

const KEY = keccak256(stringToHex('pit serve'))
const OWNER = privateKeyToAddress(KEY)
const TRADE = { token_in: 'ETH', token_out: 'USDG', notional_usd: 10 }

interface Serving {
  child: ChildProcess
  port: number
  token: string
  // biome-ignore lint/suspicious/noExplicitAny: each verb has its own result
  call(verb: string, body: object): Promise<{ status: number; body: any }>
}

let world: SessionWorld
let gate: SubmitGate
let home: McpHome
const children: ChildProcess[] = []

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: 'pit.test', FAST_ENABLED: '1' } })
  gate = await openSubmitGate(world.server.url)
  const { session } = (await (await fetch(`${world.server.url}/api/v1/config`)).json()) as {
    session: { cosigner: string }
  }
  home = openMcpHome(world, gate.url, KEY, session.cosigner)
  await world.fund(OWNER.toLowerCase() as Hex, { wei: 10n ** 18n, usdg: 0n })
})
afterAll(async () => {
  home?.remove()
  await gate?.close()
  await world?.close()
})
afterEach(async () => {
  gate.set('pass')
  for (const child of children.splice(0)) await killed(child)
})

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  await exited
}

async function serve(...args: string[]): Promise<Serving> {
  const child = spawn(process.execPath, ['dist/pit.js', 'serve', '--port', '0', ...args], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  const line = await new Promise<string>((done, reject) => {
    child.stdout!.setEncoding('utf8').once('data', done)
    child.once('exit', (code) => reject(new Error(`pit serve ended with exit code ${code}`)))
  })
  const { url, token_file } = JSON.parse(line) as { url: string; token_file: string }
  const token = readFileSync(token_file, 'utf8').trim()
  return {
    child,
    port: Number(new URL(url).port),
    token,
    async call(verb, body) {
      const response = await fetch(`${url}/${verb}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: await response.json() }
    },
  }
}

const nonceOf = async (): Promise<number> =>
  Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [OWNER, 'latest']))

it('serves the Python client with no third-party package', async () => {
  const run = promisify(execFile)
  const env = {
    ...home.env,
    PYTHONPATH: resolve('python'),
    PYTHONDONTWRITEBYTECODE: '1',
    PIT_COMMAND: JSON.stringify([process.execPath, resolve('dist/pit.js')]),
  }
  const { stderr } = await run('python3', ['python/tests/test_client.py'], { env })
  expect(stderr).toMatch(/Ran 6 tests[\s\S]*OK/)
})

it('finishes the same transaction after a kill between signing and sending', async () => {
  const trade = { ...TRADE, client_id: 'killed-before' }
  const before = await nonceOf()
  for (const mode of ['hold_before', 'hold_after'] as const) {
    const client_id = `killed-${mode}`
    const serving = await serve('--allow-trading')
    gate.raws.length = 0
    gate.set(mode)
    const lost = serving.call('trade', { ...trade, client_id }).catch(() => null)
    await gate.held()
    await killed(serving.child)
    expect(await lost).toBeNull()
    gate.set('pass')
    const restarted = await serve('--allow-trading')
    const { status, body } = await restarted.call('trade', { ...trade, client_id })
    expect([status, BigInt(body.result.amount_out) > 0n]).toEqual([200, true])
    expect(new Set(gate.raws).size).toBe(1)
    expect((await restarted.call('trade', { ...trade, client_id })).body).toEqual(body)
    await killed(restarted.child)
  }
  expect(await nonceOf()).toBe(before + 2)
})

it('runs concurrent calls with one client_id as one trade, others one after another', async () => {
  const { call } = await serve('--allow-trading')
  const before = await nonceOf()
  const ids = ['same', 'same', 'other']
  const results = await Promise.all(ids.map((client_id) => call('trade', { ...TRADE, client_id })))
  expect(results.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(results[0]!.body).toEqual(results[1]!.body)
  expect(await nonceOf()).toBe(before + 2)
})

it('lets only one process trade for a wallet', async () => {
  const first = await serve('--allow-trading')
  const second = await serve('--allow-trading')
  expect((await first.call('trade', { ...TRADE, client_id: 'first-process' })).status).toBe(200)
  const refused = await second.call('trade', { ...TRADE, client_id: 'second-process' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'ANOTHER_PROCESS'])
})

it('refuses to sign while it is read-only', async () => {
  const { call } = await serve()
  const before = await nonceOf()
  for (const [verb, body] of [
    ['trade', { ...TRADE, client_id: 'read-only' }],
    ['revoke_approvals', {}],
    ['create_agent', {}],
  ] as const)
    expect((await call(verb, body)).body.error.code).toBe('READ_ONLY')
  expect((await call('plan', TRADE)).status).toBe(200)
  expect(await nonceOf()).toBe(before)
})

it('refuses callers without the token, web pages and malformed requests', async () => {
  const { port, token, call } = await serve('--allow-trading')
  const raw = (path: string, headers: Record<string, string>, body = '{}') =>
    new Promise<number>((done, reject) => {
      const sent = request({ port, path, method: 'POST', headers, host: '127.0.0.1' }, (response) => {
        response.resume()
        done(response.statusCode!)
      })
      sent.once('error', reject)
      sent.end(body)
    })
  const authorization = `Bearer ${token}`
  expect(await raw('/config', {})).toBe(401)
  expect(await raw('/config', { authorization: `${authorization}0` })).toBe(401)
  expect(await raw('/config', { authorization, host: 'evil.example' })).toBe(403)
  expect(await raw('/config', { authorization, origin: 'http://127.0.0.1' })).toBe(403)
  expect(await raw('/config', { authorization }, '[]')).toBe(400)
  expect(await raw('/config', { authorization }, '{')).toBe(400)
  expect(await raw('/__proto__', { authorization })).toBe(404)
  expect(await raw('/config', { authorization }, `{"a":"${'x'.repeat(300_000)}"}`)).toBe(413)
  for (const [body, field] of [
    [{ ...TRADE }, 'client_id'],
    [{ ...TRADE, client_id: 'x', wallet: OWNER }, 'wallet'],
    [{ ...TRADE, client_id: 'x', slipage_bps: 5 }, 'slipage_bps'],
    [{ ...TRADE, client_id: 'x', notional_usd: '10' }, 'notional_usd'],
    [{ ...TRADE, client_id: '../x' }, 'client_id'],
  ] as const) {
    const { status, body: answer } = await call('trade', body)
    expect([status, answer.error.code, answer.error.details.field]).toEqual([400, 'BAD_REQUEST', field])
  }
  expect((await call('read', { route: 'live.submit' })).body.error.code).toBe('BAD_REQUEST')
})

it('trades a pinned pair in one call, with the size and the minimum of the request', async () => {
  const { call } = await serve('--allow-trading')
  const pair = { token_in: 'ETH', token_out: 'USDG', fallback: false }
  const fast = await call('fast_trade', {
    ...pair,
    notional_usd: 5,
    min_amount_out: '4000000',
    client_id: 'fast-1',
  })
  expect(fast).toMatchObject({ status: 200, body: { result: { by: 'fast' } } })
  expect(Number(fast.body.result.amount_out)).toBeGreaterThan(4_500_000)
  const unreachable = { ...pair, notional_usd: 5, min_amount_out: '6000000', client_id: 'fast-2' }
  expect((await call('fast_trade', unreachable)).body.error.code).toBe('POOL_FAR')
  expect((await call('fast_trade', { ...pair, usd: 5, client_id: 'fast-3' })).body.error.code).toBe(
    'BAD_REQUEST',
  )
})
