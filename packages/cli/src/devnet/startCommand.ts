import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { InputNeeded, UsageRefused } from '../client/exit.ts'
import type { CommandDeps } from '../client/openClient.ts'
import { configHome } from '../client/settings.ts'
import { fundCommand } from './fundCommand.ts'

const PACKAGE = '@pit/devnet'
const SIZE = 'about 130 MB'
/** The chain's engine depends on its binary for every platform; the others are replaced by a package of one line. */
const ENGINES = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-gnu',
  'linux-arm64-musl',
  'linux-x64-gnu',
  'linux-x64-musl',
  'win32-x64-msvc',
]

interface StartFlags {
  yes?: boolean
  from?: string
}

/** `pit devnet`: starts the local world; `pit devnet fund` funds a wallet there. */
export const devnetCommand = (deps: CommandDeps): Command =>
  new Command('devnet')
    .description('Start a local world: chain, server, signer and dashboard; data in .pit of this folder.')
    .option('--yes', `Install ${PACKAGE} if it is not installed (${SIZE})`)
    .option('--from <package>', 'Package or tarball to install it from')
    .action(async (flags: StartFlags) => {
      const program = find(deps) ?? (await install(deps, flags))
      process.exitCode = await run(program)
    })
    .addCommand(fundCommand(deps))

const homeOf = ({ env }: CommandDeps): string => join(configHome(env), 'devnet', manifest.version)

/** The package of this folder, beside the command, or installed by an earlier start. */
function find(deps: CommandDeps): string | null {
  const places = [join(process.cwd(), 'x.js'), import.meta.url, join(homeOf(deps), 'x.js')]
  for (const place of places) {
    try {
      return createRequire(place).resolve(PACKAGE)
    } catch {}
  }
  return null
}

async function install(deps: CommandDeps, { yes, from }: StartFlags): Promise<string> {
  const folder = homeOf(deps)
  const needed = `The local world is a separate package, ${PACKAGE} (${SIZE})`
  const isAgreed =
    yes ||
    (deps.terminal.isInteractive && (await deps.terminal.confirm(`${needed}. Install it in ${folder}?`)))
  if (!isAgreed) throw new InputNeeded(`${needed}. Add --yes to install it in ${folder}.`)
  const source = from === undefined ? manifest.version : existsSync(from) ? `file:${resolve(from)}` : from
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies: { [PACKAGE]: source }, overrides: otherEngines() }),
  )
  const done = deps.terminal.progress(`Installing ${PACKAGE}`)
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: folder,
      stdio: 'pipe',
    })
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer }
    throw new UsageRefused(
      `npm could not install ${PACKAGE}: ${String(stderr ?? '')
        .trim()
        .slice(-500)}`,
    )
  } finally {
    done()
  }
  const program = find(deps)
  if (program === null) throw new UsageRefused(`npm installed no ${PACKAGE} in ${folder}.`)
  return program
}

function otherEngines(): Record<string, string> {
  const { platform, arch } = process
  const libc = platform === 'linux' ? (isMusl() ? '-musl' : '-gnu') : platform === 'win32' ? '-msvc' : ''
  const others = ENGINES.filter((name) => name !== `${platform}-${arch}${libc}`)
  return Object.fromEntries(others.map((name) => [`@nomicfoundation/edr-${name}`, 'npm:is-number@7.0.0']))
}

const isMusl = (): boolean => existsSync('/etc/alpine-release') || readLdd().includes('musl')
const readLdd = (): string => (existsSync('/usr/bin/ldd') ? readFileSync('/usr/bin/ldd', 'utf8') : '')

/** Ends with it: a terminal's Ctrl-C reaches both, another signal is passed on. */
function run(program: string): Promise<number> {
  const child = spawn(process.execPath, [program], { stdio: 'inherit' })
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', () => {})
  process.on('SIGTERM', pass)
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('exit', (code) => done(code ?? 1))
  })
}
