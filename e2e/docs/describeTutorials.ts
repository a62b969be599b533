import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openBrowser, openTab } from '../web/browser.ts'
import { blocksOf } from './blocks.ts'
import type { Packed } from './packed.ts'
import { runShell } from './runBlocks.ts'
import type { StartedPit } from './startedPit.ts'

interface Parts {
  pit: StartedPit
  packed: Packed
  wallet: Promise<Record<string, string>>
}
interface ToolCall {
  tool: string
  arguments: Record<string, unknown>
  /** Code that the tutorial announces. */
  error?: string
}

const WAIT = { timeout: 60_000 }

/** The first steps of each kind of user, as written, in the folder where the packages are installed. */
export function describeTutorials(parts: () => Parts): void {
  it.each(['bot-developer', 'command-line'])(
    'tutorial %s',
    async (name) => {
      const { pit, packed, wallet } = parts()
      const world = { ...pit, checkout: packed.folder, env: { ...pit.env, ...(await wallet) } }
      const { run, unknown } = blocksOf(`docs/tutorials/${name}.md`)
      expect(unknown).toEqual([])
      const output: string[] = []
      for (const block of run) output.push(await runShell(world, block))
      if (name === 'command-line') expect(output.join('')).toMatch(/mined in block/)
      else expect(output.join('')).toMatch(/5 USD: \d+ atoms[\s\S]*50 USD: SESSION_MAX_TRADE\./)
    },
    300_000,
  )

  it('tutorial model-agent', async () => {
    const text = readFileSync('docs/tutorials/model-agent.md', 'utf8')
    const blocks = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json!))
    const [settings, readCalls, tradingArgs, tradeCalls, refusedCalls] = blocks
    const { command, args, env } = settings.mcpServers.pit
    await callTools({ command, args, env }, readCalls)
    await callTools({ command, args: tradingArgs, env }, [...tradeCalls, ...refusedCalls])
  }, 300_000)

  async function callTools(
    { command, args, env }: { command: string; args: string[]; env: Record<string, string> },
    calls: readonly ToolCall[],
  ): Promise<void> {
    const { pit, packed, wallet } = parts()
    const client = new Client({ name: 'tutorial', version: '1' })
    const own = { ...pit.env, ...(await wallet), ...env, DATA_DIR: join(packed.folder, '.pit') }
    await client.connect(new StdioClientTransport({ command, args, env: own, cwd: packed.folder }))
    try {
      for (const { tool, arguments: input, error } of calls) {
        const answer = await client.callTool({ name: tool, arguments: input })
        const said = JSON.stringify(answer)
        if (error === undefined) expect(answer.isError ?? false, said).toBe(false)
        else expect(said).toContain(error)
      }
    } finally {
      await client.close()
    }
  }

  it('tutorial browser', async () => {
    const { pit } = parts()
    const browser = await openBrowser()
    try {
      const { page, faults } = await openTab(browser, pit.url)
      const steps = readFileSync('docs/tutorials/browser.md', 'utf8').match(/^\d+\. .+$/gm)!
      expect(steps.length).toBeGreaterThan(8)
      for (const step of steps) await follow(page, step.replaceAll('http://127.0.0.1:4663', pit.url))
      expect(faults).toEqual([])
    } finally {
      await browser.close()
    }
  }, 300_000)
}

/** Carries out one line of the browser's tutorial; an instruction it does not know fails. */
async function follow(page: Page, step: string): Promise<void> {
  const instructions = [
    ...step.matchAll(/(Open|Click|Choose|Wait for|You see) (?:`([^`]+)`|\*\*([^*]+)\*\*)/g),
  ]
  if (instructions.length === 0) throw new Error(`the tutorial has a step without an instruction: ${step}`)
  for (const [, verb, address, name] of instructions) {
    if (verb === 'Open') await page.goto(address!)
    else if (verb === 'Click') await page.getByRole('button', { name: name! }).first().click(WAIT)
    else if (verb === 'Wait for') await page.getByRole('button', { name: name! }).waitFor(WAIT)
    else if (verb === 'Choose') await page.getByRole('tab', { name: name! }).click(WAIT)
    else await page.getByRole('heading', { name: name! }).first().waitFor(WAIT)
  }
}
