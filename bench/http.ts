/**
 * Cost of the HTTP edge: requests/s of GET config and of an authenticated GET auth/me, against a bare node:http
 * server sending the same bytes. One run, slices interleaved, every server in its own process; the ratios
 * count, not the absolute figures. `node dist/bench/http.js [pairs of one-second slices]`
 */

import { type ChildProcess, fork } from 'node:child_process'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { openAuth } from '@pit/auth'
import { createMemoryLimiter, ratesOf } from '@pit/http'
import { systemClock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { ROUTE_IDS } from '@pit/protocol'
import autocannon from 'autocannon'
import { placeRules, unknownGeo } from '../packages/server/src/compliance/geo.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { createApi } from '../packages/server/src/http/createApi.ts'
import type { Handlers } from '../packages/server/src/http/types.ts'
import { authRoutes } from '../packages/server/src/routes/auth.ts'

const TARGETS = { config: 0.7, 'auth.me': 0.55 }
type Subject = keyof typeof TARGETS
const PATHS: Record<Subject, string> = { config: '/api/v1/config', 'auth.me': '/api/v1/auth/me' }
const KEY = `pit_w_${'A'.repeat(43)}`
const HEADERS = { authorization: `Bearer ${KEY}`, 'user-agent': 'bench', accept: 'application/json' }

type Recorded = { path: string; status: number; headers: Record<string, string>; body: string }

/**
 * The whole edge with the real key lookup and the real answer of auth/me; only the store below it is a
 * constant.
 */
async function servePit(): Promise<void> {
  const config = readConfig({ PORT: '0', METRICS_PORT: '0' })
  const row = { id: 1, account_id: 1, wallet: `0x${'1'.repeat(40)}`, expires_at_s: 4_000_000_000 }
  const db = {
    engine: 'pglite',
    query: async (_text: string, [sha256]: unknown[]) => [{ ...row, key_sha256: sha256 }],
    listen: async () => async () => {},
  } as unknown as Db
  const never = () => {
    throw new Error('not measured here')
  }
  const crypto = { recover: never, sign: never, keccak256: never } as never
  const usual = { clock: systemClock, isSanctioned: () => false }
  const auth = await openAuth({ ...usual, db, crypto, config })
  const answer = { serialised: Buffer.from(JSON.stringify({ chain_id: 4663, like: 'x'.repeat(5_000) })) }
  const handlers = Object.fromEntries(ROUTE_IDS.map((id) => [id, never]))
  const app = createApi({
    config,
    clock: systemClock,
    handlers: {
      ...handlers,
      ...authRoutes({ auth, charge: async () => {} }),
      config: () => answer,
    } as unknown as Handlers,
    authenticate: auth.authenticateKey,
    walletRpc: async () => null,
    limiter: createMemoryLimiter({ rates: ratesOf({ scale: 1e6, overallFactor: 50 }) }),
    sanctions: { isSanctioned: () => false },
    geo: unknownGeo,
    places: placeRules({ blocked: [], blocked_regions: [], stock_blocked: [] }),
    logger: createLogger({ level: 'info' }),
    metrics: createMetrics(),
    version: '0',
  })
  ready((await app.listen()).port)
}

/** Answers every path with its recorded answer, and does nothing else. */
async function serveBare(): Promise<void> {
  const recorded = await new Promise<Recorded[]>((resolve) =>
    process.once('message', (sent) => resolve(sent as Recorded[])),
  )
  const answers = new Map(
    recorded.map(({ path, status, headers, body }) => [
      path,
      { status, headers: Object.entries(headers).flat(), body: Buffer.from(body) },
    ]),
  )
  const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
    const { status, headers, body } = answers.get(req.url!)!
    res.writeHead(status, headers)
    res.end(body)
  })
  server.listen(0, '127.0.0.1', () => ready((server.address() as AddressInfo).port))
}

function ready(port: number): void {
  process.send!({ port })
  process.on('message', (asked) => asked === 'cpu' && process.send!({ cpu: process.cpuUsage() }))
  process.on('disconnect', () => process.exit())
}

/**
 * Pairs of slices, pit and bare back to back; the median pair counts, because a busy machine spoils single
 * ones.
 */
