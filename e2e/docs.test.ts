import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Hex } from '@pit/chain'
import { createClient, fromViem } from '@pit/client'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesOf } from './client/fixtures/cases.ts'
import type { Fixture, Json } from './client/fixtures/format.ts'
import { record } from './client/fixtures/record.ts'
import { blocksOf } from './docs/blocks.ts'
import { describePackages } from './docs/describePackages.ts'
import { type Packed, packAll } from './docs/packed.ts'
import { checkTypes, runIn, runProgram, runShell, writeProgram } from './docs/runBlocks.ts'
import { type StartedPit, startPit } from './docs/startedPit.ts'
import { privateKeyOf } from './fast/fastTrader.ts'

// The first contact of a new user, run against the world that `npx @pit/cli devnet` starts: the examples, the code
// blocks of the documents, the npm packages with the tutorials and the skill, and the golden fixtures, which
// UPDATE_FIXTURES=1 rewrites.

let pit: StartedPit
let packed: Packed
const keys = new Map<Hex, Promise<string>>()

beforeAll(async () => {
  packed = await packAll()
  pit = await startPit(packed.folder)
})
afterAll(async () => {
  await pit?.stop()
  packed?.remove()
})

/** An API key of a devnet account. Each signs in from its own address because sign-ins are rate limited. */
function apiKeyOf(key: Hex): Promise<string> {
  const apiKey = keys.get(key) ?? signIn(key)
  keys.set(key, apiKey)
  return apiKey
}

async function signIn(key: Hex): Promise<string> {
  const client = createClient({
    url: pit.url,
    domain: 'localhost',
    profile: pit.pins,
    account: fromViem(privateKeyToAccount(key)),
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init?.headers, 'x-forwarded-for': `10.0.0.${keys.size}` } }),
  })
  return (await client.signIn()).api_key
}
const walletOf = async (account: number) => ({
  PIT_PRIVATE_KEY: privateKeyOf(account),
  PIT_API_KEY: await apiKeyOf(privateKeyOf(account)),
})

// Each uses its own wallet, so that they can run in parallel without nonce conflicts.
describe.concurrent('examples', () => {
  it.each<[program: string, account: number, said: RegExp]>([
    ['firstTrade', 2, /received {2}[\d.]+ USDG in block \d+\ntrade {5}0x[0-9a-f]{64}/],
    ['permitTrade', 4, /permit {4}\d+ atoms[\s\S]*received {2}0\.\d+ ETH[\s\S]*revoked {3}by \d/],
    [
      'sessionBot',
      5,
      /\$5 .*USDG[\s\S]*\$12 .*SESSION_MAX_TRADE[\s\S]*\$8 .*USDG[\s\S]*\$5 .*SESSION_MAX_DAY[\s\S]*revoked/,
    ],
    ['webhookBrain', 6, /tick {6}ETH\/USDG at [\d.]+\n[\s\S]*paper {5}buy 5 dollars of ETH\/USDG/],
    ['modelAgent', 6, /decided {3}\S[\s\S]*spent {5}[\d.e-]+ dollars in 1 calls/],
    ['leagueEntrant', 1, /entered {3}It plays from season \d+\.\nagent {5}2 plays from season \d+/],
  ])('%s', async (program, account, said) => {
    expect(await runIn(pit, ['node', `dist/examples/${program}.js`], await walletOf(account))).toMatch(said)
  })

  it('first_trade.py', async () => {
    const output = await runIn(pit, ['python3', 'examples/first_trade.py'])
    expect(output).toMatch(/traded: [\d.]+ USDG in block \d+, (0x[0-9a-f]{64})\non record: mined \1/)
  })

  it('are short', () => {
    const programs = readdirSync('examples').filter((name) => /\.(ts|py)$/.test(name))
    expect(programs).toHaveLength(8)
    for (const name of programs)
      expect(readFileSync(`examples/${name}`, 'utf8').split('\n').length, name).toBeLessThanOrEqual(60)
  })
})

