import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { toHex } from './hex.ts'
import { mineBlock } from './mineBlock.ts'
import { type Call, createProvider, type Provider } from './provider.ts'
import type { Hex } from './types.ts'
import { type ImageAccount, toGenesis } from './worldState.ts'

/** The base block of an image. Block 0 needs only the accounts. */
export interface ImageBase {
  number: number
  hash: Hex
  stateRoot: Hex
  timestampS: string
  baseFeeWei: string
  prevRandao: Hex
}

/** Settings of an engine that are not state and not in blocks. */
export interface EngineSettings {
  coinbase?: Hex
  blockGasLimit: string
  impersonated: Hex[]
  timeOffsetS: string
}

/** Everything needed to build an engine that continues from block `base` with reproducible hashes. */
export interface Image {
  genesisTimeS: string
  initialBaseFeeWei: string
  initialBlockGasLimit: string
  accounts: ImageAccount[]
  /** Calls that bring the state from the accounts to the base block. */
  changes: Call[]
  base: ImageBase
  settings: EngineSettings
}

export type Groundwork = Pick<
  Image,
  'genesisTimeS' | 'initialBaseFeeWei' | 'initialBlockGasLimit' | 'accounts'
>

/** Writes a file atomically, with a checksum before the text. */
export function writeChecked(path: string, value: unknown): void {
  const text = JSON.stringify(value)
  const temporary = `${path}.tmp`
  writeFileSync(temporary, `${createHash('sha256').update(text).digest('hex')}\n${text}`)
  renameSync(temporary, path)
}

export function readChecked<T>(path: string): T {
  const file = readFileSync(path, 'utf8')
  const text = file.slice(65)
  const good = createHash('sha256').update(text).digest('hex') === file.slice(0, 64)
  if (!good) throw new Error(`${path} is damaged: its checksum does not match`)
  return JSON.parse(text)
}

/** The slow part: an engine at block 0 with the image's accounts. */
export function createEngine(ground: Groundwork, ownedKeys: string[]): Promise<Provider> {
  return createProvider({
    genesis: ground.accounts.map(toGenesis),
    genesisTimeS: BigInt(ground.genesisTimeS),
    ownedKeys,
    autoMine: false,
    blockGasLimit: BigInt(ground.initialBlockGasLimit),
    baseFeeWei: BigInt(ground.initialBaseFeeWei),
  })
}

/** Brings a fresh engine to the image's base block: same number, state and terms; only the hash differs. */
export async function advanceEngine(
  engine: Provider,
  { changes, base, settings }: Pick<Image, 'changes' | 'base' | 'settings'>,
): Promise<void> {
  if (changes.length > 0) await engine.batch(changes)
  await engine.batch(settingCalls(settings))
  const block = base.number === 0 ? await latest(engine) : await jump(engine, base)
  if (base.number > 0 && block.stateRoot !== base.stateRoot) {
    throw new Error(`image at block ${base.number} has state root ${block.stateRoot}, not ${base.stateRoot}`)
  }
}

async function jump(engine: Provider, base: ImageBase) {
  const at = toHex(BigInt(base.timestampS))
  // Blocks on the way are never served; the pinned timestamp makes them reproducible.
  if (base.number > 1) {
    await engine.batch([
      ['evm_setNextBlockTimestamp', [at]],
      ['hardhat_mine', [toHex(base.number - 1), '0x0']],
    ])
  }
  const terms = {
    timestampS: BigInt(base.timestampS),
    baseFeeWei: BigInt(base.baseFeeWei),
    prevRandao: base.prevRandao,
  }
  return mineBlock(engine, terms)
}

const latest = (engine: Provider) =>
  engine.request<{ hash: Hex; stateRoot: Hex }>('eth_getBlockByNumber', ['latest', false])

const settingCalls = ({ coinbase, blockGasLimit, impersonated }: EngineSettings): Call[] => [
  ['evm_setBlockGasLimit', [toHex(BigInt(blockGasLimit))]],
  ...(coinbase ? [['hardhat_setCoinbase', [coinbase]] as const] : []),
  ...impersonated.map((address) => ['hardhat_impersonateAccount', [address]] as const),
]
