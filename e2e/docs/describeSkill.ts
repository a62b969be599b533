import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { CLIENT_ERRORS, ERRORS } from '@pit/protocol'
import { expect, it } from 'vitest'
import type { CommandMap } from '../../packages/cli/src/map.ts'
import { blocksOf } from './blocks.ts'
import type { Packed } from './packed.ts'
import { placed, runShell } from './runBlocks.ts'
import type { StartedPit } from './startedPit.ts'

interface Command {
  run: string
  exit: number | 'not 0'
  /** Pattern in what it prints. */
  prints: string
}
interface Case {
  task: string
  commands: Command[]
  /** Transactions of the wallet; absent: any number. */
  signs?: number
}

const CASES = JSON.parse(readFileSync('skills/pit/cases.json', 'utf8')) as Case[]
const TRADER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** The skill for coding agents: its commands and its cases, as an agent would run them. */
export function describeSkill(
  parts: () => { pit: StartedPit; packed: Packed; wallet: Promise<Record<string, string>> },
): void {
  const sentBy = async (address: string): Promise<number> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionCount', params: [address, 'latest'] }
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(parts().pit.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) })
    return Number(((await response.json()) as { result: string }).result)
  }

  it('skill: the safe path of a trade', async () => {
    const { pit, packed, wallet } = parts()
    const { run, unknown } = blocksOf('skills/pit/SKILL.md')
    expect(unknown).toEqual([])
    const world = { ...pit, checkout: packed.folder, env: { ...pit.env, ...(await wallet) } }
    for (const block of run) expect(await runShell(world, block)).toMatch(/mined in block/)
  }, 120_000)

  it('skill: `pit skill` prints it, and each command, option and code exists', async () => {
    const { pit, packed } = parts()
    const world = { ...pit, checkout: packed.folder }
    const shell = (run: string) => runShell(world, { file: 'skill', line: 1, language: 'sh', code: run })
    const skill = readFileSync('skills/pit/SKILL.md', 'utf8')
    expect(await shell('npx @pit/cli skill')).toBe(skill)
    expect(skill.split('\n').length).toBeLessThan(150)
    const map = JSON.parse(await shell('npx @pit/cli --map=json')) as CommandMap
    const commands = [...skill.matchAll(/(?<=^|`)(?:npx @pit\/cli|pit) ([^`\n|]+)/gm)].map(
      ([, words]) => words!,
    )
    expect(commands.length).toBeGreaterThan(20)
    expect(commands.filter((command) => unknownIn(command, map) !== null)).toEqual([])
    const codes = [...skill.matchAll(/^\| ([A-Z][A-Z_, ]{4,}) \|/gm)].flatMap(([, names]) =>
      names!.split(', '),
    )
    expect(codes.length).toBeGreaterThan(20)
    const own = ['packages/mcp/src/errors.ts', 'packages/cli/src/client/exit.ts']
    const rows = own.flatMap((file) => readFileSync(file, 'utf8').match(/(?<=^ {2})[A-Z_]+(?=:)/gm) ?? [])
    const thrown = new Set([...Object.keys({ ...ERRORS, ...CLIENT_ERRORS }), ...rows])
    expect(codes.filter((code) => !thrown.has(code))).toEqual([])
  }, 60_000)

  it.each(CASES)(
    'skill: $task',
    async ({ commands, signs }) => {
      const { pit, packed, wallet } = parts()
      const env = { ...pit.env, ...(await wallet) }
      const before = await sentBy(TRADER)
      for (const { run, exit, prints } of commands) {
        const { status, stdout, stderr } = spawnSync('bash', ['-c', placed(pit, run)], {
          cwd: packed.folder,
          env,
          encoding: 'utf8',
        })
        const output = `${run}\n${stdout}${stderr}`
        if (exit === 'not 0') expect(status, output).toBeGreaterThan(0)
        else expect(status, output).toBe(exit)
        expect(stdout + stderr).toMatch(new RegExp(prints))
      }
      if (signs !== undefined) expect((await sentBy(TRADER)) - before).toBe(signs)
    },
    120_000,
  )
}

/** The first word of a command line that the command does not have: a subcommand or an option. */
function unknownIn(line: string, map: CommandMap): string | null {
  const words = line.split(/\s+-- /)[0]!.split(/\s+/)
  const options = new Set(map.options.map(({ name }) => name))
  let command = map
  for (const word of words) {
    const next = command.commands.find(({ name }) => name === word)
    for (const { name } of next?.options ?? []) options.add(name)
    if (
      word.startsWith('--') ? !/…$/.test(word) && !options.has(word.split('=')[0]!) : !next && command === map
    )
      return word
    command = next ?? command
  }
  return null
}
