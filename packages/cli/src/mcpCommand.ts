import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Account, createTurn } from '@pit/client'
import {
  ceilingsOf,
  createServerFactory,
  openJournal,
  readHttpToken,
  serveHttp,
  serveStdio,
  TOOLSETS,
  type Toolset,
  type Trading,
} from '@pit/mcp'
import { lockStore, StoreLockedError } from '@pit/platform/db/storeLock'
import { isRiskCode } from '@pit/protocol'
import { Command, InvalidArgumentError } from 'commander'
import { openAccount } from './client/account.ts'
import { UsageRefused } from './client/exit.ts'
import { accountDeps, type CommandDeps, globalsOf, openFor } from './client/openClient.ts'
import { positive } from './client/parse.ts'
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

/** `pit mcp`: tools for a model, over stdio or HTTP; it reads unless --allow-trading says otherwise. */
export const mcpCommand = (deps: CommandDeps): Command =>
  new Command('mcp')
    .description('Serve tools for a model (MCP) over stdio, or HTTP with --http; read-only by default.')
    .option('--http <port>', 'streamable HTTP instead of stdio; 0 takes a free port', port)
    .option('--host <address>', 'where HTTP listens', '127.0.0.1')
    .option('--toolsets <names>', `some of ${TOOLSETS.join(',')}`, toolsets, [...TOOLSETS])
    .option('--allow-trading', 'serve the tools that sign; needs both ceilings')
    .option('--max-usd-per-trade <dollars>', 'the most one trade may spend', positive)
    .option('--max-usd-per-day <dollars>', 'the most all trades of 24 hours may spend', positive)
    .option('--accept-risks <codes>', 'severe risks you accept for every trade', riskCodes, [])
    .option('--non-us', 'you are not a US person (stock tokens)')
    .option('--allow-live-resume', 'let the model resume live agents; it may always pause and stop them')
    .option('--no-confirm', 'do not ask the host’s user before a tool acts, even if the host can')
    .option('--answer-within <seconds>', 'a trade call answers by then, mined or not', positive, 45)
    .action((options: Options, command: Command) => serve(deps, options, command))

async function serve(deps: CommandDeps, options: Options, command: Command): Promise<void> {
  const { env, terminal, nowMs } = deps
  const globals = globalsOf(command)
  const account = await openAccount(accountDeps(deps), globals)
  const signer = options.allowTrading ? account : onlySignsIn(account)
  const { client, rpc, target, keys } = openFor(deps, readTarget(globals, env), globals, signer)
  const home = join(configHome(env), 'mcp')
  const folder = join(home, `${encodeURIComponent(target.name)}-${account.address}`)
  const trading = options.allowTrading
    ? openTrading(options, { client, folder, nowMs, log: terminal.say })
    : null
  const factory = createServerFactory({
    client,
    rpc,
    signIn: async () => keys.write(target, client.address, await client.signIn()),
    trading,
    confirms: options.confirm,
    toolsets: options.toolsets,
    docsFolder: fileURLToPath(new URL('./docs/', import.meta.url)),
    nowMs,
    log: terminal.say,
  })
  const how = trading ? `trading up to $${options.maxUsdPerTrade} a trade` : 'read-only'
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
    throw new UsageRefused('--allow-trading needs --max-usd-per-trade and --max-usd-per-day.')
  return {
    ...given,
    journal: openJournal(folder, () => lock(folder)),
    ceilings: ceilingsOf(maxUsdPerTrade, maxUsdPerDay),
    answerWithinMs: options.answerWithin * 1000,
    acceptRisks: options.acceptRisks,
    attestsNonUs: options.nonUs ?? false,
    allowsLiveResume: options.allowLiveResume ?? false,
    inTurn: createTurn(),
  }
}

/** Taken with the first trade, not at the start: hosts start a server twice to see what it speaks. */
function lock(folder: string): number | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    process.once('exit', lockStore(join(folder, 'lock')))
    return null
  } catch (error) {
    if (error instanceof StoreLockedError) return error.pid
    throw error
  }
}

/** A server that only reads cannot be talked into a signature: its account has none to give. */
function onlySignsIn({ address, signMessage }: Account): Account {
  const refuse = async () => {
    throw new UsageRefused('This server reads only; start it with --allow-trading.')
  }
  return { address, signMessage, signTypedData: refuse, signTransaction: refuse }
}

function port(text: string): number {
  const value = Number(text)
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('It must be a port.')
  return value
}

const names = (text: string): string[] => text.split(',').map((name) => name.trim())

function toolsets(text: string): Toolset[] {
  const chosen = names(text).filter((name): name is Toolset => (TOOLSETS as readonly string[]).includes(name))
  if (chosen.length !== names(text).length)
    throw new InvalidArgumentError(`They are ${TOOLSETS.join(', ')}, with commas between.`)
  return chosen
}

function riskCodes(text: string): string[] {
  if (!names(text).every(isRiskCode)) throw new InvalidArgumentError('One of them is no risk code.')
  return names(text)
}
