import { type Address, encodeDeployData, encodeFunctionData, type Hex, keccak256, zeroAddress } from 'viem'
import type { Artifact } from '../compile.ts'
import { PERMIT2 } from './canonical.ts'
import { npmArtifact } from './npmArtifacts.ts'
import type { Transactions } from './transactions.ts'

/** Addresses of the real exchange contracts, and the parameters of their pools' addresses. */
export interface Exchanges {
  weth: Address
  v2_factory: Address
  v2_pair_init_code_hash: Hex
  v3_factory: Address
  v3_pool_init_code_hash: Hex
  v3_quoter: Address
  v3_position_manager: Address
  v4_pool_manager: Address
  v4_position_manager: Address
  v4_state_view: Address
  v4_quoter: Address
  universal_router: Address
}

const NATIVE_LABEL: Hex = '0x4554480000000000000000000000000000000000000000000000000000000000'
/** A v3 pool that keeps 80% of every trade. */
export const V3_TRAP_FEE = 800_000
const UNSUBSCRIBE_GAS = 300_000n

/** Queues WETH, Uniswap v2, v3, v4 and the Universal Router. */
export function queueExchanges(txs: Transactions, owner: Address): Exchanges {
  const make = (label: keyof typeof npmArtifact, args: unknown[] = []) => {
    const { abi, bytecode }: Artifact = npmArtifact[label]()
    return txs.create(label, encodeDeployData({ abi, bytecode, args }))
  }
  const weth = make('weth')
  const v2_factory = make('v2Factory', [owner])
  const v3_factory = make('v3Factory')
  // The owner added the smallest fee later, on every chain; exchanges of its kind have any.
  for (const args of [
    [100, 1],
    [V3_TRAP_FEE, 200],
  ]) {
    const enableFee = { abi: npmArtifact.v3Factory().abi, functionName: 'enableFeeAmount', args }
    txs.send('enableFeeAmount', { to: v3_factory, data: encodeFunctionData(enableFee), gas: 80_000n })
  }
  const v3_position_manager = make('v3PositionManager', [v3_factory, weth, zeroAddress])
  const v3_quoter = make('v3Quoter', [v3_factory, weth])
  const v4_pool_manager = make('v4PoolManager', [owner])
  const descriptor = make('v4PositionDescriptor', [v4_pool_manager, weth, NATIVE_LABEL])
  const v4_position_manager = make('v4PositionManager', [
    v4_pool_manager,
    PERMIT2,
    UNSUBSCRIBE_GAS,
    descriptor,
    weth,
  ])
  const v4_state_view = make('v4StateView', [v4_pool_manager])
  const v4_quoter = make('v4Quoter', [v4_pool_manager])
  const unsupported = make('unsupportedProtocol')
  const v2_pair_init_code_hash = keccak256(npmArtifact.v2Pair().bytecode)
  const v3_pool_init_code_hash = keccak256(npmArtifact.v3Pool().bytecode)
  const universal_router = make('universalRouter', [
    {
      permit2: PERMIT2,
      weth9: weth,
      v2Factory: v2_factory,
      v3Factory: v3_factory,
      pairInitCodeHash: v2_pair_init_code_hash,
      poolInitCodeHash: v3_pool_init_code_hash,
      v4PoolManager: v4_pool_manager,
      v3NFTPositionManager: v3_position_manager,
      v4PositionManager: v4_position_manager,
      spokePool: unsupported,
    },
  ])
  return {
    weth,
    v2_factory,
    v2_pair_init_code_hash,
    v3_factory,
    v3_pool_init_code_hash,
    v3_quoter,
    v3_position_manager,
    v4_pool_manager,
    v4_position_manager,
    v4_state_view,
    v4_quoter,
    universal_router,
  }
}
