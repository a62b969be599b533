import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCrypto, serializeSignature } from '@pit/chain'
import { openDb } from '@pit/platform/db'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'

// Twenty by hand: KILL_ROUNDS=20 npx vitest run e2e/killSignIn.test.ts
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 3)
const CLIENTS = 8
// The message names this URL; each start has another port, so the default would change the signed text.
const SETTINGS = { RATE_LIMIT_SCALE: '1000000', PUBLIC_URL: 'http://localhost' }
const CAPS = ['SIGNUPS_PER_ADDRESS_DAY', 'SIGNUPS_PER_HOUR', 'KEYS_PER_ADDRESS_DAY', 'KEYS_PER_HOUR']

interface SignIn {
  body: { address: string; signature: string; nonce: string }
  /** Keys answered for this challenge; none if the answer was lost with the server. */
  keys: string[]
}

const crypto = await createCrypto()
let dataDir: string
let server: ServerProcess | undefined
beforeAll(async () => {
  dataDir = await newServerDirectory()
})
afterAll(async () => {
  await server?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

it(`loses no key and reopens no challenge in ${ROUNDS} kills during sign-ins`, async () => {
  const all: SignIn[] = []
  const problems: string[] = []
  let lost = 0
  server = await start()
  for (let round = 0; round < ROUNDS; round++) {
    const { url } = server
    const made: SignIn[] = []
    let stop = false
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!stop) await signInTwiceAtOnce(url, made, problems)
    })
    while (made.filter(({ keys }) => keys.length > 0).length < 30) await sleep(5)
    await sleep(Math.random() * 50)
    await killHard(server)
    stop = true
    await Promise.all(clients)
    await server.stop()

    server = await start()
    lost += made.filter(({ keys }) => keys.length === 0).length
    for (const signIn of made) await checkAfterRestart(server.url, signIn, problems)
    all.push(...made)
  }
  await server.stop()
  server = undefined
  expect(problems).toEqual([])
  await checkStore(all)
  const keys = all.reduce((sum, signIn) => sum + signIn.keys.length, 0)
  console.log(`${ROUNDS} kills, ${keys} keys answered, ${lost} answers lost with the server`)
}, 1_800_000)

function start(): Promise<ServerProcess> {
  const caps = Object.fromEntries(CAPS.map((name) => [name, '1000000']))
  return startServerProcess({ DATA_DIR: dataDir, ...SETTINGS, ...caps })
}

async function killHard(running: ServerProcess): Promise<void> {
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'store.lock'), 'utf8')) as { pid: number }
  process.kill(pid, 'SIGKILL')
  while (running.isAlive()) await sleep(5)
}

/**
 * One challenge of a fresh wallet, sent to verify twice at the same time. Only a lost connection is accepted.
 */
async function signInTwiceAtOnce(url: string, made: SignIn[], problems: string[]): Promise<void> {
  const privateKey = randomBytes(32)
  const address = crypto.addressOf(privateKey)
  const challenge = await post(url, 'challenge', { address })
  if (challenge === 'lost') return
  if (challenge.status !== 200) {
    problems.push(`challenge: ${challenge.status} ${JSON.stringify(challenge.body)}`)
    return
  }
  const { message, nonce } = challenge.body as { message: string; nonce: string }
  const signature = serializeSignature(crypto.sign(crypto.hashMessage(message), privateKey))
  const signIn: SignIn = { body: { address, signature, nonce }, keys: [] }
  made.push(signIn)
  await Promise.all([verify(url, signIn, problems), verify(url, signIn, problems)])
  if (signIn.keys.length > 1) problems.push(`${address}: two keys for one challenge`)
}

async function verify(url: string, signIn: SignIn, problems: string[]): Promise<number | 'lost'> {
  const answer = await post(url, 'verify', signIn.body)
  if (answer === 'lost') return answer
  const { status, body } = answer
  const code = (body as { error?: { code: string } }).error?.code
  if (status === 200) signIn.keys.push((body as { api_key: string }).api_key)
  else if (status !== 401 || code !== 'CHALLENGE_EXPIRED')
    problems.push(`verify: ${status} ${JSON.stringify(body)}`)
  return status
}

async function checkAfterRestart(url: string, signIn: SignIn, problems: string[]): Promise<void> {
  const { address } = signIn.body
  const answered = signIn.keys.length === 1
  const first = await verify(url, signIn, problems)
  // After a lost answer the challenge is either used or still open, never both.
  if (answered && first !== 401) problems.push(`${address}: a used challenge answered ${first}`)
  const second = await verify(url, signIn, problems)
  if (second !== 401) problems.push(`${address}: the last verify answered ${second}`)
  if (signIn.keys.length > 1) problems.push(`${address}: two keys for one challenge`)
  for (const key of signIn.keys) {
    const me = await fetch(`${url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${key}` } })
    const { wallet } = (await me.json()) as { wallet?: string }
    if (me.status !== 200 || wallet !== address)
      problems.push(`${address}: its key answers ${me.status} ${wallet}`)
  }
}

/** Not visible in the answers: a key that was created but never answered is still the only one. */
async function checkStore(all: SignIn[]): Promise<void> {
  const db = await openDb({ dataDir, databaseUrl: null })
  try {
    const rows = await db.query<{ wallet: string; keys: number }>(
      'select wallet, count(*) as keys from api_keys group by wallet',
    )
    const keysOf = new Map(rows.map(({ wallet, keys }) => [wallet, keys]))
    for (const { body } of all) expect(keysOf.get(body.address)).toBe(1)
    expect(
      await db.query('select wallet from accounts where wallet not in (select wallet from api_keys)'),
    ).toEqual([])
  } finally {
    await db.close()
  }
}

/** `lost`: the server was killed during the request. */
async function post(
  url: string,
  path: string,
  body: object,
): Promise<{ status: number; body: unknown } | 'lost'> {
  try {
    const answer = await fetch(`${url}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: await answer.json() }
  } catch {
    return 'lost'
  }
}
