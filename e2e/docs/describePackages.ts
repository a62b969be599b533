import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeSkill } from './describeSkill.ts'
import { describeTutorials } from './describeTutorials.ts'
import { nodeBinaries, type Packed } from './packed.ts'
import type { StartedPit } from './startedPit.ts'

const run = promisify(execFile)

const STRICT = `import { createClient, fromViem, isRefusal, type ChainProfile, type PitClient } from '@pit/client'
import { privateKeyToAccount } from 'viem/accounts'

export const open = (url: string, profile: ChainProfile, key: \`0x\${string}\`): PitClient =>
  createClient({ url, profile, account: fromViem(privateKeyToAccount(key)) })
export async function first(client: PitClient): Promise<bigint | null> {
  const quote = await client.api['live.quote']({ body: { token_in: 'ETH', token_out: 'USDG', notional_usd: 5 } })
  if (quote.best === null) return null
  const { amountOut } = await client.trade({ token_in: 'ETH', token_out: 'USDG', notional_usd: 5 })
  return amountOut
}
// @ts-expect-error a size is a number
export const wrong = (client: PitClient) => client.quote({ token_in: 'ETH', token_out: 'USDG', notional_usd: '5' })
export const code = (error: unknown): string | null => (isRefusal(error) ? error.code : null)
`

/** The npm packages as a user has them, against a running world. PACK_NODES=20,22,24 runs them on each. */
export function describePackages(
  parts: () => { pit: StartedPit; packed: Packed; wallet: Promise<Record<string, string>> },
): void {
  describe('npm packages, installed outside the repository', () => {
    let nodes: [version: string, binary: string][]

    beforeAll(async () => {
      nodes = await nodeBinaries(parts().packed)
    }, 600_000)

    const environment = async (): Promise<Record<string, string>> => ({
      ...parts().pit.env,
      ...(await parts().wallet),
      ETH_RPC_URL: parts().pit.rpcUrl,
    })

    describeTutorials(parts)
    describeSkill(parts)

    it('the client’s README trades', async () => {
      const { pit, packed } = parts()
      const blocks = [...readFileSync('packages/client/npm.md', 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)]
      const program = blocks.map(([, code]) => code).join('\n')
      writeFileSync(join(packed.folder, 'readme.js'), program.replaceAll('http://127.0.0.1:4663', pit.url))
      for (const [version, binary] of nodes) {
        const { stdout } = await run(binary, ['readme.js'], { cwd: packed.folder })
        expect(stdout, version).toMatch(/^\d+ atoms of USDG in block \d+\n/)
      }
    }, 300_000)

    it('the command quotes, trades and lists', async () => {
      const { packed } = parts()
      const env = await environment()
      const program = join(packed.folder, 'node_modules/.bin/pit')
      for (const [version, binary] of nodes) {
        const pit = async (...args: string[]) =>
          (await run(binary, [program, '--json', ...args], { cwd: packed.folder, env })).stdout
        expect(JSON.parse(await pit('quote', 'ETH', 'USDG', '--usd', '5')), version).toHaveProperty('best')
        const traded = JSON.parse(await pit('trade', 'ETH', 'USDG', '--usd', '5', '--yes'))
        expect(JSON.stringify(traded), version).toMatch(/0x[0-9a-f]{64}/)
        expect(await pit('trades'), version).toContain('mined')
      }
    }, 300_000)

    it('the command serves MCP', async () => {
      const { packed } = parts()
      const env = await environment()
      for (const [version, command] of nodes) {
        const client = new Client({ name: 'package test', version: '1' })
        const args = ['node_modules/@pit/cli/dist/pit.js', 'mcp']
        await client.connect(new StdioClientTransport({ command, args, env, cwd: packed.folder }))
        const { tools } = await client.listTools()
        expect(
          tools.map(({ name }) => name),
          version,
        ).toContain('get_portfolio')
        const portfolio = await client.callTool({ name: 'get_portfolio', arguments: {} })
        expect(portfolio.isError ?? false, JSON.stringify(portfolio)).toBe(false)
        const { resources } = await client.listResources()
        expect(resources.length, version).toBeGreaterThan(0)
        await client.readResource({ uri: resources[0]!.uri })
        await client.close()
      }
    }, 300_000)

    // The declarations of viem's dependency ox are CommonJS to module node16 and import those of abitype, which are ESM
    // from viem 2.43 on. Ours import nothing.
    it.each([
      ['that imports the client alone', 'node16', 'node16', "export { createClient } from '@pit/client'\n"],
      ['with viem', 'node16', 'node20', STRICT],
      ['with viem', 'bundler', 'esnext', STRICT],
    ])(
      'a strict program %s compiles with moduleResolution %s, module %s',
      async (_, resolution, module, code) => {
        const cwd = parts().packed.folder
        writeFileSync(join(cwd, 'strict.ts'), code)
        const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false']
        const target = ['--target', 'es2022', '--lib', 'es2022,dom', '--types', '']
        const kind = ['--module', module, '--moduleResolution', resolution]
        const compiler = [resolve('node_modules/typescript/bin/tsc'), ...options, ...target, ...kind]
        const { stdout } = await run(process.execPath, [...compiler, 'strict.ts'], { cwd }).catch(
          (error: { stdout: string }) => error,
        )
        expect(stdout).toBe('')
      },
      300_000,
    )
  })
}
