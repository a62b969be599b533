import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type Address, createCrypto, type Hex } from '@pit/chain'
import { amountText, type TokenFactsMap, tokenNamed } from '@pit/client'
import { type Answer, decimalText, dollarsText, grouped, priceUsdOf, usdOf } from '@pit/protocol'
import { Command } from 'commander'
import { sealKey } from '../keys/keystore.ts'
import { asKey, keystoreFile, keystoreFolder, readPassword } from './account.ts'
import { InputNeeded, json, UsageRefused } from './exit.ts'
import { type CommandDeps, globalsOf, logIn, openClient, openReader, openSignedIn } from './openClient.ts'
import { defined, whole } from './parse.ts'
import { atomsText, show, timeText } from './show.ts'
import { table } from './terminal.ts'
import { sized, type TradeFlags, tradeParams } from './tradeCommand.ts'

export const loginCommand = (deps: CommandDeps): Command =>
  new Command('login')
    .description('Sign in with your wallet and store the API key.')
    .action(async (_options: object, command: Command) => {
      const opened = await openClient(deps, command)
      const { wallet, expires_at, account } = await logIn(deps, opened)
      show(deps, opened, { wallet, account, expires_at }, () =>
        table([
          ['wallet', wallet],
          ['account', account.name],
          ['key until', new Date(expires_at * 1000).toISOString()],
        ]),
      )
    })

export const quoteCommand = (deps: CommandDeps): Command =>
  sized(new Command('quote').description('Quote a trade: all routes, best first.')).action(
    async (tokenIn: string, tokenOut: string, options: TradeFlags, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const { token_in, token_out, notional_usd, amount_in, slippage_bps, accept_risks, shield } =
        tradeParams(tokenIn, tokenOut, options)
      const request = { token_in, token_out, notional_usd, amount_in, slippage_bps, accept_risks, shield }
      const quote = await opened.client.quote(defined(request) as never)
      show(deps, opened, quote, () =>
        table([
          ['route', 'venue', 'amount out (atoms)', 'vs mid bps', 'gas $', 'total cost bps'],
          ...quote.routes
            .slice(0, 10)
            .map((row) => [row.label, row.venue, row.amount_out, row.vs_mid_bps, row.gas_usd, row.total_bps]),
        ]),
      )
    },
  )

export const portfolioCommand = (deps: CommandDeps): Command =>
  new Command('portfolio')
    .description('Show your wallet’s balances by your own node, and your fee tier.')
    .action(async (_options: object, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const listed = await opened.client.portfolio()
      // Tokens outside the pins: the server may name them, your node says what you hold of them.
      const named = listed.holdings.map(({ address }) => address)
      const { holdings, unread } = await opened.client.holdings(named)
      const total = holdings.reduce((sum, { microUsd }) => sum + (microUsd ?? 0n), 0n)
      const value = {
        wallet: opened.client.address,
        total_usd: usdOf(total),
        holdings: holdings.map(({ token, atoms, priceE18, isStale, microUsd }) => ({
          address: token.address,
          symbol: token.symbol,
          decimals: token.decimals,
          amount_atoms: atoms,
          amount: token.decimals === null ? null : decimalText(atoms, token.decimals),
          price_usd: priceE18 === null ? null : priceUsdOf(priceE18),
          stale: isStale,
          value_usd: microUsd === null ? null : usdOf(microUsd),
        })),
        unread,
        server: { volume: listed.volume },
      }
      show(
        deps,
        opened,
        value,
        () =>
          table([
            ['amount', 'price $', 'value'],
            ...holdings.map(({ token, atoms, priceE18, microUsd }) => [
              amountText(atoms, token),
              priceE18 === null ? null : grouped(decimalText(priceE18, 18)),
              microUsd === null ? null : dollarsText(microUsd),
            ]),
            ['total', '', dollarsText(total)],
            ...unread.map((token) => [token, null, 'cannot be read on your node']),
          ]),
        { source: 'own' },
      )
      deps.terminal.say(`Fee tier according to the server: ${listed.volume.tier_bps} bps.`)
    })

