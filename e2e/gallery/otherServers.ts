import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainProfile } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerProcess, startServerProcess } from '../serverProcess.ts'
import { openParty } from '../session/party.ts'
import { codesOf, type Gallery, type TokenAnswer } from './galleryWorld.ts'

export function slowChain(w: Gallery): void {
  describe('a slow chain', () => {
    let slow: ServerProcess
    let proxy: Server
    let key: string
    /** Delay of trial trades; reads of the token's own fields are not delayed. */
    let delayMs = 0
    let isDown = false
    beforeAll(async () => {
      proxy = createServer(async (req, res) => {
        if (req.method !== 'POST') return void res.writeHead(405).end()
        try {
          const chunks: Buffer[] = []
          for await (const chunk of req) chunks.push(chunk as Buffer)
          const body = Buffer.concat(chunks).toString()
          if (isDown) return void req.socket.destroy()
          const isTrial =
            body.includes('eth_simulateV1') && JSON.parse(body).params[0].blockStateCalls.length > 1
          if (isTrial) await sleep(delayMs)
          const answer = await fetch(w.devnet.url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          })
          res.end(await answer.text())
        } catch {
          // The caller or the chain has closed the connection.
          res.destroy()
        }
      })
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      slow = await startServerProcess({
        PROFILE: w.devnet.profileFile,
        CHAIN_RPC_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
        LOG_LEVEL: 'error',
        ROLE: 'api',
      })
      key = await slow.signIn('203.0.113.9')
    })
    afterAll(async () => {
      await slow?.stop()
      proxy?.closeAllConnections()
      proxy?.close()
    })

    it('returns a record without trial results, and refuses more screens than it has slots', async () => {
      delayMs = 10_500
      const names = ['good', 'mintable', 'impersonator', 'script_name']
      const answers = names.map((name) => w.get(`tokens/${w.specimen(name)}`, key, slow.url))
      await sleep(1_500)
      expect(await w.get(`tokens/${w.specimen('pausable')}`, key, slow.url)).toMatchObject({
        status: 503,
        retryAfterS: 5,
        body: { error: { code: 'SCREEN_UNAVAILABLE' } },
      })
      for (const { status, body, ms } of await Promise.all(answers)) {
        expect(status).toBe(200)
        expect(body).toMatchObject({ screen_status: 'UNSCREENED', screened_at: null })
        expect(body.risks[0]).toMatchObject({ code: 'UNSCREENED', severity: 'severe' })
        expect(ms).toBeGreaterThan(7_000)
        expect(ms).toBeLessThan(20_000)
      }
      const again = await w.get(`tokens/${w.specimen('good')}`, key, slow.url)
      expect(again.body.screen_status).toBe('UNSCREENED')
      expect(again.ms).toBeLessThan(5_000)
      delayMs = 0
      for (let i = 0; i < 100; i++) {
        // This server limits its callers: a caller over its rate gets no other answer.
        await sleep(700)
        const { body } = await w.get(`tokens/${w.specimen('good')}`, key, slow.url)
        if (body.screen_status === 'CACHED') break
      }
      const { body } = await w.get(`tokens/${w.specimen('good')}`, key, slow.url)
      expect(body.screen_status).toBe('CACHED')
      expect(codesOf(body)).toEqual(w.expected('good'))
    })

    it('or an unreachable one returns the stored records, and reports the rest as unavailable', async () => {
      isDown = true
      try {
        expect((await w.get(`tokens/${w.specimen('good')}`, key, slow.url)).body.screen_status).toBe('CACHED')
        expect(await w.get(`tokens/${w.specimen('honeypot')}`, key, slow.url)).toMatchObject({
          status: 502,
          body: { error: { code: 'RPC_UNAVAILABLE' } },
        })
      } finally {
        isDown = false
      }
    })

    it('is protected by a separate budget per caller', async () => {
      const fresh = await slow.signIn('203.0.113.10')
      const codes: string[] = []
      for (let i = 0; i < 12; i++) {
        const address = `0x${(0xabc000 + i).toString(16).padStart(40, '7')}`
        const answer = await w.get(`tokens/${address}`, fresh, slow.url)
        codes.push(`${answer.status} ${answer.body.error?.code} ${answer.retryAfterS}`)
      }
      expect(codes.slice(0, 10)).toEqual(Array(10).fill('404 NOT_A_TOKEN null'))
      expect(codes[11]).toBe('429 RATE_LIMITED 60')
      // Stored records do not count against it.
      expect((await w.get(`tokens/${w.specimen('good')}`, fresh, slow.url)).status).toBe(200)
    })
  })
}

