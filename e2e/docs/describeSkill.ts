import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
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
