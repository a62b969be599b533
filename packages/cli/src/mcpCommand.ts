import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTurn } from '@pit/client'
import {
  ceilingsOf,
  createServerFactory,
  openJournal,
  serveHttp,
  serveStdio,
  TOOLSETS,
  type Toolset,
  type Trading,
} from '@pit/mcp'
import { grouped, isRiskCode } from '@pit/protocol'
import { countSignatures, readHttpToken } from '@pit/sidecar'
import { Command, InvalidArgumentError } from 'commander'
import { onlySignsIn, openAccount } from './client/account.ts'
import { UsageRefused } from './client/exit.ts'
import { lockFolder } from './client/lockFolder.ts'
import { accountDeps, type CommandDeps, globalsOf, openFor } from './client/openClient.ts'
import { port, positive } from './client/parse.ts'
import { configHome, readTarget } from './client/settings.ts'

interface Options {
  http?: number
  host: string
  toolsets: Toolset[]
  allowTrading?: boolean
  maxUsdPerTrade?: number
  maxUsdPerDay?: number
  acceptRisks: string[]
  nonUs?: boolean
  allowLiveResume?: boolean
  answerWithin: number
  confirm: boolean
}

/** `pit mcp`: tools for a model, over stdio or HTTP; read-only unless --allow-trading is set. */
export const mcpCommand = (deps: CommandDeps): Command =>
  new Command('mcp')
    .description('Serve tools for a model (MCP) over stdio, or HTTP with --http; read-only by default.')
    .option('--http <port>', 'Serve streamable HTTP on this port instead of stdio (0: any free port)', port)
    .option('--host <address>', 'Address that HTTP listens on', '127.0.0.1')
    .option('--toolsets <names>', `Comma-separated: ${TOOLSETS.join(',')}`, toolsets, [...TOOLSETS])
    .option('--allow-trading', 'Serve the tools that sign; requires both maximums')
    .option('--max-usd-per-trade <dollars>', 'Maximum per trade in USD', positive)
    .option('--max-usd-per-day <dollars>', 'Maximum in 24 hours in USD', positive)
    .option(
      '--accept-risks <codes>',
      'Severe risks you accept for every trade, comma-separated',
      riskCodes,
      [],
    )
    .option('--non-us', 'You are not a US person (required for stock tokens)')
    .option('--allow-live-resume', 'Let the model resume live agents (it may always pause and stop them)')
    .option('--no-confirm', 'Do not ask the user for confirmation before a tool acts')
    .option(
      '--answer-within <seconds>',
      'Timeout of a trade call; a trade not mined by then is reported as uncertain or in_progress',
      positive,
      45,
    )
    .action((options: Options, command: Command) => serve(deps, options, command))

async function serve(deps: CommandDeps, options: Options, command: Command): Promise<void> {
  const { env, terminal, nowMs } = deps
  const globals = globalsOf(command)
  const account = await openAccount(accountDeps(deps), globals)
  const signer = options.allowTrading
    ? account
    : onlySignsIn(account, 'This MCP server is read-only. Start it with --allow-trading.')
  const { account: counted, signatures } = countSignatures(signer)
  const { client, rpc, target, keys } = openFor(deps, readTarget(globals, env), globals, counted)
  const home = join(configHome(env), 'mcp')
  const folder = join(home, `${encodeURIComponent(target.name)}-${account.address}`)
  const trading = options.allowTrading
    ? openTrading(options, { client, folder, nowMs, log: terminal.say })
    : null
  const factory = createServerFactory({
    client,
    rpc,
    signatures,
    signIn: async () => keys.write(target, client.address, await client.signIn()),
    trading,
    confirms: options.confirm,
    toolsets: options.toolsets,
    docsFolder: fileURLToPath(new URL('./docs/', import.meta.url)),
    nowMs,
    log: terminal.say,
  })
  const how = trading ? `trading up to $${grouped(options.maxUsdPerTrade ?? 0)} a trade` : 'read-only'
  if (options.http === undefined) {
    serveStdio(factory, { onerror: (error) => terminal.say(`MCP over stdio: ${error.message}`) })
    terminal.say(`Serving ${target.name} as ${client.address} over stdio, ${how}.`)
    return
  }
  const tokenFile = join(home, 'http-token')
  const token = readHttpToken(tokenFile)
  const { url } = await serveHttp(factory, {
    port: options.http,
    host: options.host,
    token,
    log: terminal.say,
  })
  terminal.say(`Serving ${target.name} as ${client.address} at ${url}, ${how}. Bearer token: ${tokenFile}`)
}

function openTrading(
  options: Options,
  { folder, ...given }: Pick<Trading, 'client' | 'nowMs' | 'log'> & { folder: string },
): Trading {
  const { maxUsdPerTrade, maxUsdPerDay } = options
  if (maxUsdPerTrade === undefined || maxUsdPerDay === undefined)
    throw new UsageRefused('--allow-trading requires --max-usd-per-trade and --max-usd-per-day.')
  return {
    ...given,
    journal: openJournal(folder, () => lockFolder(folder)),
    ceilings: ceilingsOf(maxUsdPerTrade, maxUsdPerDay),
    answerWithinMs: options.answerWithin * 1000,
    acceptRisks: options.acceptRisks,
    attestsNonUs: options.nonUs ?? false,
    allowsLiveResume: options.allowLiveResume ?? false,
    inTurn: createTurn(),
  }
}

const names = (text: string): string[] => text.split(',').map((name) => name.trim())

function toolsets(text: string): Toolset[] {
  const chosen = names(text).filter((name): name is Toolset => (TOOLSETS as readonly string[]).includes(name))
  if (chosen.length !== names(text).length)
    throw new InvalidArgumentError(`Use a comma-separated list of ${TOOLSETS.join(', ')}.`)
  return chosen
}

function riskCodes(text: string): string[] {
  if (!names(text).every(isRiskCode)) throw new InvalidArgumentError('Unknown risk code.')
  return names(text)
}
