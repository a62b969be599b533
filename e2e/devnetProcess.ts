import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { seedDevnet } from './devnetSeed.ts'

export interface DevnetProcess {
  pid: number
  url: string
  /**
   * CHAIN_RPC_URL for a server, SIGNER_RPC_URL for a signer. With STRICT=1 the first address fails during the
   * test.
   */
  nodeUrls: string
  signerUrls: string
  sequencerUrl: string
  /** Path of its profile. */
  profileFile: string
  rpc<T>(method: string, params?: readonly unknown[]): Promise<T>
  output(): string
  stop(): Promise<void>
}

/**
 * With STRICT=1 every story runs with a public node's limits, and an address fails after this many requests.
 */
const isStrict = process.env['STRICT'] === '1'
const DIES_AFTER = 400
const STRICT_ENV = { DEVNET_PROVIDER: 'strict', DEVNET_ADDRESSES: '2' }

/**
 * The built devnet in its own process and folder, on free ports, with the world already deployed. A chain
 * started from an image has no older state: tests that need history start a new one.
 */
export async function startDevnetProcess(
  env: Record<string, string> = {},
  world: 'deployed' | 'new' = 'deployed',
): Promise<DevnetProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'pit-devnet-'))
  if (world === 'deployed') await seedDevnet(folder)
  const child = spawn(process.execPath, ['dist/devnet.js'], {
    env: {
      ...process.env,
      DATA_DIR: folder,
      DEVNET_PORT: '0',
      DEVNET_VENDOR_PORT: '0',
      DEVNET_STOCK_SESSION: 'always',
      ...(isStrict && STRICT_ENV),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  let url = ''
  while (url === '') {
    url = /ready: chain 4663 at (\S+),/.exec(output)?.[1] ?? ''
    if (child.exitCode !== null) throw new Error(`the devnet ended:\n${output}`)
    await sleep(50)
  }
  const hasMore = isStrict || env['DEVNET_ADDRESSES'] !== undefined
  const openUrl = isStrict || env['DEVNET_PROVIDER'] === 'strict' ? `${url}/open` : url
  return {
    pid: child.pid!,
    url,
    ...(hasMore ? await moreNodes(url, openUrl) : { nodeUrls: url, signerUrls: url }),
    sequencerUrl: `${url}/sequencer`,
    profileFile: join(folder, 'devnet', 'profile.json'),
    rpc: (method, params) => callRpc(openUrl, method, params),
    output: () => output,
    async stop() {
      if (isStrict)
        console.log('addresses at the end', JSON.stringify(await callRpc(openUrl, 'devnet_address')))
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        // Its folder is deleted with it, so no image is written for the next start.
        child.kill('SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The extra address is the preferred one and fails midway; a signer has three, so that two remain. */
async function moreNodes(url: string, openUrl: string) {
  const wish = { n: 1, mode: 'dead', after_requests: DIES_AFTER }
  const more = await callRpc<{ url: string }[]>(openUrl, 'devnet_address', [wish])
  const [dying, ...living] = more.map((address) => address.url)
  return { nodeUrls: [dying, url].join(), signerUrls: [dying, url, ...living].join() }
}

async function callRpc<T>(url: string, method: string, params: readonly unknown[] = []): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await answer.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}
