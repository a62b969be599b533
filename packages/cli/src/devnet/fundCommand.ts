import { setTimeout as sleep } from 'node:timers/promises'
import { decimalText, grouped, parseDecimal } from '@pit/protocol'
import { Command, InvalidArgumentError } from 'commander'
import { openAccount } from '../client/account.ts'
import { UsageRefused } from '../client/exit.ts'
import { accountDeps, type CommandDeps, openReader } from '../client/openClient.ts'
import { address } from '../client/parse.ts'
import type { Target } from '../client/settings.ts'
import { show } from '../client/show.ts'
import { table } from '../client/terminal.ts'
import { ether } from '../session/ether.ts'
import { type Funds, sendTestFunds } from './fund.ts'

type Hex = `0x${string}`

const USDG_DECIMALS = 6

export const fundCommand = (deps: CommandDeps): Command =>
  new Command('fund')
    .description('Send test ETH and USDG from the devnet’s public test account to a wallet.')
    .argument('[address]', 'Wallet to fund (default: your account)', address)
    .option('--eth <ether>', 'Amount of ETH', ether, 10n ** 18n)
    .option('--usdg <dollars>', 'Amount of USDG', usdg, 1_000_000_000n)
    .action(async (to: Hex | undefined, flags: Funds, command: Command) => {
      const opened = openReader(deps, command)
      const { target, rpc, options } = opened
      mustBeDevnet(target)
      const wallet = to ?? (await openAccount(accountDeps(deps), options)).address
      const hashes = await sendTestFunds(
        { rpc, profile: target.profile, sleep: (ms) => sleep(ms) },
        wallet,
        flags,
      )
      if (hashes === null)
        throw new UsageRefused(
          `The node at ${target.rpcUrl} is not a devnet node. pit devnet fund works on a devnet only.`,
        )
      const eth = decimalText(flags.eth, 18)
      const dollars = decimalText(flags.usdg, USDG_DECIMALS)
      show(deps, opened, { wallet, eth, usdg: dollars, tx_hashes: hashes }, () =>
        table([
          ['wallet', wallet],
          ['ETH', grouped(eth)],
          ['USDG', grouped(dollars)],
        ]),
      )
    })

function mustBeDevnet({ name, profile }: Target): void {
  if (profile.kind === 'devnet') return
  throw new UsageRefused(`Profile ${name} is a ${profile.kind}. pit devnet fund works on a devnet only.`)
}

function usdg(text: string): bigint {
  const atoms = parseDecimal(text, USDG_DECIMALS)
  if (atoms === undefined || atoms <= 0n)
    throw new InvalidArgumentError('Must be an amount in dollars, such as 250.')
  return atoms
}
