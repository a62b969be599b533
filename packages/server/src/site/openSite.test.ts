import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { BARE_PROFILE } from '@pit/platform/test/bareProfile'
import type { ChainProfile } from '@pit/protocol'
import { afterAll, describe, expect, it } from 'vitest'
import { openTestApp } from '../../test/testApp.ts'
import { openSite } from './openSite.ts'

const folder = mkdtempSync(join(tmpdir(), 'pit-site-'))
mkdirSync(join(folder, 'abc', 'assets'), { recursive: true })
writeFileSync(join(folder, 'abc', 'index.html'), '<p>page</p>')
writeFileSync(join(folder, 'abc', 'wallet.html'), '<p>frame</p>')
writeFileSync(join(folder, 'abc', 'assets', 'a.js'), 'code')
writeFileSync(join(folder, 'abc', 'assets', 'a.js.br'), brotliCompressSync('code'))
writeFileSync(
  join(folder, 'site.json'),
  JSON.stringify({ folder: 'abc', pages: ['/', '/tokens/:address'], files: ['assets/a.js'] }),
)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const COSIGNER: `0x${string}` = '0x00000000000000000000000000000000000c0519'
const BARE = BARE_PROFILE as unknown as ChainProfile
const NODE = 'https://node.example/v1/secret'
const REAL: ChainProfile = { ...BARE, kind: 'mainnet', rpc_urls: [NODE], ws_url: NODE, sequencer_url: NODE }
const DEVNET: ChainProfile = { ...BARE, kind: 'devnet', rpc_urls: ['http://127.0.0.1:8545'] }
const PUBLIC_NODE = 'https://rpc.chain.example'
const PUBLIC_URL = 'https://pit.example'
const DEPS = { profile: DEVNET, folder, cosigner: () => COSIGNER, publicUrl: PUBLIC_URL, walletOrigin: null }
const siteOf = (profile: ChainProfile, walletOrigin: string | null = null) =>
  openSite({ ...DEPS, profile, walletOrigin })
const openAppOf = (profile: ChainProfile, walletOrigin: string | null = null) => {
  const { pages, notFound } = siteOf(profile, walletOrigin)
  return openTestApp({ site: pages, notFound })
}

