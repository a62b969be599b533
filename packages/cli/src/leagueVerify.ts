import { markSourcesOf } from '@pit/chain'
import {
  asRecorded,
  type Difference,
  publishedDifference,
  readRecord,
  recountSeason,
} from '@pit/league/rules'
import { type ChainProfile, lower, stakingRegistryOf } from '@pit/protocol'
import { Command, InvalidArgumentError } from 'commander'
import { CommandRefused } from './backtest/refused.ts'
import type { GlobalOptions } from './client/settings.ts'
import { fundersDifference } from './league/checkFunders.ts'
import type { OpenedRecord } from './league/openRecord.ts'
import { checkFacts, readChain } from './league/readChain.ts'

/** External dependencies of the command. */
export interface VerifyDeps {
  print(text: string): void
  open(options: GlobalOptions): Promise<OpenedRecord>
}

/** `pit league verify`: recomputes a season from its public record. */
export const verifyCommand = (deps: VerifyDeps): Command =>
  new Command('verify')
    .description(
      'Recompute a decided season from trades, marks and the chain; prints “equal” or the first difference.',
    )
    .argument('<n>', 'Season number', seasonNumber)
    .option('--no-chain', 'Use gas, blocks and stake as recorded, without reading a node')
    .action(async (number: number, { chain }: { chain: boolean }, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>()
      const opened = await deps.open(options)
      try {
        const verified = await verifySeason(opened, number, chain)
        const { json = false } = options
        deps.print(json ? JSON.stringify({ season: number, ...verified }) : verified.text)
        if (!verified.equal) throw new CommandRefused(`Season ${number} differs from its record.`)
      } finally {
        await opened.close()
      }
    })

function seasonNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Use a season number, such as 3.')
  return Number(text)
}

export async function verifySeason(
  { source, published, profile, rpc }: Omit<OpenedRecord, 'close'>,
  number: number,
  withChain: boolean,
): Promise<{ equal: boolean; text: string }> {
  const tokens = markSourcesOf(profile).flatMap(({ kind, token }) => (kind === 'fixed' ? [] : [token]))
  const record = await orMalformed(() => readRecord(source, number, tokens))
  if ('none' in record) throw new CommandRefused(record.none)
  if (withChain && !rpc)
    throw new CommandRefused('No node is configured. Set CHAIN_RPC_URL, or use --no-chain.')
  const publishedSeason = published && (await published(number))
  const chain = withChain && rpc ? await readChain(rpc, record) : null
  const rebuilt = await orMalformed(() => recountSeason(record, profile, chain?.facts ?? asRecorded))
  const difference =
    (publishedSeason && (await orMalformed(() => publishedDifference(publishedSeason.rows, record)))) ??
    chain?.difference ??
    (withChain && rpc ? await checkFacts(rpc, record, placeOf(profile)) : null) ??
    (withChain && rpc ? await fundersDifference(rpc, record) : null) ??
    rebuilt.difference
  const counted = `${record.entries.length} entrants, ${rebuilt.trades} transactions`
  return difference
    ? { equal: false, text: `season ${number}: ${counted}: differs at ${shown(difference)}` }
    : { equal: true, text: `season ${number}: ${counted}: equal` }
}

/** The server's record is untrusted input. */
async function orMalformed<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError))
      throw error
    throw new CommandRefused(`The record is malformed: ${error.message}`, { cause: error })
  }
}

const placeOf = ({ contracts, league, agent_registry }: ChainProfile) => ({
  registry: stakingRegistryOf({ agent_registry }),
  platformAgentId: league.platform_agent_id,
  multicall3: lower(contracts.multicall3),
})

const shown = ({ path, recorded, rebuilt }: Difference): string =>
  `${path}: recorded ${JSON.stringify(recorded)}, rebuilt ${JSON.stringify(rebuilt)}`
