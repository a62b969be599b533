import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Hex } from '@pit/chain'
import { createClient, fromViem, isRefusal, rpcAt, type SignedTrade } from '@pit/client'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cosignerOf, openSessionWorld, type SessionWorld } from '../session/world.ts'
import { type McpHome, openMcpHome } from './mcpWorld.ts'
import { type HttpProxy, openProxy, type ProxyAnswer } from './proxy.ts'

// A proxy relays signed bytes and claims that they are dead: every entry point reports what its own node shows.

const key = keccak256(stringToHex('claimed fate'))
const account = privateKeyToAccount(key)
const wallet = account.address.toLowerCase() as Hex
const TRADE = { token_in: 'ETH', token_out: 'USDG', notional_usd: 10 }
const DEAD = {
  dead: 'nonce',
  state: 'dead',
  fate: { state: 'dead', by: 'nonce', hash: `0x${'11'.repeat(32)}` },
}
const LIES: Record<string, ProxyAnswer> = {
  'a refusal': { status: 422, body: { error: { code: 'HASH_MISMATCH', message: 'Dead.', ...DEAD } } },
  'another hash': {
    status: 200,
    body: { tx_hash: `0x${'22'.repeat(32)}`, as_built: true, timings: {}, ...DEAD },
  },
}

let world: SessionWorld
let proxy: HttpProxy
let home: McpHome
let cosigner: string
const children: ChildProcess[] = []

const minedCount = async (): Promise<number> =>
  Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [wallet, 'latest']))

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: 'pit.test' } })
  proxy = await openProxy(world.server.url)
  cosigner = await cosignerOf(world.server.url)
  home = openMcpHome(world, proxy.url, key, cosigner)
  await world.fund(wallet, { wei: 10n ** 18n })
})
afterAll(async () => {
  home?.remove()
  await proxy?.close()
  await world?.close()
})
beforeEach(() => proxy.use())
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

const idOf = (name: string): string => name.replaceAll(' ', '-')
const lie = (name: string): void =>
  proxy.use({ change: ({ path }) => (path === 'live/submit' ? LIES[name] : undefined) })

describe.each(Object.keys(LIES))('%s that claims the bytes are dead', (name) => {
  it('is overruled in the library', async () => {
    const client = createClient({
      url: proxy.url,
      domain: 'pit.test',
      profile: { ...world.profile, cosigner },
      account: fromViem(account),
      rpc: rpcAt(world.devnet.url),
    })
    await client.signIn()
    const before = await minedCount()
    lie(name)
    let signed: SignedTrade | undefined
    const outcome = await client
      .trade(TRADE, {
        onStage: (stage) => {
          if (stage.stage === 'signed') signed = stage.signed
        },
      })
      .catch((error: unknown) => error)
    if (isRefusal(outcome)) {
      expect(outcome.fate).toMatchObject({ state: 'mined', hash: signed!.hashes[0], reverted: false })
      expect(outcome.message).not.toContain('Nothing was traded')
    }
    expect((await client.resume(signed!)).receipt.hash).toBe(signed!.hashes[0])
    expect(await minedCount()).toBe(before + 1)
  })

  it('is overruled in pit serve, where a retry finds the trade', async () => {
    const child = spawn(process.execPath, ['dist/pit.js', 'serve', '--port', '0', '--allow-trading'], {
      env: home.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    children.push(child)
    const line = await new Promise<string>((done) => child.stdout!.setEncoding('utf8').once('data', done))
    const { url, token_file } = JSON.parse(line) as { url: string; token_file: string }
    const call = async () => {
      const response = await fetch(`${url}/trade`, {
        method: 'POST',
        headers: { authorization: `Bearer ${readFileSync(token_file, 'utf8').trim()}` },
        body: JSON.stringify({ ...TRADE, client_id: `serve-${idOf(name)}` }),
      })
      return (await response.json()) as { result?: { receipt: object }; error?: { fate: object } }
    }
    const before = await minedCount()
    lie(name)
    const first = await call()
    if (first.error)
      expect(first.error.fate, JSON.stringify(first)).toMatchObject({ state: 'mined', reverted: false })
    expect((await call()).result?.receipt).toMatchObject({ block: expect.any(Number) as number })
    expect(await minedCount()).toBe(before + 1)
  })

  it('is overruled in pit mcp, whose day ceiling holds', async () => {
    const mcp = await home.start([
      '--allow-trading',
      '--max-usd-per-trade',
      '20',
      '--max-usd-per-day',
      '1000',
    ])
    try {
      const before = await minedCount()
      const { answer: limits } = await mcp.call('get_limits')
      lie(name)
      const request = { ...TRADE, client_id: `mcp-${idOf(name)}` }
      const { answer: first } = await mcp.call('place_trade', request)
      expect(['mined', 'uncertain'], JSON.stringify(first)).toContain(first.status)
      expect((await mcp.call('place_trade', request)).answer.status).toBe('mined')
      const { answer: after } = await mcp.call('get_limits')
      expect(after.left_24h_usd).toBe(limits.left_24h_usd - 10)
      expect(await minedCount()).toBe(before + 1)
    } finally {
      await mcp.close()
    }
  })

  it('is overruled in the command', async () => {
    const before = await minedCount()
    lie(name)
    const child = spawn(
      process.execPath,
      ['dist/pit.js', '--json', 'trade', 'ETH', 'USDG', '--usd', '10', '--yes'],
      {
        env: home.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let [data, said] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (data += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    await new Promise((done) => child.once('close', done))
    const answer = JSON.parse(data.trim().split('\n').at(-1)!) as {
      tx_hash?: string
      error?: { fate: object }
    }
    if (answer.error) expect(answer.error.fate).toMatchObject({ state: 'mined', reverted: false })
    else expect(answer.tx_hash).toMatch(/^0x/)
    expect(data + said).not.toMatch(/nothing was traded/i)
    expect(await minedCount()).toBe(before + 1)
  })
})
