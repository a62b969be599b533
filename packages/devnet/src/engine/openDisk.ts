import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OwnedAccount } from './accounts.ts'
import { type Archive, openArchive } from './archive.ts'
import { lockDir } from './dirLock.ts'
import {
  beginGeneration,
  type Generation,
  loadGeneration,
  sweepGenerations,
  writeGround,
} from './generation.ts'
import type { Image } from './image.ts'
import type { Hex } from './types.ts'

export interface Disk {
  dir: string
  fresh: boolean
  generation: Generation
  archive: Archive
  release(): void
}

export interface GenesisTerms {
  timeS: bigint
  blockGasLimit: bigint
  baseFeeWei: bigint
  owned: readonly OwnedAccount[]
}

const FUNDED_WEI: Hex = `0x${(10_000n * 10n ** 18n).toString(16)}`
const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`

/** Opens the chain in the folder, or starts a new one there. Without a folder, a temporary one is used. */
export function openDisk(dataDir: string | undefined, genesis: GenesisTerms): Disk {
  const dir = dataDir ?? mkdtempSync(join(tmpdir(), 'pit-chain-'))
  const unlock = lockDir(dir)
  try {
    const storedGeneration = loadGeneration(dir)
    const generation = storedGeneration ?? beginChain(dir, genesis)
    const archive = openArchive(dir)
    // Without a chain, an archive belongs to nothing.
    if (!storedGeneration) archive.cutFrom(0)
    sweepGenerations(dir, generation.image.base.number)
    return {
      dir,
      fresh: !storedGeneration,
      generation,
      archive,
      release() {
        archive.close()
        unlock()
        if (dataDir === undefined) rmSync(dir, { recursive: true, force: true })
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

function beginChain(dir: string, genesis: GenesisTerms): Generation {
  const image: Image = {
    genesisTimeS: genesis.timeS.toString(),
    initialBaseFeeWei: genesis.baseFeeWei.toString(),
    initialBlockGasLimit: genesis.blockGasLimit.toString(),
    accounts: genesis.owned.map(({ address }) => ({
      address,
      balance: FUNDED_WEI,
      nonce: 0,
      code: '0x',
      storage: [],
    })),
    changes: [],
    // Block 0 follows from the accounts.
    base: {
      number: 0,
      hash: ZERO_HASH,
      stateRoot: ZERO_HASH,
      timestampS: genesis.timeS.toString(),
      baseFeeWei: genesis.baseFeeWei.toString(),
      prevRandao: ZERO_HASH,
    },
    settings: { blockGasLimit: genesis.blockGasLimit.toString(), impersonated: [], timeOffsetS: '0' },
  }
  const { changes: _, base: __, settings: ___, ...ground } = image
  return beginGeneration(dir, image, writeGround(dir, ground))
}