describe('documents', () => {
  const files = [
    'README.md',
    'examples/README.md',
    'docs/tutorials/quickstart.md',
    'docs/reference/client.md',
    'docs/reference/client-api.md',
    ...readdirSync('docs/how-to')
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/how-to/${name}`),
  ]
  const pages = files.map((file) => ({ file, ...blocksOf(file) }))
  const programs = new Map<string, string>()

  it('mark every block as run or not run', () => {
    expect(pages.flatMap(({ unknown }) => unknown)).toEqual([])
    const ran = pages.flatMap(({ run }) => run)
    const notRun = pages.reduce((sum, page) => sum + page.notRun, 0)
    console.log(`${ran.length} blocks in ${pages.length} documents are run, ${notRun} are not`)
    expect(ran.length).toBeGreaterThan(30)
    expect(notRun).toBeLessThan(12)
  })

  it('have TypeScript that compiles', async () => {
    for (const { file, run } of pages) {
      const blocks = run.filter(({ language }) => language === 'ts')
      if (blocks.length > 0) programs.set(file, writeProgram(pit, blocks))
    }
    await checkTypes(pit)
  })

  // One after another, because they share a wallet.
  it.each(files)('%s', async (file) => {
    for (const block of blocksOf(file).run)
      if (block.language === 'sh')
        await runShell(pit, block).catch((error: Error) => {
          throw new Error(`${file}:${block.line}: ${error.message}`)
        })
    const program = programs.get(file)
    if (program) await runProgram(pit, program, await walletOf(1))
  })
})

describePackages(() => ({ pit, packed, wallet: walletOf(1) }))

describe('guide', () => {
  const isDoc = (file: string) => file.endsWith('.md')
  // Other client addresses: pages have a rate limit.
  let calls = 0
  const read = (path: string) => {
    calls += 1
    return fetch(pit.url + path, { headers: { 'x-forwarded-for': `10.0.1.${calls}` } })
  }

  it('serves an index that leads to every doc', async () => {
    const index = await read('/guide')
    expect([index.status, index.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = (await index.text()).split('<nav')[1]!
    const links = [...html.matchAll(/<li><a href="(\/guide\/[^"]+)"/g)].map(([, path]) => path!)
    const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter(isDoc)
    const pages = docs.filter((file) => file !== 'README.md').map((file) => `/guide/${file.slice(0, -3)}`)
    const expected = [...pages, '/guide/changelog']
    expect([...new Set(links)].sort()).toEqual(expected.sort())
    for (const path of expected) expect((await read(path)).status, path).toBe(200)
  })

  it('serves the Markdown of a doc', async () => {
    const page = await read('/guide/how-to/trade.md')
    expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await page.text()).toBe(readFileSync('docs/how-to/trade.md', 'utf8'))
  })
})

describe('fixtures', () => {
  it('match today’s server answers and client signatures', async () => {
    let sessionId = ''
    const config = (await (await fetch(`${pit.url}/api/v1/config`)).json()) as Json
    const made = new Map<string, unknown>([
      ['pins', pit.pins],
      ['config-answer', config],
    ])
    for (const one of casesOf(pit.pins, () => ({ sessionId }))) {
      const fixture = await record({ ...pit, config, domain: 'localhost', keyOf: apiKeyOf }, one)
      made.set(one.name, fixture)
      if (one.verb === 'grant_session')
        sessionId = (fixture.http[1]!.answer as { session_id: string }).session_id
    }
    if (process.env['UPDATE_FIXTURES']) write(made)
    for (const [name, value] of made) {
      const recorded = JSON.parse(readFileSync(`fixtures/${name}.json`, 'utf8'))
      expect(shapeOf(recorded), `${name}: rebuild it with UPDATE_FIXTURES=1`).toEqual(shapeOf(value as Json))
    }
  })
})

function write(made: ReadonlyMap<string, unknown>): void {
  mkdirSync('fixtures', { recursive: true })
  for (const [name, value] of made) {
    rmSync(`fixtures/${name}.json`, { force: true })
    writeFileSync(`fixtures/${name}.json`, `${JSON.stringify(value, null, 2)}\n`)
  }
}

/** Requests, answers, signatures and refusals, without the values that differ from world to world. */
function shapeOf(value: Json): unknown {
  const fixture = value as Partial<Fixture> & Json
  if (!fixture.http) return Object.keys(value as object).sort()
  const requests = fixture.http.map(({ method, path, answer }) => [method, path, fieldsIn(answer)] as const)
  // Reads run in parallel, so their order is random.
  const reads = requests.filter(([method]) => method === 'GET').sort(([, a], [, b]) => (a < b ? -1 : 1))
  return {
    asked: [...reads, ...requests.filter(([method]) => method !== 'GET')],
    signed: fixture.sign!.map(({ kind }) => kind),
    refused: fixture.refuse!.map(({ lie, code, rule, signs }) => [lie, code, rule, signs]),
  }
}
const fieldsIn = (answer: Json): string[] => Object.keys(answer as object).sort()