export const tradesCommand = (deps: CommandDeps): Command =>
  new Command('trades')
    .description('List your trades, newest first.')
    .option('--limit <n>', 'Maximum number of rows', whole, 20)
    .option('--refused', 'Include trades that were refused or never mined')
    .action(async ({ limit, refused = false }: { limit: number; refused?: boolean }, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const rows: Answer<'me.trades'>['trades'] = []
      for await (const row of opened.client.trades({ refused })) {
        rows.push(row)
        if (rows.length >= limit) break
      }
      const tokens = await opened.client.tokens(
        rows.flatMap((row) => [row.token_in.address, row.token_out.address]),
      )
      show(deps, opened, rows, () =>
        table([
          ['time', 'path', 'status', 'sold', 'bought', 'transaction'],
          ...rows.map((row) => [
            timeText(row.time),
            row.path,
            row.status,
            tradedText(tokens, row.amount_in, row.token_in),
            tradedText(tokens, row.amount_out, row.token_out),
            row.tx_hash,
          ]),
        ]),
      )
    })

const cell = (value: string | number | null): string | null => (value === null ? null : grouped(value))

/** The server's amount, with name and decimals by the pins or your node. */
const tradedText = (
  tokens: TokenFactsMap,
  atoms: string | null,
  { address }: { address: string },
): string | null =>
  atoms === null ? null : atomsText(BigInt(atoms), tokens.get(address.toLowerCase() as Address)!)

export const tokenCommand = (deps: CommandDeps): Command =>
  new Command('token')
    .description('Show a token’s tier, risks and venues.')
    .argument('<token>', 'Core symbol or address')
    .action(async (name: string, _options: object, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const { client } = opened
      const address = tokenNamed(client.pins, name) ?? name
      const record = await client.api['tokens.get']({ params: { address } })
      show(deps, opened, record, () =>
        table([
          ['symbol', record.symbol],
          ['name', record.name],
          ['tier', record.tier],
          ['liquidity $', cell(record.liquidity_usd)],
          ['risks', record.risks.map(({ code, severity }) => `${code} (${severity})`).join(', ') || 'none'],
        ]),
      )
    })

export const configCommand = (deps: CommandDeps): Command =>
  new Command('config')
    .description('Show the server’s config, checked against your pins.')
    .action(async (_options: object, command: Command) => {
      const opened = openReader(deps, command)
      const { client, target } = opened
      await client.checkConfig()
      const config = await client.api.config()
      show(deps, opened, config, () =>
        table([
          ['server', `${target.url} ${config.version}`],
          ['domain', config.auth.domain],
          ['router', config.universal_router],
          ['fee recipient', config.fee.recipient],
          ['co-signer', `${config.session.cosigner}${client.pins.cosigner === null ? ' (not pinned)' : ''}`],
          ['relays', String(config.submit_enabled)],
          ['pins', 'match'],
        ]),
      )
    })

/** Keys are stored encrypted in foundry's keystores; a private key is never an argument. */
export const keyCommand = (deps: CommandDeps): Command =>
  new Command('key')
    .description('Manage your keys in Foundry keystores.')
    .addCommand(
      new Command('new')
        .description('Create a key and store it encrypted.')
        .argument('<name>')
        .action((name: string, _options: object, command: Command) =>
          writeKey(deps, command, name, async () => `0x${randomBytes(32).toString('hex')}`),
        ),
    )
    .addCommand(
      new Command('import')
        .description('Import a private key, typed or piped in.')
        .argument('<name>')
        .action((name: string, _options: object, command: Command) =>
          writeKey(deps, command, name, async () =>
            asKey(await deps.terminal.askSecret('Private key: '), 'The input'),
          ),
        ),
    )

async function writeKey(
  { env, terminal }: CommandDeps,
  command: Command,
  name: string,
  make: () => Promise<Hex>,
): Promise<void> {
  const file = keystoreFile(env, name)
  if (existsSync(file)) throw new UsageRefused(`${file} already exists; nothing was written.`)
  const passwordFile = env['ETH_PASSWORD']
  if (passwordFile === undefined && !terminal.isInteractive)
    throw new InputNeeded(
      'No terminal to read a password from. Set ETH_PASSWORD to a file with the password.',
    )
  const key = await make()
  const password = passwordFile === undefined ? await newPassword(terminal) : readPassword(passwordFile)
  mkdirSync(keystoreFolder(env), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${JSON.stringify(await sealKey(key, password))}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(file, 0o600)
  const { addressOf, toChecksum } = await createCrypto()
  const address = toChecksum(addressOf(key))
  terminal.data(globalsOf(command).json ? json({ name, address }) : table([[name, address]]))
}

async function newPassword({ askSecret }: CommandDeps['terminal']): Promise<string> {
  const password = await askSecret('New password: ')
  if (password !== (await askSecret('Repeat password: ')))
    throw new UsageRefused('The two passwords differ; nothing was written.')
  return password
}
