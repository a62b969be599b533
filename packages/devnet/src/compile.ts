import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Abi } from 'viem'

export interface Artifact {
  abi: Abi
  /** Init code, without constructor arguments. */
  bytecode: `0x${string}`
}
/** Our contracts by name, and the interfaces they use (their bytecode is empty). */
export type Artifacts = Record<string, Artifact>

const SETTINGS = {
  // Common-subexpression elimination and the Yul optimizer take two thirds of the time for a fifth of the
  // size.
  optimizer: {
    enabled: true,
    runs: 200,
    details: {
      peephole: true,
      inliner: true,
      jumpdestRemover: true,
      orderLiterals: true,
      deduplicate: true,
      cse: false,
      constantOptimizer: true,
      yul: false,
    },
  },
  evmVersion: 'prague',
  // Independent of the folder's name.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

/** Walks up from the running file (src/, or the bundle in dist/) to the folder that has `contracts/`. */
export function projectRoot(from: string = import.meta.dirname): string {
  if (existsSync(join(from, 'contracts', 'launchpad'))) return from
  const up = dirname(from)
  if (up === from) throw new Error('contracts/ not found in any folder above the running file')
  return projectRoot(up)
}

function readSources(root: string): Record<string, { content: string }> {
  const files = readdirSync(join(root, 'contracts'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sol'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return Object.fromEntries(
    files.map((file) => [
      relative(root, file).replaceAll('\\', '/'),
      { content: readFileSync(file, 'utf8') },
    ]),
  )
}

interface SolcOutput {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
}

function compile(sources: Record<string, { content: string }>): Artifacts {
  // Loaded only when needed: the compiler is 8 MB of WebAssembly.
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const output: SolcOutput = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources, settings: SETTINGS })),
  )
  const problems = (output.errors ?? []).filter((problem) => problem.severity !== 'info')
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  const artifacts: Artifacts = {}
  for (const contracts of Object.values(output.contracts)) {
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      artifacts[name] = { abi, bytecode: `0x${evm.bytecode.object}` }
    }
  }
  return artifacts
}

/** No compiler takes this long: an older claim's process id belongs to another process. */
const MAX_COMPILE_MS = 120_000

/** Whether another process is compiling the same sources: the build does, while the chain starts. */
function isCompiling(claim: string): boolean {
  try {
    process.kill(Number(readFileSync(claim, 'utf8')), 0)
    return Date.now() - statSync(claim).mtimeMs < MAX_COMPILE_MS
  } catch {
    return false
  }
}

let loaded: Promise<Artifacts> | undefined

/**
 * Our contracts: the committed artifacts, or those in `.cache/contracts/` if sources and settings are
 * unchanged, otherwise compiled now. Read once per process.
 */
export function compileContracts(say: (line: string) => void = () => {}): Promise<Artifacts> {
  loaded ??= loadOrCompile(say).catch((error) => {
    loaded = undefined
    throw error
  })
  return loaded
}

async function loadOrCompile(say: (line: string) => void): Promise<Artifacts> {
  const root = projectRoot()
  const sources = readSources(root)
  const key = keyOf(sources)
  const committed = readCommitted(root)
  if (committed?.key === key) return committed.artifacts
  const folder = join(root, '.cache', 'contracts')
  const file = join(folder, `${key}.json`)
  const claim = `${file}.compiling`
  while (!existsSync(file) && isCompiling(claim)) await sleep(50)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const started = performance.now()
  mkdirSync(folder, { recursive: true })
  writeFileSync(claim, `${process.pid}`)
  const artifacts = compile(sources)
  // Written aside and renamed, so that no concurrent reader sees a partial file.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(artifacts))
  renameSync(`${file}.${process.pid}`, file)
  rmSync(claim, { force: true })
  say(`compiled ${Object.keys(artifacts).length} contracts in ${Math.round(performance.now() - started)} ms`)
  return artifacts
}

const keyOf = (sources: Record<string, { content: string }>): string =>
  createHash('sha256')
    .update(JSON.stringify(['with interfaces', SETTINGS, sources]))
    .digest('hex')
    .slice(0, 32)

/**
 * Committed artifacts: a fresh clone starts without the compiler, which takes longer than everything else.
 * Used only for exactly these sources and settings; a test recompiles and compares them.
 */
export const COMMITTED = 'contracts/compiled.lock.json'

interface Committed {
  key: string
  artifacts: Artifacts
}

function readCommitted(root: string): Committed | null {
  const file = join(root, COMMITTED)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

/** The text of that file: one contract per line. */
export async function committedText(): Promise<string> {
  const key = keyOf(readSources(projectRoot()))
  const lines = Object.entries(await compileContracts())
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, artifact]) => `    ${JSON.stringify(name)}: ${JSON.stringify(artifact)}`)
  return `{\n  "key": "${key}",\n  "artifacts": {\n${lines.join(',\n')}\n  }\n}\n`
}

/** Compiles regardless of caches. */
export const compileAnew = (): Artifacts => compile(readSources(projectRoot()))
