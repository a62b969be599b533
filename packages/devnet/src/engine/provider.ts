import { createRequire } from 'node:module'
import { env } from 'node:process'
import type * as Edr from '@nomicfoundation/edr'
import { createTurns } from './turns.ts'

// EDR's allocator returns freed memory after a second by default; after 10 ms total use is a quarter lower.
env['MIMALLOC_PURGE_DELAY'] ??= '10'
// Huge pages retain freed memory between used parts: 400 MB within an hour.
env['MIMALLOC_ALLOW_THP'] ??= '0'
// EDR is CommonJS with a native module behind it.
const edr = createRequire(import.meta.url)('@nomicfoundation/edr') as typeof Edr

export interface RpcFailure extends Error {
  code: number
  data?: unknown
}

/** One EVM engine. `raw` exchanges JSON text; `request` parses and throws RpcFailure. */
export interface Provider {
  request<T = unknown>(method: string, params?: unknown[]): Promise<T>
  raw(json: string): Promise<string>
  /** Several calls in one hop, without others in between; stops at the first failure and throws it. */
  batch(calls: readonly Call[]): Promise<unknown[]>
}

export type Call = readonly [method: string, params?: readonly unknown[]]

export interface GenesisAccount {
  address: string
  balance?: bigint
  nonce?: bigint
  code?: string
  storage?: { index: bigint; value: bigint }[]
}

export interface ProviderOptions {
  genesis: GenesisAccount[]
  genesisTimeS: bigint
  /** Private keys EDR may sign for (eth_sendTransaction). */
  ownedKeys?: string[]
  autoMine: boolean
  blockGasLimit: bigint
  baseFeeWei: bigint
}

export const rpcFailure = (code: number, message: string, data?: unknown): RpcFailure =>
  Object.assign(new Error(message), { code, ...(data === undefined || data === null ? {} : { data }) })

let context: Promise<Edr.EdrContext> | undefined
async function sharedContext(): Promise<Edr.EdrContext> {
  context ??= (async () => {
    // EDR keeps 100,000 states by default; every block and every hardhat_set* adds one.
    env['__EDR_MAX_CACHED_STATES'] = '2048'
    const created = new edr.EdrContext()
    await created.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory())
    return created
  })()
  return context
}

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'))
const bigintsAsHex = (_: string, value: unknown) =>
  typeof value === 'bigint' ? `0x${value.toString(16)}` : value

// At module level on purpose: the engine keeps its callbacks forever, and a closure made inside
// createProvider would keep that call's variables, the engine among them, so no dropped engine would ever be
// freed.
const SILENT_LOGGER = { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} }
const NO_SUBSCRIPTIONS = { subscriptionCallback: () => {} }

/**
 * An engine works on one request at a time; more only occupy more of its threads, each of which keeps its
 * memory. A second request is passed on while the first runs. All engines together (in service, being built,
 * retired for reads) get no more than this machine can run: threads, once created, stay.
 */
const IN_ENGINE_AT_ONCE = 2
const IN_ALL_ENGINES_AT_ONCE = 4
const turnOfAll = createTurns(IN_ALL_ENGINES_AT_ONCE)

export async function createProvider(options: ProviderOptions): Promise<Provider> {
  const engine = await (await sharedContext()).createProvider(
    edr.L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      // With false, a reverted call looks like a result.
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      chainId: 4663n,
      networkId: 4663n,
      coinbase: bytes('0x00000000000000000000000000000000c0ffee00'),
      defaultTransactionGasLimit: options.blockGasLimit,
      genesisState: [
        ...edr.l1GenesisState(edr.l1HardforkFromString(edr.PRAGUE)),
        ...options.genesis.map((account) => ({
          address: bytes(account.address),
          ...(account.balance === undefined ? {} : { balance: account.balance }),
          ...(account.nonce === undefined ? {} : { nonce: account.nonce }),
          ...(account.code === undefined ? {} : { code: bytes(account.code) }),
          ...(account.storage === undefined ? {} : { storage: account.storage }),
        })),
      ],
      hardfork: edr.PRAGUE,
      initialBaseFeePerGas: options.baseFeeWei,
      initialParentBeaconBlockRoot: new Uint8Array(32),
      minGasPrice: 0n,
      mining: {
        autoMine: options.autoMine,
        blockGasLimit: options.blockGasLimit,
        // By tip, then arrival.
        memPool: { order: edr.MineOrdering.Priority },
      },
      network: {
        genesisBlockGasLimit: options.blockGasLimit,
        genesisBlockTime: options.genesisTimeS,
        genesisBlobGas: { gasUsed: 0n, excessGas: 0n },
      },
      observability: {},
      ownedAccounts: options.ownedKeys ?? [],
      precompileOverrides: [edr.precompileP256Verify()],
    } as unknown as Edr.ProviderConfig,
    SILENT_LOGGER,
    NO_SUBSCRIPTIONS,
    new edr.ContractDecoder(),
  )
  let id = 0
  const turn = createTurns(IN_ENGINE_AT_ONCE)
  const raw = async (json: string): Promise<string> => {
    const { data } = await turn(() => turnOfAll(() => engine.handleRequest(json)))
    return typeof data === 'string' ? data : JSON.stringify(data)
  }
  const ask = async (request: unknown) => {
    const answer = JSON.parse(await raw(JSON.stringify(request, bigintsAsHex)))
    if (answer.error) throw rpcFailure(answer.error.code, answer.error.message, answer.error.data)
    return answer.result
  }
  const one = ([method, params = []]: Call) => {
    id += 1
    return { jsonrpc: '2.0', id, method, params }
  }
  return {
    raw,
    request: <T>(method: string, params: unknown[] = []): Promise<T> => ask(one([method, params])),
    batch: (calls) => ask(calls.map(one)),
  }
}