describe('the dashboard', () => {
  it('serves its pages and files, compressed if accepted, and nothing else', async () => {
    const app = await openAppOf(DEVNET)
    const page = await app.inject({ url: '/tokens/0xab' })
    expect([page.status, page.text, page.headers['cache-control']]).toEqual([200, '<p>page</p>', 'no-cache'])
    const plain = await app.inject({
      url: '/assets/a.js',
      headers: { 'accept-encoding': 'identity, br;q=0' },
    })
    expect([plain.text, plain.headers['content-encoding']]).toEqual(['code', undefined])
    const brotli = await app.inject({ url: '/assets/a.js', headers: { 'accept-encoding': 'gzip, br' } })
    expect([brotli.headers['content-encoding'], brotli.headers['cache-control']]).toEqual([
      'br',
      'public, max-age=31536000, immutable',
    ])
    const conditional = { 'if-none-match': String(plain.headers.etag) }
    const again = await app.inject({ url: '/assets/a.js', headers: conditional })
    expect([again.status, again.text, again.headers['content-length']]).toEqual([304, '', undefined])
    expect((await app.inject({ url: '/assets/b.js' })).status).toBe(404)
    expect((await app.inject({ url: '/league' })).status).toBe(404)
    await app.close()
  })

  const policyOf = async (profile: ChainProfile, url = '/') => {
    const app = await openAppOf(profile)
    const { headers } = await app.inject({ url })
    await app.close()
    return String(headers['content-security-policy'])
  }

  it('lets a page connect to the nodes of its pins, and to none whose address may contain a key', async () => {
    expect(await policyOf(DEVNET)).toContain("connect-src 'self' http://127.0.0.1:8545;")
    expect(await policyOf(REAL)).toContain("connect-src 'self';")
    const withPublic = { ...REAL, rpc_urls: [NODE, PUBLIC_NODE, 'https://key@node.example'] }
    expect(await policyOf(withPublic)).toContain(`connect-src 'self' ${PUBLIC_NODE};`)
  })

  it.each([
    ['https://node.example', ' https://node.example'],
    ['https://node.example:8443', ' https://node.example:8443'],
    ['http://127.0.0.1:8545', ' http://127.0.0.1:8545'],
    ['http://node.example', ''],
    ['https://*', ''],
    ['https://node.example/v1/key', ''],
    ["https://a;script-src'unsafe-inline'", ''],
    ['https://a https://b', ''],
    ["'self' *", ''],
  ])('lets it connect to exactly the visitor’s node: %s', async (node, origin) => {
    const policy = await policyOf(REAL, `/?node=${encodeURIComponent(node)}`)
    expect(policy).toContain(`connect-src 'self'${origin}; frame-src`)
  })

  it('serves the wallet’s frame to the site only, with no connection to the API', async () => {
    const own = await openAppOf(DEVNET)
    const frame = await own.inject({ url: '/wallet-frame', headers: { host: 'localhost:4663' } })
    const policy = String(frame.headers['content-security-policy'])
    expect(frame.text).toBe('<p>frame</p>')
    expect(policy).toContain(
      'connect-src localhost:4663/pins.json localhost:4663/wallet.json http://127.0.0.1:8545;',
    )
    expect(policy).toContain("frame-ancestors 'self';")
    expect((await own.inject({ url: '/wallet.json' })).json()).toEqual({ origin: null, site: [] })
    expect(await policyOf(DEVNET)).toContain("frame-src 'self';")
    await own.close()

    const origin = 'https://wallet.pit.example'
    const apart = await openAppOf(DEVNET, origin)
    const foreign = await apart.inject({ url: '/wallet-frame' })
    expect(foreign.headers['content-security-policy']).toContain(`frame-ancestors 'self' ${PUBLIC_URL};`)
    expect((await apart.inject({ url: '/wallet.json' })).json()).toEqual({ origin, site: [PUBLIC_URL] })
    const page = await apart.inject({ url: '/' })
    expect(page.headers['content-security-policy']).toContain(`frame-src ${origin};`)
    await apart.close()
  })

  it('shows a browser its page at an unknown address, and a program the refusal', async () => {
    const app = await openAppOf(DEVNET)
    const html = { accept: 'text/html,application/xhtml+xml' }
    const page = await app.inject({ url: '/nowhere', headers: html })
    expect([page.status, page.text, page.headers['cache-control']]).toEqual([404, '<p>page</p>', 'no-store'])
    expect(page.headers['content-security-policy']).toContain("script-src 'self'")
    for (const [url, headers] of [
      ['/nowhere', {}],
      ['/api/v1/nowhere', html],
    ] as const) {
      const refused = await app.inject({ url, headers })
      expect([refused.status, (refused.json() as { error: { code: string } }).error.code], url).toEqual([
        404,
        'NOT_FOUND',
      ])
    }
    await app.close()
  })

  it('publishes its pins with the co-signer, and never the operator’s node of a real chain', async () => {
    const app = await openAppOf(REAL)
    const pins = await app.inject({ url: '/pins.json' })
    expect(pins.json()).toMatchObject({ kind: 'mainnet', rpc_urls: [], cosigner: COSIGNER })
    expect(pins.text).not.toContain('secret')
    await app.close()
  })

  it('publishes a public node with its pins, so that the page verifies on it', async () => {
    const app = await openAppOf({ ...REAL, rpc_urls: [NODE, PUBLIC_NODE] })
    expect((await app.inject({ url: '/pins.json' })).json()).toMatchObject({ rpc_urls: [PUBLIC_NODE] })
    await app.close()
  })

  it('is absent if it was not built', () => {
    expect(openSite({ ...DEPS, folder: join(folder, 'none') })).toEqual({
      pages: [],
    })
  })
})