export function serverWithJobs(w: Gallery): void {
  describe('a server that runs jobs', () => {
    it('registers every traded token without a request, and knows agents of an identity registry', async () => {
      const profile: ChainProfile = JSON.parse(readFileSync(w.devnet.profileFile, 'utf8'))
      profile.agent_registry = { kind: 'erc8004', address: w.info.registries.erc8004 }
      const file = `${w.devnet.profileFile}.erc8004.json`
      writeFileSync(file, JSON.stringify(profile))
      const whole = await startServerProcess({
        PROFILE: file,
        CHAIN_RPC_URL: w.devnet.nodeUrls,
        LOG_LEVEL: 'error',
        RATE_LIMIT_SCALE: '100',
      })
      try {
        const key = await whole.signIn()
        await actsForItsAgent(w, whole.url)
        // All of them by hand: REGISTERED=all
        const last = w.info.long_tail.at(process.env['REGISTERED'] === 'all' ? -1 : 15)!
        let registered: TokenAnswer | undefined
        const started = performance.now()
        for (let i = 0; registered === undefined && i < 300; i++) {
          await sleep(200)
          const { body } = await w.get(`tokens?q=${last.symbol}`, key, whole.url)
          registered = body.tokens.find(({ address }) => address === last.address.toLowerCase())
        }
        expect(registered).toMatchObject({ screen_status: 'CACHED', tradable: true })
        const symbolsOf = async (query: string) =>
          (await w.get(`tokens?limit=100&${query}`, key, whole.url)).body.tokens.map(({ symbol }) => symbol)
        expect(await symbolsOf('kind=core')).toHaveLength(5)
        expect(await symbolsOf('kind=stock')).toEqual(expect.arrayContaining(['NVDA', 'SPY']))
        expect(await symbolsOf('tier=blocked')).toContain('ISLAND')
        console.log(
          `${last.symbol} of ${w.info.long_tail.length} long-tail tokens was registered after ` +
            `${((performance.now() - started) / 1000).toFixed(1)} s`,
        )
      } finally {
        await whole.stop()
      }
    })
  })
}

/** The owner of an ERC-721 agent signs in as its owner and plays for it, without a vault. */
async function actsForItsAgent(w: Gallery, url: string): Promise<void> {
  const owner = await openParty(url, w.info.accounts[1]!.private_key)
  const { body: me } = await owner.get<{ partner_agent: object }>('auth/me')
  expect(me.partner_agent).toEqual({
    agent_id: '2',
    token: `0x${'0'.repeat(40)}`,
    symbol: 'AGENT-2',
    role: 'owner',
    name: 'Atlas Trader',
  })
  const { body: league } = await owner.get<{ reserve: { on: boolean } }>('league')
  expect(league.reserve.on).toBe(false)
  const entered = await owner.post<{ agent_id: string; token: null }>('league/enter', { agent_id: 2 })
  expect([entered.status, entered.body.token], JSON.stringify(entered.body)).toEqual([201, null])
  const code = async (agent_id: number) => {
    const { status, body } = await owner.post<{ error: { code: string } }>('league/enter', { agent_id })
    return `${status} ${body.error.code}`
  }
  expect(await code(3)).toBe('403 NOT_OWNER')
  expect(await code(999)).toBe('404 NOT_AN_AGENT')
}
