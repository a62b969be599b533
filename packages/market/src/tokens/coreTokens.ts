import { NATIVE } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { askCall, type ContractCall, pausedCall, readOne, wordsIn } from '@pit/platform/reads'
import { type CoreToken, lower } from '@pit/protocol'
import type { TokenDeps } from './deps.ts'
import type { CodeReading, TokenReading } from './reading.ts'
import { readCode } from './screen/readCode.ts'

const NO_CODE: CodeReading = {
  codeHash: `0x${'0'.repeat(64)}`,
  proxy: null,
  stockBeacon: false,
  powers: [],
  bridged: false,
}

/** A core asset as the profile describes it, with the current state of a stock. */
export async function readCoreToken(
  deps: Pick<TokenDeps, 'rpc' | 'crypto' | 'profile' | 'clock' | 'market'>,
  token: CoreToken,
): Promise<TokenReading> {
  const address = lower(token.address)
  const isStock = token.kind === 'stock'
  const [read, paused] = await Promise.all([
    address === NATIVE ? null : readCode(deps, address),
    isStock ? askWord(deps, pausedCall(address)) : null,
  ])
  return {
    ...coreReading(token, nowS(deps.clock)),
    code: { ...NO_CODE, ...read?.code },
    saysPaused: paused === null ? null : paused === 1n,
    block: deps.market.head()?.number ?? 0,
  }
}

/** A core asset by the profile alone. */
export function coreReading(token: CoreToken, atS: number): TokenReading {
  return {
    address: lower(token.address),
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals,
    textFaults: [],
    code: { ...NO_CODE, stockBeacon: token.kind === 'stock' },
    owner: null,
    proved: [],
    saysPaused: null,
    firstPoolAtS: null,
    // Core assets need no trial.
    trial: { status: 'no_route' },
    agentToken: false,
    screenedAtS: atS,
    block: 0,
  }
}

async function askWord({ rpc }: Pick<TokenDeps, 'rpc'>, call: ContractCall): Promise<bigint | null> {
  return wordsIn(await readOne(rpc, askCall(call)), 1)?.[0] ?? null
}
