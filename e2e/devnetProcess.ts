import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { seedDevnet } from './devnetSeed.ts'

export interface DevnetProcess {
  url: string
  sequencerUrl: string
  /** Where its profile is written. */
  profileFile: string
  rpc<T>(method: string, params?: readonly unknown[]): Promise<T>
  stop(): Promise<void>
}

/**
 * The built devnet in its own process and folder, on free ports, its world deployed already. A chain that
 * starts from an image has no older state: who asks for the past takes a new one.
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
  return {
    url,
    sequencerUrl: `${url}/sequencer`,
    profileFile: join(folder, 'devnet', 'profile.json'),
    rpc: (method, params) => callRpc(url, method, params),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        // Its folder goes with it: no use in writing an image for the next start.
        child.kill('SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
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
