import { type Address, createCrypto, type Hex, multicall3Abi } from '@pit/chain'
import type { Rpc, RpcCall } from '@pit/platform/rpc'
import { BARE_NUMBERS } from '@pit/platform/test/bareProfile'
import { isPitError, NATIVE_TOKEN, type PitError } from '@pit/protocol'
import { encodeFunctionResult } from 'viem'
import type { PlanTx } from '../../types.ts'
import { createSimulator, type SimulatorOptions } from '../createSimulator.ts'
import type { SimulateParams } from '../deps.ts'

export const crypto = await createCrypto()
export const at = (byte: string): Address => `0x${byte.repeat(20)}`
export const [WALLET, EXECUTOR, RECIPIENT, TOKEN, OTHER] = [at('a1'), at('e2'), at('f3'), at('70'), at('71')]
export const [ROUTER, PERMIT2, MULTICALL3, REGISTRY, CURVE] = [
  at('91'),
  at('92'),
  at('93'),
  at('94'),
  at('95'),
]
export const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
export const answerOf = (words: (bigint | null)[]): Hex =>
  encodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    result: words.map((value) => ({
      success: value !== null,
      returnData: value === null ? '0x' : word(value),
    })),
  })

export interface Sent {
  method: string
  params: readonly unknown[]
}
export interface Block {
  blockOverrides: Record<string, Hex>
  stateOverrides: Record<Address, { balance?: Hex; stateDiff?: Record<Hex, Hex> }>
  calls: Record<string, Hex>[]
}

/** A simulator whose node is a script. */
export function open(script: (sent: Sent) => unknown, change: Partial<SimulatorOptions> = {}) {
  const sent: Sent[] = []
  const rpc: Pick<Rpc, 'request' | 'batch'> = {
    async request<T>(method: string, params: readonly unknown[] = []) {
      sent.push({ method, params })
      return (await script({ method, params })) as T
    },
    batch: async (calls: readonly RpcCall[]) => {
      sent.push({ method: 'batch', params: calls })
      return (await script({ method: 'batch', params: calls })) as Awaited<ReturnType<Rpc['batch']>>
    },
  }
  const contracts = {
    universal_router: ROUTER,
    permit2: PERMIT2,
    multicall3: MULTICALL3,
  }
  const simulator = createSimulator({
    rpc,
    crypto,
    profile: {
      chain_id: 4663,
      limits: BARE_NUMBERS.limits,
      contracts: contracts as unknown as SimulatorOptions['profile']['contracts'],
      core_tokens: [],
      stocks: { issuer: 'robinhood', beacon: REGISTRY },
    },
    clock: { nowMs: () => 1_000_000 },
    market: {
      head: () => ({ number: 41, hash: '0x1', parentHash: '0x0', timestampS: 900, baseFeeWei: 7n }),
    },
    ...change,
  })
  const blockSent = (index = 0) =>
    (sent[index]!.params[0] as { blockStateCalls: Block[] }).blockStateCalls[0]!
  return { simulator, sent, blockSent }
}

export const tx = (change: Partial<PlanTx> = {}): PlanTx => ({
  from: WALLET,
  to: ROUTER,
  valueWei: 5n,
  data: '0x1234',
  gas: 300_000,
  nonce: 3,
  maxFeePerGasWei: 14n,
  maxPriorityFeePerGasWei: 1n,
  ...change,
})
export const simulateParams = (change: Partial<SimulateParams> = {}): SimulateParams => ({
  wallet: WALLET,
  transactions: [{ kind: 'swap', tx: tx() }],
  tokenIn: NATIVE_TOKEN,
  tokenOut: TOKEN,
  amountIn: 5n,
  fee: { token: NATIVE_TOKEN, recipient: RECIPIENT },
  amountOutMin: 90n,
  fund: false,
  holdsInput: true,
  approvals: 'as planned',
  ...change,
})

export type Run = { gasUsed?: number; status?: Hex; returnData?: Hex; logs?: unknown[]; error?: object }
/** A node's response: balances before, what each transaction did, balances after. */
export const ran = (
  before: (bigint | null)[],
  runs: Run[],
  after: (bigint | null)[],
  approvals: Run[] = [],
) => {
  const call = ({ gasUsed = 100_000, status = '0x1', ...rest }: Run) => ({
    status,
    gasUsed: `0x${gasUsed.toString(16)}`,
    returnData: '0x',
    logs: [],
    ...rest,
  })
  const reading = (held: (bigint | null)[]) => call({ returnData: answerOf(held) })
  const calls = [...approvals.map(call), reading(before), ...runs.map(call), reading(after)]
  return [{ number: '0x2a', baseFeePerGas: '0x7', calls }]
}
export const refusalOf = async (work: Promise<unknown>): Promise<PitError> => {
  const error = await work.then(
    () => new Error('it passed'),
    (thrown) => thrown as Error,
  )
  if (!isPitError(error)) throw error
  return error
}
