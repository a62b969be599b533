import { setTimeout as sleep } from 'node:timers/promises'
import { fromViem, type Rpc } from '@pit/client'
import { decimalText, parseDecimal } from '@pit/protocol'
import { Command, InvalidArgumentError } from 'commander'
import { privateKeyToAccount } from 'viem/accounts'
import { openAccount } from '../client/account.ts'
import { UsageRefused } from '../client/exit.ts'
import { accountDeps, type CommandDeps, openReader } from '../client/openClient.ts'
import { address } from '../client/parse.ts'
import type { Target } from '../client/settings.ts'
import { show } from '../client/show.ts'
import { table } from '../client/terminal.ts'
import { ether, sendTransaction } from '../session/ether.ts'

type Hex = `0x${string}`

interface FundFlags {
  eth: bigint
  usdg: bigint
}

const USDG_DECIMALS = 6

export const fundCommand = (deps: CommandDeps): Command =>
  new Command('fund')
    .description('Send test ETH and USDG from the devnet’s public test account to a wallet.')
    .argument('[address]', 'Wallet to fund (default: your account)', address)
    .option('--eth <ether>', 'Amount of ETH', ether, 10n ** 18n)
    .option('--usdg <dollars>', 'Amount of USDG', usdg, 1_000_000_000n)
    .action(async (to: Hex | undefined, flags: FundFlags, command: Command) => {
      const opened = openReader(deps, command)
      const { target, rpc, options } = opened
      mustBeDevnet(target)
      const account = fromViem(privateKeyToAccount(await testKey(rpc, target)))
      const wallet = to ?? (await openAccount(accountDeps(deps), options)).address
      const from = { account, rpc, chainId: target.profile.chain_id, sleep: (ms: number) => sleep(ms) }
      const token = target.profile.core_tokens.find(({ symbol }) => symbol === 'USDG')!.address as Hex
      const hashes = [
        await sendTransaction(from, { to: wallet, value: flags.eth }),
        await sendTransaction(from, { to: token, value: 0n, data: transferData(wallet, flags.usdg) }),
      ]
      const eth = decimalText(flags.eth, 18)
      const dollars = decimalText(flags.usdg, USDG_DECIMALS)
      show(deps, opened, { wallet, eth, usdg: dollars, tx_hashes: hashes }, () =>
        table([
          ['wallet', wallet],
          ['ETH', eth],
          ['USDG', dollars],
        ]),
      )
    })

function mustBeDevnet({ name, profile }: Target): void {
  if (profile.kind === 'devnet') return
  throw new UsageRefused(`Profile ${name} is a ${profile.kind}. pit devnet fund works on a devnet only.`)
}

/** Only a devnet node supports this method, so a wrong profile is detected here. */
async function testKey(rpc: Rpc, { rpcUrl }: Target): Promise<Hex> {
  const [info] = await rpc.all([{ method: 'devnet_info', params: [] }])
  const accounts = (info as { accounts?: { private_key: Hex }[] } | null)?.accounts
  const last = info instanceof Error ? undefined : accounts?.at(-1)
  if (last) return last.private_key
  throw new UsageRefused(
    `The node at ${rpcUrl} is not a devnet node. pit devnet fund works on a devnet only.`,
  )
}

const transferData = (to: Hex, atoms: bigint): Hex =>
  `0xa9059cbb${to.slice(2).padStart(64, '0')}${atoms.toString(16).padStart(64, '0')}`

function usdg(text: string): bigint {
  const atoms = parseDecimal(text, USDG_DECIMALS)
  if (atoms === undefined || atoms <= 0n)
    throw new InvalidArgumentError('Must be an amount in dollars, such as 250.')
  return atoms
}
