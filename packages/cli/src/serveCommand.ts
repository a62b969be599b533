import { join } from 'node:path'
import { countSignatures, openTradeOnce, readHttpToken, serveVerbs } from '@pit/sidecar'
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { onlySignsIn, openAccount } from './client/account.ts'
import { lockFolder } from './client/lockFolder.ts'
import { accountDeps, type CommandDeps, globalsOf, openFor } from './client/openClient.ts'
import { port } from './client/parse.ts'
import { configHome, readTarget } from './client/settings.ts'

interface Options {
  port: number
  allowTrading?: boolean
}

/** `pit serve`: the verifying client as a local HTTP service, for programs in other languages. */
export const serveCommand = (deps: CommandDeps): Command =>
  new Command('serve')
    .description('Serve the verifying client over HTTP on this machine, for programs in other languages.')
    .option('--port <port>', 'Port on 127.0.0.1 (0: any free port)', port, 4667)
    .option('--allow-trading', 'Let callers with the token trade, sign and revoke; read-only otherwise')
    .action((options: Options, command: Command) => serve(deps, options, command))

async function serve(deps: CommandDeps, options: Options, command: Command): Promise<void> {
  const { env, terminal, nowMs } = deps
  const globals = globalsOf(command)
  const allowsTrading = options.allowTrading ?? false
  const account = await openAccount(accountDeps(deps), globals)
  const signer = allowsTrading
    ? account
    : onlySignsIn(account, 'pit serve is read-only. Start it with --allow-trading.')
  const { account: counted, signatures } = countSignatures(signer)
  const { client, target, keys } = openFor(deps, readTarget(globals, env), globals, counted)
  const home = join(configHome(env), 'serve')
  const folder = join(home, `${encodeURIComponent(target.name)}-${account.address}`)
  const tokenFile = join(home, 'token')
  const { url, close } = await serveVerbs({
    client,
    domain: target.domain,
    signatures,
    signIn: async () => keys.write(target, client.address, await client.signIn()),
    once: openTradeOnce({ client, folder, takeLock: () => lockFolder(folder), nowMs }),
    allowsTrading,
    version: manifest.version,
    token: readHttpToken(tokenFile),
    port: options.port,
    nowMs,
    log: terminal.say,
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void close().then(() => process.exit(0)))
  // One line of JSON, so that a program that starts this process can read it.
  terminal.data(JSON.stringify({ url, token_file: tokenFile, address: client.address }))
  const how = allowsTrading ? 'callers with the token can trade' : 'read-only'
  terminal.say(`Serving ${target.name} as ${client.address} at ${url}, ${how}. Token: ${tokenFile}`)
}