async function compare(pairs: number): Promise<void> {
  const pit = start('pit')
  const pitPort = (await said<{ port: number }>(pit)).port
  const subjects = Object.keys(TARGETS) as Subject[]
  const recorded = await Promise.all(subjects.map((subject) => record(pitPort, PATHS[subject])))
  const bare = start('bare')
  bare.send(recorded)
  const barePort = (await said<{ port: number }>(bare)).port
  const slices = new Map<Subject, { pit: Slice; bare: Slice }[]>(subjects.map((subject) => [subject, []]))
  for (let pair = -2; pair < pairs; pair++) {
    for (const subject of subjects) {
      const ofPit = () => measure(pit, pitPort, subject)
      const ofBare = () => measure(bare, barePort, subject)
      const first = pair % 2 === 0 ? await ofPit() : await ofBare()
      const second = pair % 2 === 0 ? await ofBare() : await ofPit()
      const [pitSlice, bareSlice] = pair % 2 === 0 ? [first, second] : [second, first]
      // The first two pairs only warm up.
      if (pair >= 0) slices.get(subject)!.push({ pit: pitSlice, bare: bareSlice })
    }
  }
  for (const subject of subjects) {
    const rows = slices.get(subject)!
    const ratio = median(rows.map((row) => row.pit.perS / row.bare.perS))
    const byCpu = median(rows.map((row) => row.bare.cpuUs / row.pit.cpuUs))
    const rate = (of: 'pit' | 'bare') =>
      Math.round(median(rows.map((row) => row[of].perS))).toLocaleString('en')
    const cpu = (of: 'pit' | 'bare') => median(rows.map((row) => row[of].cpuUs)).toFixed(1)
    console.log(
      `${subject.padEnd(8)} pit ${rate('pit')}/s, bare node:http ${rate('bare')}/s: ${percent(ratio)} ` +
        'of bare (target ' +
        `${percent(TARGETS[subject])}); CPU a request ${cpu('pit')} against ${cpu('bare')} µs: ` +
        `${percent(byCpu)}`,
    )
    if (ratio < TARGETS[subject]) process.exitCode = 1
  }
  pit.disconnect()
  bare.disconnect()
}

interface Slice {
  perS: number
  cpuUs: number
}

async function measure(child: ChildProcess, port: number, subject: Subject): Promise<Slice> {
  const before = await cpuUs(child)
  // Not pipelined: otherwise the packing of answers would decide, not their cost.
  const { requests, duration, non2xx, errors } = await autocannon({
    url: `http://127.0.0.1:${port}${PATHS[subject]}`,
    headers: HEADERS,
    connections: 32,
    duration: 1,
  })
  if (non2xx > 0 || errors > 0) throw new Error(`${subject}: not every answer was 200`)
  return { perS: requests.total / duration, cpuUs: ((await cpuUs(child)) - before) / requests.total }
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
const start = (role: 'pit' | 'bare'): ChildProcess => fork(fileURLToPath(import.meta.url), [role])
const said = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve) => child.once('message', (m) => resolve(m as T)))
const percent = (ratio: number) => `${(ratio * 100).toFixed(1)}%`

async function cpuUs(child: ChildProcess): Promise<number> {
  const answer = said<{ cpu: NodeJS.CpuUsage }>(child)
  child.send('cpu')
  const { cpu } = await answer
  return cpu.user + cpu.system
}

/** One complete answer without the headers that node:http adds. */
function record(port: number, path: string): Promise<Recorded> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { ...HEADERS, host: 'localhost' } }, (res) => {
      let body = ''
      res.setEncoding('utf8')
      res.on('data', (chunk) => {
        body += chunk
      })
      res.on('end', () => {
        const {
          date: _,
          connection: __,
          'keep-alive': ___,
          ...headers
        } = res.headers as Record<string, string>
        resolve({ path, status: res.statusCode ?? 0, headers, body })
      })
    }).on('error', reject)
  })
}

const [role] = process.argv.slice(2)
if (role === 'pit') await servePit()
else if (role === 'bare') await serveBare()
else await compare(Number(process.argv[2] ?? 15))
