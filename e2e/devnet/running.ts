import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainProfile } from '@pit/protocol'
import type { Hex } from 'viem'

export interface Running {
  child: ChildProcess
  lines: string[]
  url: string
  vendors: string
}

export const children = new Set<ChildProcess>()
const dirs: string[] = []
export const newDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'pit-devnet-'))
  dirs.push(dir)
  return dir
}

/** Stops processes that a failed test left running. */
export function cleanUp(): void {
  for (const child of children) child.kill('SIGKILL')
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
}

export function launch(env: Record<string, string>) {
  const child = spawn(process.execPath, ['dist/devnet.js'], {
    env: { ...process.env, DEVNET_PORT: '0', DEVNET_VENDOR_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  const lines: string[] = []
  const listen = (stream: NodeJS.ReadableStream | null) =>
    stream?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)))
  listen(child.stdout)
  listen(child.stderr)
  const exited = new Promise<number | null>((resolve) =>
    // Not on exit: the last output may still be unread then.
    child.once('close', (code) => {
      children.delete(child)
      resolve(code)
    }),
  )
  return { child, lines, exited }
}

export async function start(env: Record<string, string>): Promise<Running> {
  const { child, lines, exited } = launch(env)
  let ended: number | null | undefined
  void exited.then((code) => {
    ended = code
  })
  for (;;) {
    const ready = lines.map((line) => /ready: chain 4663 at (\S+), vendors at (\S+)/.exec(line)).find(Boolean)
    if (ready)
      return {
        child,
        lines,
        url: ready[1] as string,
        vendors: ready[2] as string,
      }
    if (ended !== undefined) throw new Error(`ended with ${ended}:\n${lines.join('\n')}`)
    await sleep(20)
  }
}

/** Exit code. */
export async function stop({ child }: Running, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill(signal)
  return exited
}

export async function rpc<T>(url: string, method: string, params: unknown[] = []): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(30_000),
  })
  const { result, error } = (await response.json()) as {
    result: T
    error?: { code: number; message: string }
  }
  if (error) throw Object.assign(new Error(error.message), { code: error.code })
  return result
}

/** Resolves once the chain has that many blocks. */
export async function untilBlock(url: string, number: number): Promise<void> {
  while ((await blockNumber(url)) < number) await sleep(50)
}

export const blockNumber = async (url: string) => Number(await rpc<Hex>(url, 'eth_blockNumber'))
export const profileOf = (dir: string): ChainProfile =>
  JSON.parse(readFileSync(join(dir, 'devnet', 'profile.json'), 'utf8'))
