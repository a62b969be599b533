import { createCrypto } from '@pit/chain'
import { type Address, concat, hexToBytes, keccak256, numberToHex } from 'viem'
import type { Artifacts } from '../compile.ts'
import { type Acts, artifactOf, initCodeOf } from './acts.ts'

export interface Hooks {
  counting: Address
  dynamicFee: Address
  /** Unknown to the profile: takes 5% of a swap's output. */
  skimming: Address
  /** Known to the profile: takes 1%. */
  taking: Address
  /** Unknown to the profile: sets its pools' fee to 99%. */
  trapFee: Address
  pons: Address
}

/** The last 14 bits of a hook's address say which calls v4 makes to it. */
const FLAG_BITS = 0x3fff
const FLAGS = {
  beforeInitialize: 1 << 13,
  afterInitialize: 1 << 12,
  beforeSwap: 1 << 7,
  afterSwap: 1 << 6,
  beforeSwapDelta: 1 << 3,
  afterSwapDelta: 1 << 2,
}

const TAKES = FLAGS.afterSwap | FLAGS.afterSwapDelta

/** Queues the hooks at addresses that carry their flags. */
export async function queueHooks(artifacts: Artifacts, acts: Acts, poolManager: Address): Promise<Hooks> {
  const { keccakBytes } = await createCrypto()
  const deploy = (name: string, args: unknown[], flags: number) => {
    const initCodeHash = keccak256(initCodeOf(artifactOf(artifacts, name), args))
    const preimage = hexToBytes(concat(['0xff', acts.builder, numberToHex(0n, { size: 32 }), initCodeHash]))
    return acts.deploy(name, args, findSalt(preimage, flags, keccakBytes))
  }
  return {
    counting: deploy('CountingHook', [poolManager], FLAGS.beforeSwap | FLAGS.afterSwap),
    dynamicFee: deploy('DynamicFeeHook', [poolManager, acts.builder, 2_500], FLAGS.afterInitialize),
    skimming: deploy('SkimmingHook', [poolManager, 500n], TAKES),
    taking: deploy('SkimmingHook', [poolManager, 100n], TAKES),
    trapFee: deploy('DynamicFeeHook', [poolManager, acts.builder, 990_000], FLAGS.afterInitialize),
    pons: deploy(
      'PonsHook',
      [poolManager, acts.builder],
      FLAGS.beforeInitialize |
        FLAGS.beforeSwap |
        FLAGS.afterSwap |
        FLAGS.beforeSwapDelta |
        FLAGS.afterSwapDelta,
    ),
  }
}

/** The first salt whose CREATE2 address ends in these flags: one in 16,384. */
function findSalt(preimage: Uint8Array, flags: number, keccak: (bytes: Uint8Array) => Uint8Array): bigint {
  const SALT_END = 1 + 20 + 32
  const view = new DataView(preimage.buffer, preimage.byteOffset, preimage.byteLength)
  for (let salt = 0; ; salt++) {
    view.setUint32(SALT_END - 4, salt)
    const hash = keccak(preimage)
    if ((((hash[30]! << 8) | hash[31]!) & FLAG_BITS) === flags) return BigInt(salt)
  }
}
