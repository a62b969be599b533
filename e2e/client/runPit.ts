import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { SessionWorld } from '../session/world.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
  /** Parses the output under --json. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own fields
  json(): any
}
export interface RunOptions {
  env?: Record<string, string>
  /** Called with the output so far and a function that sends a signal. */
  onOutput?(output: string, signal: (name: NodeJS.Signals) => void): void
}
export interface Pit {
  (args: string[], options?: RunOptions): Promise<Ran>
  /** In a real pseudo-terminal; each answer is typed once its question is shown. */
  typed(
    args: string[],
    answers: [question: RegExp, answer: string][],
    env?: Record<string, string>,
  ): Promise<Ran>
  folder: string
  close(): void
}

const PROGRAM = resolve('dist/pit.js')

/** Whether the system has util-linux's `script`, which runs a process in its own terminal. */
export const hasTerminals = spawnSync('script', ['--version']).status === 0

/** The built command as a process, with a separate home folder and a profile for a world. */
export function openPit(world: SessionWorld, domain: string, cosigner: string): Pit {
  const folder = mkdtempSync(join(tmpdir(), 'pit-tour-'))
  const chain = join(folder, 'chain.json')
  writeFileSync(chain, JSON.stringify(world.profile))
  const tour = { url: world.server.url, chain, rpc_url: world.devnet.url, domain, cosigner }
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ tour }))
  const base = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    PIT_HOME: folder,
    PIT_PROFILE: 'tour',
    ETH_KEYSTORE: join(folder, 'keystores'),
  }

  const start = (
    file: string,
    args: string[],
    { env = {}, onOutput }: RunOptions,
    answers: [RegExp, string][] = [],
  ) =>
    new Promise<Ran>((done) => {
      const child = spawn(file, args, { env: { ...base, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
      const left = [...answers]
      let [stdout, stderr, seen] = ['', '', 0]
      const look = () => {
        const [next] = left
        const fresh = (stdout + stderr).slice(seen)
        if (next?.[0].test(fresh)) {
          left.shift()
          seen = (stdout + stderr).length
          child.stdin.write(`${next[1]}\r`)
        }
        onOutput?.(stdout + stderr, (name) => child.kill(name))
      }
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text
        look()
      })
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text
        look()
      })
      if (answers.length === 0) child.stdin.end()
      child.once('close', (code) =>
        done({ code: code ?? -1, stdout, stderr, json: () => JSON.parse(stdout.trim().split('\n').at(-1)!) }),
      )
    })

  const run = (args: string[], options: RunOptions = {}) =>
    start(process.execPath, [PROGRAM, ...args], options)
  const typed: Pit['typed'] = (args, answers, env = {}) => {
    const line = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ')
    return start('script', ['-qec', line, '/dev/null'], { env }, answers)
  }
  return Object.assign(run, {
    typed,
    folder,
    close: () => rmSync(folder, { recursive: true, force: true }),
  })
}
