import { lowerAddress } from '@pit/chain'
import { readRecord, type SeasonRecord } from '@pit/league/record'
import { firstDifference } from '@pit/league/rules'
import type { Db } from '@pit/platform/db'
import { addressesIn, createRpc, type Rpc } from '@pit/platform/rpc'
import { type ChainProfile, stakingRegistryOf } from '@pit/protocol'
import { Command, InvalidArgumentError } from 'commander'
import { CommandRefused } from './backtest/refused.ts'
import { openStoredMarks } from './backtest/storedMarks.ts'
import { checkFacts, readChain } from './league/readChain.ts'
import { type ChainFacts, rebuildSeason } from './league/rebuildSeason.ts'

/** What the command reaches outside. */
export interface VerifyDeps {
  print(text: string): void
  open(): Promise<{
    db: Db
    profile: ChainProfile
    rpc: Pick<Rpc, 'request' | 'batch'> | null
    close(): Promise<void>
  }>
}

/** `pit league verify`: what anyone with the record can recompute. */
export const verifyCommand = (deps: VerifyDeps): Command =>
  new Command('verify')
    .description(
      'Rebuild a decided season from trades, marks and the chain; says equal, or the first difference.',
    )
    .argument('<n>', 'season number', seasonNumber)
    .option('--no-chain', 'take gas, blocks and the stake as recorded, without asking a node')
    .action(async (number: number, { chain }: { chain: boolean }, command: Command) => {
      const opened = await deps.open()
      try {
        const verified = await verifySeason(opened, number, chain)
        const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
        deps.print(json ? JSON.stringify({ season: number, ...verified }) : verified.text)
        if (!verified.equal) throw new CommandRefused(`season ${number} differs from its record`)
      } finally {
        await opened.close()
      }
    })

function seasonNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Use a season number, such as 3.')
  return Number(text)
}

type Difference = { path: string; recorded: unknown; rebuilt: unknown }

export async function verifySeason(
  { db, profile, rpc }: Pick<Awaited<ReturnType<VerifyDeps['open']>>, 'db' | 'profile' | 'rpc'>,
  number: number,
  withChain: boolean,
): Promise<{ equal: boolean; text: string }> {
  const record = await readRecord(db, number)
  if ('none' in record) throw new CommandRefused(record.none)
  if (withChain && !rpc) throw new CommandRefused('No node to ask: set CHAIN_RPC_URL, or use --no-chain.')
  const chain = withChain && rpc ? await readChain(rpc, record) : null
  const rebuilt = rebuildSeason(record, profile, chain?.facts ?? asRecorded)
  const difference =
    chain?.difference ??
    (withChain && rpc ? await checkFacts(rpc, record, placeOf(profile)) : null) ??
    recordDifference(record, rebuilt)
  const counted = `${record.entries.length} entrants, ${rebuilt.trades} transactions`
  return difference
    ? { equal: false, text: `season ${number}: ${counted}: differs at ${shown(difference)}` }
    : { equal: true, text: `season ${number}: ${counted}: equal` }
}

const asRecorded: ChainFacts = {
  gasOf: ({ gas_wei }) => (gas_wei === null ? null : BigInt(gas_wei)),
}

const placeOf = ({ contracts, league, agent_registry }: ChainProfile) => ({
  registry: stakingRegistryOf({ agent_registry }),
  platformAgentId: league.platform_agent_id,
  multicall3: lowerAddress(contracts.multicall3),
})

function recordDifference(
  record: SeasonRecord,
  rebuilt: ReturnType<typeof rebuildSeason>,
): Difference | null {
  const rows = record.entries.map(({ row }, i) => counted(row, rebuilt.rows[i] ?? {}))
  return (
    firstDifference({ outcome: record.outcome }, { outcome: rebuilt.outcome }) ??
    firstDifference({ rows }, { rows: rebuilt.rows }) ??
    (rebuilt.ledger &&
      firstDifference({ ledger: counted(record.ledger ?? {}, rebuilt.ledger) }, { ledger: rebuilt.ledger }))
  )
}

/** Of a recorded row what is counted: names and addresses are the registry's. */
const counted = (row: object, like: object): object =>
  Object.fromEntries(Object.keys(like).map((key) => [key, (row as Record<string, unknown>)[key]]))

const shown = ({ path, recorded, rebuilt }: Difference): string =>
  `${path}: recorded ${JSON.stringify(recorded)}, rebuilt ${JSON.stringify(rebuilt)}`

/** The command on this machine: the store and the node that the environment names. */
export const openVerifyDeps = (env: Record<string, string | undefined>): VerifyDeps => ({
  print: (text) => console.log(text),
  async open() {
    const { db, profile } = await openStoredMarks(env)
    const urls = env['CHAIN_RPC_URL'] ? addressesIn(env['CHAIN_RPC_URL']) : profile.rpc_urls
    const rpc = urls.length > 0 ? createRpc({ url: urls, chainId: profile.chain_id }) : null
    return {
      db,
      profile,
      rpc,
      async close() {
        rpc?.close()
        await db.close()
      },
    }
  },
})
