import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newServerDirectory } from '../../packages/platform/test/serverStore.ts'
import { type DevnetProcess, startDevnetProcess } from '../devnetProcess.ts'
import { createRandom } from '../fuzz/random.ts'
import { freePort, type ServerProcess, startServerProcess } from '../serverProcess.ts'
import { newSignerFolder, removeFolder, type SignerProcess, startSignerProcess } from '../signerProcess.ts'
import { type Gate, openGate } from '../trading/sequencerGate.ts'
import { tradingEnv } from '../trading/world.ts'
import { openParty, type Party, type SessionTrade, signaturesFor, startGrant } from './party.ts'

/**
 * The server is killed while sessions trade and submit. Its count is never below the signer's, no signed
 * bytes are relayed twice, however often they are submitted, and its open requests are settled by the
 * signer's record. Half of the clients set a client_id and retry: each trade is co-signed once.
 */

// A hundred by hand: KILL_ROUNDS=100 npx vitest run --project e2e e2e/session/kill.test.ts
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 2)
const SEED = Number(process.env['KILL_SEED'] ?? 4663)
/** Settling takes a minute: by hand, or on request. */
const SETTLES = ROUNDS > 5 || process.env['KILL_SETTLE'] === '1'
const CLIENTS = 4
const ETH = 10n ** 18n
const AMOUNT = ETH / 1_000n
const keyOf = (name: string): Hex => keccak256(stringToHex(`session kill ${name}`))

interface Client {
  owner: Party
  executor: Party
  sessionId: string
  rootHash: Hex
  /** Leaves in the answers. */
  answered: number
  /** Whether it sets a client_id; the id of the unanswered trade. */
  names: boolean
  open: string | null
  /** Signed by the executor and submitted at least once. */
  sent: { raw: Hex; hash: Hex }[]
}

const random = createRandom(SEED)
let devnet: DevnetProcess
let gate: Gate
let signer: SignerProcess
let signerFolder: string
let dataDir: string
let server: ServerProcess
let start: () => Promise<ServerProcess>
let url: string
let clients: Client[]

