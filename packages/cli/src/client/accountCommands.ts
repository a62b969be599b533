import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCrypto, type Hex } from '@pit/chain'
import { tokenNamed } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { Command } from 'commander'
import { sealKey } from '../keys/keystore.ts'
import { asKey, keystoreFolder } from './account.ts'
import { InputNeeded, UsageRefused } from './exit.ts'
import { type CommandDeps, globalsOf, logIn, openClient, openSignedIn } from './openClient.ts'
import { table } from './terminal.ts'
import { askOf, sized } from './tradeCommand.ts'

export const loginCommand = (deps: CommandDeps): Command =>
  new Command('login')
    .description('Sign in with your wallet and keep the key.')
    .action(async (_options: object, command: Command) => {
      const opened = await openClient(deps, command)
      const { wallet, expires_at, account } = await logIn(deps, opened)
      show(deps, command, { wallet, account, expires_at }, () =>
        table([
          ['wallet', wallet],
          ['account', account.name],
          ['key until', new Date(expires_at * 1000).toISOString()],
        ]),
      )
    })

export const quoteCommand = (deps: CommandDeps): Command =>
  sized(new Command('quote').description('Every route for a trade, best first.')).action(
    async (tokenIn: string, tokenOut: string, options: Parameters<typeof askOf>[2], command: Command) => {
      const { client } = await openSignedIn(deps, command)
      const { token_in, token_out, notional_usd, amount_in, slippage_bps, accept_risks, shield } = askOf(
        tokenIn,
        tokenOut,
        options,
      )
      const asked = { token_in, token_out, notional_usd, amount_in, slippage_bps, accept_risks, shield }
      const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
      const quote = await client.quote(given as never)
      show(deps, command, quote, () =>
        table([
          ['route', 'venue', 'amount out (atoms)', 'vs mid bps', 'gas $', 'all in bps'],
          ...quote.routes
            .slice(0, 10)
            .map((row) => [row.label, row.venue, row.amount_out, row.vs_mid_bps, row.gas_usd, row.total_bps]),
        ]),
      )
    },
  )

export const portfolioCommand = (deps: CommandDeps): Command =>
  new Command('portfolio')
    .description('What your wallet holds, and your fee tier.')
    .action(async (_options: object, command: Command) => {
      const { client } = await openSignedIn(deps, command)
      const portfolio = await client.portfolio()
      show(deps, command, portfolio, () =>
        table([
          ['token', 'amount', 'price $', 'value $'],
          ...portfolio.holdings.map((one) => [one.symbol, one.amount, one.price_usd, one.value_usd]),
          ['total', '', '', portfolio.total_usd],
        ]),
      )
    })

export const tradesCommand = (deps: CommandDeps): Command =>
  new Command('trades')
    .description('Your trades, newest first.')
    .option('--limit <n>', 'how many', Number, 20)
    .option('--refused', 'also what was refused or never mined')
    .action(async ({ limit, refused = false }: { limit: number; refused?: boolean }, command: Command) => {
      const { client } = await openSignedIn(deps, command)
      const rows: Answer<'me.trades'>['trades'] = []
      for await (const row of client.trades({ refused })) {
        rows.push(row)
        if (rows.length >= limit) break
      }
      show(deps, command, rows, () =>
        table([
          ['time', 'path', 'status', 'sold', 'bought', 'transaction'],
          ...rows.map((row) => [
            new Date(row.time * 1000).toISOString().slice(0, 19),
            row.path,
            row.status,
            `${row.amount_in ?? '–'} ${row.token_in.symbol}`,
            `${row.amount_out ?? '–'} ${row.token_out.symbol}`,
            row.tx_hash,
          ]),
        ]),
      )
    })

export const tokenCommand = (deps: CommandDeps): Command =>
  new Command('token')
    .description('A token’s tier, risks and venues.')
    .argument('<token>', 'a core symbol or an address')
    .action(async (name: string, _options: object, command: Command) => {
      const { client } = await openSignedIn(deps, command)
      const address = tokenNamed(client.pins, name) ?? name
      const record = await client.api['tokens.get']({ params: { address } })
      show(deps, command, record, () =>
        table([
          ['symbol', record.symbol],
          ['name', record.name],
          ['tier', record.tier],
          ['liquidity $', record.liquidity_usd],
          ['risks', record.risks.map(({ code, severity }) => `${code} (${severity})`).join(', ') || 'none'],
        ]),
      )
    })

export const configCommand = (deps: CommandDeps): Command =>
  new Command('config')
    .description('The server’s config, held against your pins.')
    .action(async (_options: object, command: Command) => {
      const { client, target } = await openClient(deps, command)
      await client.checkConfig()
      const config = await client.api.config()
      show(deps, command, config, () =>
        table([
          ['server', `${target.url} ${config.version}`],
          ['domain', config.auth.domain],
          ['router', config.universal_router],
          ['fee recipient', config.fee.recipient],
          ['co-signer', `${config.session.cosigner}${client.pins.cosigner === null ? ' (not pinned)' : ''}`],
          ['relays', String(config.submit_enabled)],
          ['pins', 'agree'],
        ]),
      )
    })

/** Keys live in foundry's keystores, encrypted; a private key is never an argument. */
export const keyCommand = (deps: CommandDeps): Command =>
  new Command('key')
    .description('Keys of your own, in foundry’s keystores.')
    .addCommand(
      new Command('new')
        .description('Make a key and write it encrypted.')
        .argument('<name>')
        .action((name: string) => writeKey(deps, name, `0x${randomBytes(32).toString('hex')}`)),
    )
    .addCommand(
      new Command('import')
        .description('Write a key that you type or pipe in.')
        .argument('<name>')
        .action(async (name: string) =>
          writeKey(deps, name, asKey(await deps.terminal.askSecret('Private key: '), 'What was given')),
        ),
    )

async function writeKey({ env, terminal }: CommandDeps, name: string, key: Hex): Promise<void> {
  if (!/^[\w.-]+$/.test(name)) throw new UsageRefused(`${name} is no keystore’s name.`)
  const file = join(keystoreFolder(env), name)
  if (existsSync(file)) throw new UsageRefused(`${file} is there already; nothing was written.`)
  if (!terminal.isInteractive) throw new InputNeeded('A keystore’s password is asked at a terminal.')
  const password = await terminal.askSecret('New password: ')
  if (password !== (await terminal.askSecret('The same again: ')))
    throw new UsageRefused('The two passwords differ.')
  mkdirSync(keystoreFolder(env), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${JSON.stringify(await sealKey(key, password))}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(file, 0o600)
  const { addressOf, toChecksum } = await createCrypto()
  terminal.data(table([[name, toChecksum(addressOf(key))]]))
}

function show({ terminal }: CommandDeps, command: Command, value: unknown, shown: () => string): void {
  terminal.data(globalsOf(command).json ? JSON.stringify(value) : shown())
}
