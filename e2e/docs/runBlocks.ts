import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type { Block } from './blocks.ts'
import type { StartedPit } from './startedPit.ts'

const run = promisify(execFile)

/** The documents use the default ports; a test world has its own. */
export const placed = ({ url, rpcUrl }: StartedPit, code: string): string =>
  code.replaceAll('http://127.0.0.1:4663', url).replaceAll('http://127.0.0.1:8545', rpcUrl)

/** Runs a program in the checkout; throws with its whole output when it fails. */
export async function runIn(
  { checkout, env }: StartedPit,
  [command, ...args]: readonly [string, ...string[]],
  extra: Record<string, string> = {},
): Promise<string> {
  try {
    const { stdout } = await run(command, args, {
      cwd: checkout,
      env: { ...env, ...extra },
      timeout: 120_000,
    })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${[command, ...args].join(' ').slice(0, 500)}\n${message}\n${stdout}${stderr}`)
  }
}

/** Runs one block in bash. Its exports are available to the next block of the page, as in a terminal. */
export async function runShell(pit: StartedPit, { code, file }: Block): Promise<string> {
  const envFile = join(pit.checkout, `.${file.replaceAll(/\W/g, '-')}.env`)
  const script = [
    'set -eo pipefail',
    ...(existsSync(envFile) ? [`. ${envFile}`] : []),
    placed(pit, code),
    `export -p > ${envFile}`,
  ].join('\n')
  return runIn(pit, ['bash', '-c', script])
}

const programOf = (file: string): string => `doc-${file.replaceAll(/\W/g, '-')}.ts`

/** All TypeScript blocks of a page form one program. */
export function writeProgram(pit: StartedPit, blocks: readonly Block[]): string {
  const parts = blocks.map(({ file, line, code }) => `// ${file}:${line}\n${placed(pit, code)}`)
  const program = programOf(blocks[0]!.file)
  writeFileSync(join(pit.checkout, program), `${parts.join('\n')}\nexport {}\n`)
  return program
}

/** Checks the types of all pages at once, because starting the compiler takes most of the time. */
export async function checkTypes(pit: StartedPit): Promise<void> {
  const config = { extends: resolve('tsconfig.json'), include: ['doc-*.ts'] }
  const options = { incremental: false, tsBuildInfoFile: null, noUnusedLocals: false }
  writeFileSync(join(pit.checkout, 'tsconfig.json'), JSON.stringify({ ...config, compilerOptions: options }))
  await runIn(pit, [process.execPath, resolve('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'])
}

export async function runProgram(
  pit: StartedPit,
  program: string,
  wallet: Record<string, string>,
): Promise<string> {
  const outfile = join(pit.checkout, program.replace(/ts$/, 'mjs'))
  await build({
    entryPoints: [join(pit.checkout, program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'silent',
    external: ['viem', 'viem/*'],
  })
  return runIn(pit, [process.execPath, outfile], wallet)
}