beforeAll(async () => {
  devnet = await startDevnetProcess({ MARKET: 'off' })
  gate = await openGate(devnet.sequencerUrl)
  signerFolder = await newSignerFolder()
  signer = await startSignerProcess({
    folder: signerFolder,
    rpcUrl: devnet.signerUrls,
    profileFile: devnet.profileFile,
  })
  dataDir = await newServerDirectory()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  start = () =>
    startServerProcess({
      ...tradingEnv(devnet),
      DATA_DIR: dataDir,
      PORT: String(port),
      PUBLIC_URL: 'http://localhost',
      SEQUENCER_URL: gate.url,
      SIGNER_URL: signer.url,
      SIGNER_SECRET: signer.secret,
      MAX_LOOP_DELAY_MS: '60000',
    })
  server = await start()
  clients = []
  for (let i = 0; i < CLIENTS; i++) clients.push(await openClient(i))
}, 300_000)
afterAll(async () => {
  await server?.stop()
  await signer?.stop()
  await gate?.close()
  await devnet?.stop()
  if (signerFolder) removeFolder(signerFolder)
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

async function openClient(i: number): Promise<Client> {
  const owner = await openParty(url, keyOf(`owner ${i}`))
  const executor = await openParty(url, keyOf(`executor ${i}`))
  for (const { wallet } of [owner, executor])
    await devnet.rpc('hardhat_setBalance', [wallet, `0x${(1_000n * ETH).toString(16)}`])
  const granted = await startGrant(owner, executor.wallet, {
    tokens: ['ETH', 'USDG'],
    max_trade_usd: 100,
    max_day_usd: 10_000,
    max_trades: 10_000,
    setup_budget_usd: 0,
  })
  expect(granted.status, JSON.stringify(granted.body.error)).toBe(200)
  const on = await owner.post('live/session/grant', await signaturesFor(owner, granted.body))
  expect(on.status, JSON.stringify(on.body.error)).toBe(200)
  const { session_id: sessionId, sign } = granted.body
  return {
    owner,
    executor,
    sessionId,
    rootHash: sign.delegation.delegation_hash,
    answered: 0,
    names: i % 2 === 0,
    open: null,
    sent: [],
  }
}

const TRADE = { token_in: 'ETH', token_out: 'USDG', amount_in: AMOUNT.toString() }

/** Trades and submits until the server is gone, or once if only the open trade is retried. */
async function tradeOn(client: Client, problems: string[], onlyOpen = false): Promise<void> {
  const { owner, executor, sessionId } = client
  while (!onlyOpen || client.open !== null) {
    try {
      if (client.names) client.open ??= `trade-${client.answered}`
      const { status, body } = await owner.post<SessionTrade>('live/session/trade', {
        session_id: sessionId,
        ...TRADE,
        ...(client.open !== null && { client_id: client.open }),
      })
      if (status !== 200) {
        problems.push(`a trade was refused: ${JSON.stringify(body.error)}`)
        return
      }
      client.answered++
      client.open = null
      if (!body.ready) continue
      const raw = await executor.signTx(body.tx!)
      client.sent.push({ raw, hash: keccak256(raw) })
      await owner.post('live/submit', { raw_tx: raw })
    } catch {
      // The connection ended with the server.
      return
    }
  }
}

async function usedOf({ owner, sessionId }: Client): Promise<{ trades: number; last_24h_usd: number }> {
  const { body } = await owner.get<{
    sessions: { session_id: string; used: { trades: number; last_24h_usd: number } }[]
  }>('me/sessions')
  return body.sessions.find(({ session_id }) => session_id === sessionId)!.used
}

it(`counts no less than was co-signed, and relays nothing twice, in ${ROUNDS} kills`, {
  timeout: 7_200_000,
}, async () => {
  const problems: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = clients.map(({ answered }) => answered)
    const trading = clients.map((client) => tradeOn(client, problems))
    while (clients.every(({ answered }, i) => answered <= before[i]!) && problems.length === 0) await sleep(5)
    // During a trade or a submission of one of them.
    await sleep(random.below(400))
    await server.kill()
    await Promise.all(trading)
    await server.stop()
    server = await start()

    for (const client of clients) {
      await tradeOn(client, problems, true)
      const { sequence, spend } = await signer.client.root(client.rootHash)
      const used = await usedOf(client)
      const where = `round ${round}, ${client.sessionId}`
      if (sequence < client.answered)
        problems.push(`${where}: ${client.answered} answered, ${sequence} signed`)
      if (client.names && (sequence !== client.answered || used.trades !== sequence))
        problems.push(`${where}: ${client.answered} named, ${sequence} signed, ${used.trades} counted`)
      if (used.trades < sequence) problems.push(`${where}: ${sequence} signed, ${used.trades} counted`)
      // After a lost answer the service's own rounding counts until it is settled.
      if (Math.round(used.last_24h_usd * 1e6) < spend.day_micro_usd - sequence)
        problems.push(
          `${where}: ${spend.day_micro_usd} micro-dollars signed, ${used.last_24h_usd} dollars counted`,
        )
      // The last trade again, as a client without an answer would.
      for (const { raw } of client.sent.slice(-2)) await client.owner.post('live/submit', { raw_tx: raw })
      for (const { hash } of client.sent) {
        const seen = await devnet.rpc<number>('devnet_sequencerSeen', [hash])
        if (seen > 1 || gate.left(hash) > 1) problems.push(`${where}: ${hash} was relayed ${seen} times`)
      }
    }
    expect(problems).toEqual([])
  }
  const total = { answered: 0, signed: 0, sent: 0 }
  for (const client of clients) {
    const { rootHash, answered, sent } = client
    const { sequence } = await signer.client.root(rootHash)
    if (SETTLES) {
      const within = { timeout: 180_000, interval: 1_000 }
      await expect.poll(async () => (await usedOf(client)).trades, within).toBe(sequence)
    }
    total.answered += answered
    total.signed += sequence
    total.sent += sent.length
  }
  console.log(`${ROUNDS} kills: ${JSON.stringify(total)}`)
})
